/** Sky: a dome that fades to the horizon and a ring of far hills, both without light or fog. */
import {
  BackSide,
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  Group,
  Mesh,
  MeshBasicMaterial,
  SphereGeometry,
} from "three";
import type { Look } from "./look";

const RADIUS = 450;
const HILLS = 360;

export class Sky {
  readonly group = new Group();
  private readonly dome: Mesh<SphereGeometry, MeshBasicMaterial>;
  private readonly hills: Mesh<BufferGeometry, MeshBasicMaterial>;

  constructor() {
    const shape = new SphereGeometry(RADIUS, 24, 24);
    shape.setAttribute("color", new BufferAttribute(new Float32Array(shape.attributes.position!.count * 3), 3));
    this.dome = new Mesh(
      shape,
      new MeshBasicMaterial({ vertexColors: true, side: BackSide, fog: false, depthWrite: false }),
    );
    this.dome.renderOrder = -2;
    this.hills = new Mesh(
      ridge(RADIUS * 0.9),
      new MeshBasicMaterial({ vertexColors: true, side: DoubleSide, fog: false, depthWrite: false }),
    );
    this.hills.renderOrder = -1;
    this.group.add(this.dome, this.hills);
  }

  paint(look: Look): void {
    const shape = this.dome.geometry;
    const places = shape.attributes.position!;
    const tints = shape.attributes.color as BufferAttribute;
    const tint = new Color();
    for (let k = 0; k < places.count; k++) {
      const up = Math.max(0, places.getY(k) / RADIUS);
      tint.copy(look.skyLow).lerp(look.skyHigh, Math.min(1, Math.pow(up * 1.5, 0.6)));
      tints.setXYZ(k, tint.r, tint.g, tint.b);
    }
    tints.needsUpdate = true;
    const slope = this.hills.geometry.attributes.color as BufferAttribute;
    for (let k = 0; k < slope.count; k++) {
      tint.copy(look.skyLow).lerp(look.hills, k % 2 ? 1 : 0.0);
      slope.setXYZ(k, tint.r, tint.g, tint.b);
    }
    slope.needsUpdate = true;
  }

  dispose(): void {
    this.dome.geometry.dispose();
    this.dome.material.dispose();
    this.hills.geometry.dispose();
    this.hills.material.dispose();
  }
}

/** A closed strip of low hills; every second vertex is a crest. */
function ridge(radius: number): BufferGeometry {
  const places = new Float32Array((HILLS + 1) * 6);
  const index: number[] = [];
  for (let k = 0; k <= HILLS; k++) {
    const angle = (k / HILLS) * 2 * Math.PI;
    const height = 9 + 6 * Math.sin(3 * angle + 0.6) + 4 * Math.sin(7 * angle + 2) + 2.5 * Math.sin(17 * angle);
    const x = radius * Math.sin(angle);
    const z = radius * Math.cos(angle);
    // Plains between the hills, entered without a corner.
    const crest = 2 + 1.5 * Math.log1p(Math.exp((height - 2) / 1.5));
    places.set([x, -2, z, x, crest, z], k * 6);
    if (k < HILLS) index.push(2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 1, 2 * k + 3, 2 * k + 2);
  }
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(places, 3));
  shape.setAttribute("color", new BufferAttribute(new Float32Array(places.length), 3));
  shape.setIndex(index);
  return shape;
}
