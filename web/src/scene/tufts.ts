/** Tufts: grass on a fixed lattice around the horse, so that the ground is seen to pass. */
import { BufferAttribute, BufferGeometry, Color, DoubleSide, InstancedMesh, Matrix4, MeshBasicMaterial } from "three";
import type { Look } from "./look";

const SIDE = 26;
const CELL = 3.2;

const _matrix = new Matrix4();
const _tint = new Color();

export class Tufts {
  readonly mesh: InstancedMesh<BufferGeometry, MeshBasicMaterial>;
  private cellX = Number.NaN;
  private cellZ = Number.NaN;

  constructor() {
    this.mesh = new InstancedMesh(tuft(), new MeshBasicMaterial({ side: DoubleSide }), SIDE * SIDE);
    this.mesh.frustumCulled = false;
  }

  paint(look: Look): void {
    this.mesh.material.color.copy(_tint.set(look.name === "light" ? "#a39f74" : "#5b6156"));
  }

  /** x, z: the horse in the world [m]; tufts lie where a hash of the world's cell says. */
  follow(x: number, z: number, originX: number, originZ: number): void {
    const cellX = Math.round(x / CELL);
    const cellZ = Math.round(z / CELL);
    if (cellX === this.cellX && cellZ === this.cellZ) return;
    this.cellX = cellX;
    this.cellZ = cellZ;
    for (let k = 0; k < SIDE * SIDE; k++) {
      const i = cellX - SIDE / 2 + (k % SIDE);
      const j = cellZ - SIDE / 2 + Math.floor(k / SIDE);
      const a = hash(i, j, 1);
      const size = a < 0.45 ? 0 : 0.5 + 0.8 * hash(i, j, 2);
      const turn = 6.28 * hash(i, j, 3);
      const c = Math.cos(turn) * size;
      const s = Math.sin(turn) * size;
      _matrix.set(c, 0, s, (i + hash(i, j, 4)) * CELL - originX, 0, size, 0, 0, -s, 0, c, (j + hash(i, j, 5)) * CELL - originZ, 0, 0, 0, 1);
      this.mesh.setMatrixAt(k, _matrix);
    }
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  /** The scene's origin has moved. */
  shift(): void {
    this.cellX = Number.NaN;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.dispose();
  }
}

/** A few thin blades. */
function tuft(): BufferGeometry {
  const places: number[] = [];
  const normals: number[] = [];
  for (let k = 0; k < 7; k++) {
    const angle = k * 2.4;
    const out = 0.02 + 0.012 * k;
    const x = Math.cos(angle) * out;
    const z = Math.sin(angle) * out;
    const height = 0.16 - 0.012 * k;
    places.push(x - 0.012, 0, z, x + 0.012, 0, z + 0.004, x * 2.6, height, z * 2.6);
    for (let v = 0; v < 3; v++) normals.push(0, 1, 0);
  }
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(Float32Array.from(places), 3));
  shape.setAttribute("normal", new BufferAttribute(Float32Array.from(normals), 3));
  return shape;
}

/** In [0, 1), the same for the same cell. */
function hash(i: number, j: number, k: number): number {
  let h = Math.imul(i, 374761393) ^ Math.imul(j, 668265263) ^ Math.imul(k, 1274126177);
  h = Math.imul(h ^ (h >>> 13), 1103515245);
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
}
