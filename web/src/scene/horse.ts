/** Horse: bones moved by the server's rotations, and the skin or the capsules that hang on them. */
import {
  Bone,
  BufferAttribute,
  BufferGeometry,
  Group,
  Matrix4,
  MeshLambertMaterial,
  MeshStandardMaterial,
  Skeleton,
  SkinnedMesh,
  Vector3,
} from "three";
import type { Pose } from "../ride/pose";
import { capsuleFigure } from "./figure";
import type { Rig, SkinArrays } from "./rig";

const _place = new Vector3();

export class Horse {
  /** At the root, turned to the heading, scaled to the height. */
  readonly group = new Group();
  readonly bones: Bone[] = [];
  private readonly skeleton: Skeleton;
  private mesh: SkinnedMesh<BufferGeometry, MeshLambertMaterial | MeshStandardMaterial>;
  private fine = false;

  constructor(readonly rig: Rig) {
    const inverses: Matrix4[] = [];
    for (let k = 0; k < rig.names.length; k++) {
      const bone = new Bone();
      bone.name = rig.names[k] as string;
      bone.position.fromArray(rig.offsets, 3 * k);
      const parent = this.bones[rig.parents[k] as number];
      if (parent) parent.add(bone);
      this.bones.push(bone);
      inverses.push(new Matrix4().makeTranslation(-rig.rest[3 * k]!, -rig.rest[3 * k + 1]!, -rig.rest[3 * k + 2]!));
    }
    this.skeleton = new Skeleton(this.bones, inverses);
    this.mesh = this.attach(capsuleFigure(rig));
    this.group.add(this.bones[0] as Bone);
  }

  /** Exchange what is seen: the capsules for the skin, or one coat for another. */
  dress(skin: SkinArrays): void {
    this.group.remove(this.mesh);
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh = this.attach(skin);
  }

  /** Fine: physically based shading; else the cheapest that is lit. */
  set shading(fine: boolean) {
    if (fine === this.fine) return;
    this.fine = fine;
    this.mesh.material.dispose();
    this.mesh.material = this.material();
  }

  set shown(on: boolean) {
    this.mesh.visible = on;
  }

  set faint(on: boolean) {
    this.mesh.material.transparent = on;
    this.mesh.material.opacity = on ? 0.3 : 1;
    this.mesh.material.depthWrite = !on;
    this.mesh.material.needsUpdate = true;
  }

  /** Write the pose into the bones, with the scene's origin at (originX, 0, originZ) of the world [m]. */
  apply(pose: Pose, originX: number, originZ: number): void {
    const scale = pose.height / this.rig.height;
    this.group.position.set(pose.root[0]! - originX, pose.root[1]!, pose.root[2]! - originZ);
    this.group.rotation.y = pose.heading;
    this.group.scale.setScalar(scale);
    const bones = this.bones;
    const cos = Math.cos(pose.heading);
    const sin = Math.sin(pose.heading);
    const x = pose.positions[0]!;
    const y = pose.positions[1]!;
    const z = pose.positions[2]!;
    (bones[0] as Bone).position.set((x * cos - z * sin) / scale, y / scale, (x * sin + z * cos) / scale);
    for (let k = 0; k < bones.length; k++) (bones[k] as Bone).quaternion.fromArray(pose.rotations, 4 * k);
  }

  /** World matrix of a bone is current after the scene was drawn; its place in the scene goes into `out`. */
  where(node: number, out: Vector3 = _place): Vector3 {
    return out.setFromMatrixPosition((this.bones[node] as Bone).matrixWorld);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.skeleton.dispose();
    this.group.removeFromParent();
  }

  private attach(skin: SkinArrays): SkinnedMesh<BufferGeometry, MeshLambertMaterial | MeshStandardMaterial> {
    const shape = new BufferGeometry();
    shape.setAttribute("position", new BufferAttribute(skin.positions, 3));
    shape.setAttribute("normal", new BufferAttribute(skin.normals, 3));
    shape.setAttribute("color", new BufferAttribute(skin.colours, 4, true));
    shape.setAttribute("skinIndex", new BufferAttribute(skin.joints, 4));
    shape.setAttribute("skinWeight", new BufferAttribute(skin.weights, 4));
    shape.setIndex(new BufferAttribute(skin.index, 1));
    const mesh = new SkinnedMesh(shape, this.material());
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    mesh.bind(this.skeleton, new Matrix4());
    return mesh;
  }

  private material(): MeshLambertMaterial | MeshStandardMaterial {
    return this.fine
      ? new MeshStandardMaterial({ vertexColors: true, roughness: 0.72, metalness: 0 })
      : new MeshLambertMaterial({ vertexColors: true });
  }
}
