/** Marks: skeleton, joint axes, foot targets and lock corrections, drawn over the horse on request. */
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  Vector3,
} from "three";
import type { Pose } from "../ride/pose";
import type { Horse } from "./horse";
import type { Look } from "./look";

const AXIS = 0.07;
/** Corrections of millimetres are drawn longer, so that they can be seen. */
export const ENLARGED = 5;

const _x = new Vector3();
const _y = new Vector3();
const _z = new Vector3();

class Lines {
  readonly object: LineSegments<BufferGeometry, LineBasicMaterial>;
  readonly points: Float32Array;
  private readonly attribute: BufferAttribute;

  constructor(count: number, coloured: boolean) {
    this.points = new Float32Array(count * 6);
    this.attribute = new BufferAttribute(this.points, 3);
    this.attribute.setUsage(DynamicDrawUsage);
    const shape = new BufferGeometry();
    shape.setAttribute("position", this.attribute);
    if (coloured) shape.setAttribute("color", new BufferAttribute(new Float32Array(count * 6), 3));
    const material = new LineBasicMaterial({ depthTest: false, transparent: true, vertexColors: coloured });
    this.object = new LineSegments(shape, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 5;
    this.object.visible = false;
  }

  colour(line: number, colour: Color): void {
    const tints = this.object.geometry.attributes.color as BufferAttribute;
    tints.setXYZ(2 * line, colour.r, colour.g, colour.b);
    tints.setXYZ(2 * line + 1, colour.r, colour.g, colour.b);
    tints.needsUpdate = true;
  }

  done(): void {
    this.attribute.needsUpdate = true;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

const AXES = [new Color("#d55e00"), new Color("#009e73"), new Color("#0072b2")] as const;

export class Marks {
  readonly group = new Group();
  private readonly bones: Lines;
  private readonly axes: Lines;
  private readonly locks = new Lines(4, true);
  private readonly rings: Mesh<RingGeometry, MeshBasicMaterial>[] = [];
  private readonly ringShape = new RingGeometry(0.06, 0.085, 24);

  constructor(private readonly horse: Horse) {
    const joints = horse.rig.names.length;
    this.bones = new Lines(joints, false);
    this.axes = new Lines(joints * 3, true);
    for (let k = 0; k < joints * 3; k++) this.axes.colour(k, AXES[k % 3] as Color);
    this.ringShape.rotateX(-Math.PI / 2);
    for (let leg = 0; leg < 4; leg++) {
      const ring = new Mesh(this.ringShape, new MeshBasicMaterial({ depthTest: false, transparent: true }));
      ring.renderOrder = 4;
      ring.visible = false;
      this.rings.push(ring);
      this.group.add(ring);
    }
    this.group.add(this.bones.object, this.axes.object, this.locks.object);
  }

  paint(look: Look): void {
    this.bones.object.material.color.copy(look.ink);
    for (let leg = 0; leg < 4; leg++) {
      this.locks.colour(leg, look.alarm);
      (this.rings[leg] as Mesh<RingGeometry, MeshBasicMaterial>).material.color.copy(look.legs[leg] as Color);
    }
  }

  show(skeleton: boolean, axes: boolean, targets: boolean, locks: boolean): void {
    this.bones.object.visible = skeleton;
    this.axes.object.visible = axes;
    this.locks.object.visible = locks;
    for (const ring of this.rings) ring.visible = targets;
  }

  /** After the bones were moved. */
  update(pose: Pose, originX: number, originZ: number): void {
    if (this.bones.object.visible) this.writeBones();
    if (this.axes.object.visible) this.writeAxes();
    const x = pose.root[0]! - originX;
    const y = pose.root[1]!;
    const z = pose.root[2]! - originZ;
    for (let leg = 0; leg < 4; leg++) {
      const tx = x + pose.targets[3 * leg]!;
      const ty = y + pose.targets[3 * leg + 1]!;
      const tz = z + pose.targets[3 * leg + 2]!;
      (this.rings[leg] as Mesh).position.set(tx, ty + 0.01, tz);
      const points = this.locks.points;
      points[6 * leg] = tx;
      points[6 * leg + 1] = ty + 0.01;
      points[6 * leg + 2] = tz;
      points[6 * leg + 3] = tx + ENLARGED * pose.corrections[3 * leg]!;
      points[6 * leg + 4] = ty + 0.01 + ENLARGED * pose.corrections[3 * leg + 1]!;
      points[6 * leg + 5] = tz + ENLARGED * pose.corrections[3 * leg + 2]!;
    }
    if (this.locks.object.visible) this.locks.done();
  }

  dispose(): void {
    this.bones.dispose();
    this.axes.dispose();
    this.locks.dispose();
    this.ringShape.dispose();
    for (const ring of this.rings) ring.material.dispose();
    this.group.removeFromParent();
  }

  private writeBones(): void {
    const { bones, rig } = this.horse;
    const points = this.bones.points;
    for (let k = 1; k < bones.length; k++) {
      const from = bones[rig.parents[k] as number]!.matrixWorld.elements;
      const to = bones[k]!.matrixWorld.elements;
      for (let d = 0; d < 3; d++) {
        points[6 * k + d] = from[12 + d]!;
        points[6 * k + 3 + d] = to[12 + d]!;
      }
    }
    this.bones.done();
  }

  private writeAxes(): void {
    const { bones } = this.horse;
    const points = this.axes.points;
    for (let k = 0; k < bones.length; k++) {
      const matrix = bones[k]!.matrixWorld;
      matrix.extractBasis(_x, _y, _z);
      for (let d = 0; d < 3; d++) {
        const axis = d === 0 ? _x : d === 1 ? _y : _z;
        axis.setLength(AXIS);
        const at = (3 * k + d) * 6;
        const e = matrix.elements;
        points[at] = e[12]!;
        points[at + 1] = e[13]!;
        points[at + 2] = e[14]!;
        points[at + 3] = e[12]! + axis.x;
        points[at + 4] = e[13]! + axis.y;
        points[at + 5] = e[14]! + axis.z;
      }
    }
    this.axes.done();
  }
}
