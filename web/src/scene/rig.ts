/** Rig: the skeleton as the page needs it, and the arrays of a skin that hangs on it. */

/** Joints and end sites; rest is the pose with all rotations zero and the root joint at the origin. */
export interface Rig {
  readonly names: readonly string[];
  readonly parents: readonly number[];
  /** (J, 3) from the parent, in its space [m]. */
  readonly offsets: Float32Array;
  /** (J, 3) [m]. */
  readonly rest: Float32Array;
  /** Toe nodes of LF, RF, LH, RH. */
  readonly toes: readonly [number, number, number, number];
  /** Of the withers [m]. */
  readonly height: number;
}

export interface SkinArrays {
  /** (V, 3) [m], in the rest pose. */
  readonly positions: Float32Array;
  readonly normals: Float32Array;
  /** (V, 4) red, green, blue, opacity; linear, 65535 is full. */
  readonly colours: Uint16Array;
  /** (V, 4) joint numbers and their weights. */
  readonly joints: Uint16Array;
  readonly weights: Float32Array;
  /** Three to a triangle, counter-clockwise seen from outside. */
  readonly index: Uint32Array;
}

export function makeRig(
  names: readonly string[],
  parents: readonly number[],
  offsets: ArrayLike<number>,
  toes: readonly [number, number, number, number],
  height: number,
): Rig {
  const rest = new Float32Array(names.length * 3);
  const own = Float32Array.from(offsets);
  for (let k = 1; k < names.length; k++) {
    const parent = parents[k] as number;
    for (let d = 0; d < 3; d++) rest[3 * k + d] = rest[3 * parent + d]! + own[3 * k + d]!;
  }
  return { names, parents, offsets: own, rest, toes, height };
}

/** Whether bones and figure can stay. */
export function sameRig(a: Rig, b: Rig): boolean {
  return a.names.length === b.names.length && a.height === b.height && a.names.every((name, k) => name === b.names[k]) && a.rest.every((value, k) => value === b.rest[k]);
}
