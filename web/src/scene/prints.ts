/** Prints: where each hoof came down, and the path of the root, kept in world metres. */
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  Matrix4,
  MeshBasicMaterial,
  Shape,
  ShapeGeometry,
  Vector3,
} from "three";
import type { Look } from "./look";

const HOOVES = 96;
const PATH = 600;
/** The path takes a point when the root has gone so far [m]. */
const SPACING = 0.15;

const _matrix = new Matrix4();
const _size = new Vector3();

/** A hoof seen from above, flat on the ground, toe to +Z: round at the toe, cleft at the heels [m]. */
function hoofPrint(): ShapeGeometry {
  const wall = new Shape();
  wall.moveTo(-0.045, -0.075);
  wall.bezierCurveTo(-0.105, -0.02, -0.08, 0.09, 0, 0.09);
  wall.bezierCurveTo(0.08, 0.09, 0.105, -0.02, 0.045, -0.075);
  wall.bezierCurveTo(0.025, -0.06, 0.012, -0.045, 0, -0.022);
  wall.bezierCurveTo(-0.012, -0.045, -0.025, -0.06, -0.045, -0.075);
  const shape = new ShapeGeometry(wall, 8);
  // Drawn in x and y; y becomes the way ahead, seen from above.
  shape.rotateX(Math.PI / 2);
  shape.index?.array.reverse();
  return shape;
}

/** Prints of the last hooves, each in its leg's colour and turned as the horse went; hind hooves are narrower. */
export class Trail {
  readonly group = new Group();
  private readonly mesh: InstancedMesh<ShapeGeometry, MeshBasicMaterial>;
  private readonly places = new Float64Array(HOOVES * 2);
  private readonly headings = new Float32Array(HOOVES);
  private readonly legs = new Uint8Array(HOOVES);
  private readonly sizes = new Float32Array(HOOVES);
  private count = 0;
  private originX = 0;
  private originZ = 0;

  constructor() {
    const shape = hoofPrint();
    const material = new MeshBasicMaterial({ transparent: true, opacity: 0.85, depthWrite: false });
    this.mesh = new InstancedMesh(shape, material, HOOVES);
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
    this.mesh.renderOrder = 2;
    this.group.add(this.mesh);
  }

  /** A hoof of leg 0..3 came down at world (x, z) [m] under an animal of this height that went this way [rad]. */
  add(leg: number, x: number, z: number, heading: number, height: number, look: Look): void {
    const at = this.count % HOOVES;
    this.headings[at] = heading;
    this.places[2 * at] = x;
    this.places[2 * at + 1] = z;
    this.legs[at] = leg;
    this.sizes[at] = height / 1.3;
    this.count += 1;
    this.mesh.count = Math.min(this.count, HOOVES);
    this.mesh.setColorAt(at, look.legs[leg] as Color);
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
    this.put(at);
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  paint(look: Look): void {
    for (let k = 0; k < this.mesh.count; k++) this.mesh.setColorAt(k, look.legs[this.legs[k] as number] as Color);
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  shift(originX: number, originZ: number): void {
    this.originX = originX;
    this.originZ = originZ;
    for (let k = 0; k < this.mesh.count; k++) this.put(k);
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  clear(): void {
    this.count = 0;
    this.mesh.count = 0;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.mesh.dispose();
  }

  private put(at: number): void {
    const size = this.sizes[at] as number;
    _matrix.makeRotationY(this.headings[at] as number);
    _matrix.scale(_size.set(size * ((this.legs[at] as number) < 2 ? 1 : 0.84), 1, size));
    // Later prints lie on top, so that they never fight for the same depth.
    _matrix.setPosition(
      this.places[2 * at]! - this.originX,
      0.006 + 0.00004 * (at % 50),
      this.places[2 * at + 1]! - this.originZ,
    );
    this.mesh.setMatrixAt(at, _matrix);
  }
}

/** The way of the root over the ground. */
export class Path {
  readonly line: Line<BufferGeometry, LineBasicMaterial>;
  private readonly places = new Float64Array(PATH * 2);
  private readonly drawn = new Float32Array(PATH * 3);
  private readonly attribute = new BufferAttribute(this.drawn, 3);
  private count = 0;
  private originX = 0;
  private originZ = 0;

  constructor() {
    const shape = new BufferGeometry();
    this.attribute.setUsage(DynamicDrawUsage);
    shape.setAttribute("position", this.attribute);
    this.line = new Line(shape, new LineBasicMaterial());
    this.line.frustumCulled = false;
    this.line.renderOrder = 2;
  }

  paint(look: Look): void {
    this.line.material.color.copy(look.ink);
  }

  add(x: number, z: number): void {
    const last = (this.count - 1) % PATH;
    if (this.count && Math.hypot(x - this.places[2 * last]!, z - this.places[2 * last + 1]!) < SPACING) return;
    const at = this.count % PATH;
    this.places[2 * at] = x;
    this.places[2 * at + 1] = z;
    this.count += 1;
    this.write();
  }

  shift(originX: number, originZ: number): void {
    this.originX = originX;
    this.originZ = originZ;
    this.write();
  }

  clear(): void {
    this.count = 0;
    this.write();
  }

  dispose(): void {
    this.line.geometry.dispose();
    this.line.material.dispose();
  }

  private write(): void {
    const kept = Math.min(this.count, PATH);
    for (let k = 0; k < kept; k++) {
      const at = (this.count - kept + k) % PATH;
      this.drawn[3 * k] = this.places[2 * at]! - this.originX;
      this.drawn[3 * k + 1] = 0.012;
      this.drawn[3 * k + 2] = this.places[2 * at + 1]! - this.originZ;
    }
    this.attribute.needsUpdate = true;
    this.line.geometry.setDrawRange(0, kept);
  }
}
