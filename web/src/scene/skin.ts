/** Skin: the mesh that the server gives as .glb, brought onto the page's own bones by their names. */
import { BufferAttribute, type InterleavedBufferAttribute, Color, MeshStandardMaterial, SkinnedMesh } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import type { Rig, SkinArrays } from "./rig";

type Attribute = BufferAttribute | InterleavedBufferAttribute;

/** Coats for a mesh that brings no colours of its own: body, then legs below, mane and tail. */
const COATS: Readonly<Record<string, readonly [string, string]>> = {
  bay: ["#7d4a2a", "#241a17"],
  chestnut: ["#94512b", "#8a4a27"],
  black: ["#2b2a2b", "#1b1a1b"],
  grey: ["#b9b7b2", "#75726f"],
  pinto: ["#8a5a3a", "#e6e0d4"],
};

/** Fetch and take apart; throws where the answer is no skin. */
export async function fetchSkin(address: string, coat: string, level: string, rig: Rig): Promise<SkinArrays> {
  const joined = `${address}${address.includes("?") ? "&" : "?"}coat=${encodeURIComponent(coat)}&level=${level}`;
  const answer = await fetch(joined);
  if (!answer.ok) throw new Error(`the skin was not sent (${answer.status})`);
  const file = await new GLTFLoader().parseAsync(await answer.arrayBuffer(), "");
  const meshes: SkinnedMesh[] = [];
  file.scene.traverse((node) => {
    if (node instanceof SkinnedMesh) meshes.push(node);
  });
  const mesh = meshes[0];
  if (!mesh) throw new Error("the file has no skinned mesh");
  return arraysOf(mesh, coat, rig);
}

/** The file's rest pose may stand on the ground; ours has the root joint at the origin. */
function arraysOf(mesh: SkinnedMesh, coat: string, rig: Rig): SkinArrays {
  const { position, normal, skinIndex, skinWeight } = mesh.geometry.attributes;
  if (!position || !normal || !skinIndex || !skinWeight) throw new Error("the skin lacks an attribute");
  const count = position.count;
  const bones = mesh.skeleton.bones.map((bone) => rig.names.findIndex((name) => safe(name) === safe(bone.name)));
  if (bones.some((bone) => bone < 0)) throw new Error("the skin has a joint that the skeleton has not");
  const skin: SkinArrays = {
    positions: new Float32Array(count * 3),
    normals: new Float32Array(count * 3),
    colours: new Uint16Array(count * 4).fill(65535),
    joints: new Uint16Array(count * 4),
    weights: new Float32Array(count * 4),
    index: mesh.geometry.index
      ? Uint32Array.from(mesh.geometry.index.array)
      : Uint32Array.from({ length: count }, (_, k) => k),
  };
  const inverse = mesh.skeleton.boneInverses[0]?.elements;
  for (let k = 0; k < count; k++) {
    for (let d = 0; d < 3; d++) {
      const shift = inverse ? inverse[12 + d]! + rig.rest[3 * (bones[0] as number) + d]! : 0;
      skin.positions[3 * k + d] = position.getComponent(k, d) + shift;
      skin.normals[3 * k + d] = normal.getComponent(k, d);
    }
    for (let d = 0; d < 4; d++) {
      skin.joints[4 * k + d] = bones[skinIndex.getComponent(k, d)] ?? 0;
      skin.weights[4 * k + d] = skinWeight.getComponent(k, d);
    }
  }
  colour(skin, mesh, coat, rig);
  return skin;
}

/** Vertex colours of the file, else the material's, else a plain coat. */
function colour(skin: SkinArrays, mesh: SkinnedMesh, coat: string, rig: Rig): void {
  const given: Attribute | undefined = mesh.geometry.attributes.color;
  const material = mesh.material instanceof MeshStandardMaterial ? mesh.material : null;
  const tint = new Color();
  const [body, points] = (COATS[coat] ?? COATS["bay"]) as readonly [string, string];
  const bodyTint = new Color(body);
  const pointTint = new Color(points);
  for (let k = 0; k < skin.joints.length / 4; k++) {
    if (given) tint.setRGB(given.getX(k), given.getY(k), given.getZ(k));
    else {
      const name = rig.names[skin.joints[4 * k] as number] as string;
      tint.copy(/Tail|Cannon|MTarsus|Phalanges|Hoof/.test(name) ? pointTint : bodyTint);
    }
    if (given && material) tint.multiply(material.color);
    skin.colours[4 * k] = 65535 * tint.r;
    skin.colours[4 * k + 1] = 65535 * tint.g;
    skin.colours[4 * k + 2] = 65535 * tint.b;
  }
}

/** three.js takes marks out of names. */
function safe(name: string): string {
  return name.replace(/[\s.:[\]/]/g, "_");
}
