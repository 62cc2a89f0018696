/** Figure: a horse of tapered capsules around the bones, shown until the skin is there. */
import type { Rig, SkinArrays } from "./rig";

/** Radii at both ends and how far the capsule hangs below its bone, in parts of the withers height. */
type Form = readonly [name: RegExp, start: number, stop: number, drop: number];

const FORMS: readonly Form[] = [
  [/^Sacrum(Lower|ToTail)/, 0.15, 0.15, 0.06],
  [/^Hip/, 0.15, 0.13, 0],
  [/^Femur/, 0.12, 0.12, 0],
  [/^Tibia/, 0.125, 0.07, 0],
  [/^MTarsus/, 0.066, 0.034, 0],
  [/^Phalanges/, 0.031, 0.026, 0],
  [/Hoof.*_end/, 0.032, 0.042, 0],
  [/Hoof/, 0.026, 0.032, 0],
  [/^Tail0[678]/, 0.05, 0.045, 0],
  [/^Tail/, 0.04, 0.024, 0],
  [/^Lumbar/, 0.17, 0.18, 0.1],
  [/^Thoracic0[1]/, 0.17, 0.15, 0.12],
  [/^Thoracic/, 0.19, 0.19, 0.13],
  [/^Cervical07/, 0.15, 0.14, 0.02],
  [/^Cervical06/, 0.135, 0.115, 0],
  [/^Cervical0[345]/, 0.1, 0.085, 0],
  [/^Cervical/, 0.08, 0.072, 0],
  [/^Head_end/, 0.082, 0.046, 0],
  [/^Head/, 0.072, 0.08, 0],
  [/^Humerus/, 0.1, 0.095, 0],
  [/^Radius/, 0.085, 0.066, 0],
  [/^Cannon/, 0.06, 0.034, 0],
  [/^ForePhalanges/, 0.031, 0.025, 0],
];
/** An animal with other names: radius as a part of the bone's length. */
const SLENDER = 0.18;
const AROUND = 12;
const CAP = 4;

interface Capsule {
  readonly joint: number;
  readonly a: readonly [number, number, number];
  readonly b: readonly [number, number, number];
  readonly start: number;
  readonly stop: number;
  readonly dark: boolean;
}

/** Rigidly skinned capsules in the rest pose. */
export function capsuleFigure(rig: Rig): SkinArrays {
  const capsules = capsulesOf(rig);
  const rings = 2 * CAP + 2;
  const each = rings * AROUND;
  const count = capsules.length * each;
  const skin: SkinArrays = {
    positions: new Float32Array(count * 3),
    normals: new Float32Array(count * 3),
    colours: new Uint16Array(count * 4).fill(65535),
    joints: new Uint16Array(count * 4),
    weights: new Float32Array(count * 4),
    index: new Uint32Array(capsules.length * (rings - 1) * AROUND * 6),
  };
  capsules.forEach((capsule, k) => writeCapsule(skin, capsule, k * each, k * (rings - 1) * AROUND * 6));
  return skin;
}

function capsulesOf(rig: Rig): Capsule[] {
  const found: Capsule[] = [];
  const rest = rig.rest;
  for (let k = 1; k < rig.names.length; k++) {
    const joint = rig.parents[k] as number;
    const a = [rest[3 * joint]!, rest[3 * joint + 1]!, rest[3 * joint + 2]!] as [number, number, number];
    const b = [rest[3 * k]!, rest[3 * k + 1]!, rest[3 * k + 2]!] as [number, number, number];
    const length = Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
    if (length < 1e-4) continue;
    const name = rig.names[k] as string;
    const form = FORMS.find(([pattern]) => pattern.test(name));
    const start = form ? form[1] * rig.height : SLENDER * length;
    const stop = form ? form[2] * rig.height : SLENDER * length * 0.8;
    const drop = form ? form[3] * rig.height : 0;
    a[1] -= drop;
    b[1] -= drop;
    found.push({ joint, a, b, start, stop, dark: /Hoof|Tail|_end$/.test(name) && !/^Head/.test(name) });
  }
  return found;
}

function writeCapsule(skin: SkinArrays, capsule: Capsule, first: number, firstIndex: number): void {
  const { a, b, start, stop } = capsule;
  const axis = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const length = Math.hypot(axis[0]!, axis[1]!, axis[2]!);
  const w = axis.map((value) => value / length) as [number, number, number];
  const side: [number, number, number] = Math.abs(w[0]) < 0.8 ? [1, 0, 0] : [0, 0, 1];
  const u = unit(cross(w, side));
  const v = cross(w, u);
  const rings = 2 * CAP + 2;
  for (let ring = 0; ring < rings; ring++) {
    const atEnd = ring > CAP;
    const step = atEnd ? ring - CAP - 1 : CAP - ring;
    const latitude = (step / CAP) * (Math.PI / 2) * (atEnd ? 1 : -1);
    const radius = atEnd ? stop : start;
    const centre = atEnd ? b : a;
    const along = Math.sin(latitude);
    const out = Math.cos(latitude);
    for (let k = 0; k < AROUND; k++) {
      const angle = (k / AROUND) * 2 * Math.PI;
      const c = Math.cos(angle) * out;
      const s = Math.sin(angle) * out;
      const at = first + ring * AROUND + k;
      for (let d = 0; d < 3; d++) {
        const normal = u[d]! * c + v[d]! * s + w[d]! * along;
        skin.normals[3 * at + d] = normal;
        skin.positions[3 * at + d] = centre[d]! + radius * normal;
      }
      const tone: readonly [number, number, number] = capsule.dark ? [1900, 1500, 1300] : [18000, 8000, 3600];
      skin.colours.set(tone, 4 * at);
      skin.joints[4 * at] = capsule.joint;
      skin.weights[4 * at] = 1;
    }
  }
  let at = firstIndex;
  for (let ring = 0; ring + 1 < rings; ring++) {
    for (let k = 0; k < AROUND; k++) {
      const p = first + ring * AROUND + k;
      const q = first + ring * AROUND + ((k + 1) % AROUND);
      skin.index.set([p, q, p + AROUND, q, q + AROUND, p + AROUND], at);
      at += 6;
    }
  }
}

function cross(a: readonly number[], b: readonly number[]): [number, number, number] {
  return [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];
}

function unit(a: readonly number[]): [number, number, number] {
  const length = Math.hypot(a[0]!, a[1]!, a[2]!) || 1;
  return [a[0]! / length, a[1]! / length, a[2]! / length];
}
