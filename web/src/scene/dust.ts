/** Dust: what hooves stir up where they come down hard, a few soft puffs that rise, spread and are gone. */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Points, ShaderMaterial } from "three";
import type { Look } from "./look";

const PUFFS = 96;
/** A hoof that comes down slower than this stirs nothing [m/s]; at the upper one it stirs most. */
const SLOW = 2.5;
const FAST = 11;
/** A puff lasts so long [s]. */
const LIFE = 0.9;
const PUFFS_A_HOOF = 3;

const VERTEX = `
attribute float age;
attribute float strength;
uniform float pixels;
varying float shown;
void main() {
  vec4 seen = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * seen;
  gl_PointSize = pixels * (0.22 + 0.5 * sqrt(age)) * (0.6 + 0.4 * strength) / max(0.5, -seen.z);
  shown = age < 1.0 ? strength * (1.0 - age) * (1.0 - age) : 0.0;
}`;
const FRAGMENT = `
uniform vec3 tint;
varying float shown;
void main() {
  float off = 2.0 * length(gl_PointCoord - 0.5);
  float soft = shown * 0.34 * smoothstep(1.0, 0.0, off);
  if (soft < 0.004) discard;
  gl_FragColor = vec4(tint, soft);
  #include <colorspace_fragment>
}`;

export class Dust {
  readonly points: Points<BufferGeometry, ShaderMaterial>;
  private readonly places = new Float64Array(PUFFS * 3);
  private readonly drift = new Float32Array(PUFFS * 3);
  private readonly drawn = new BufferAttribute(new Float32Array(PUFFS * 3), 3).setUsage(DynamicDrawUsage);
  private readonly age = new BufferAttribute(new Float32Array(PUFFS).fill(1), 1).setUsage(DynamicDrawUsage);
  private readonly strength = new BufferAttribute(new Float32Array(PUFFS), 1).setUsage(DynamicDrawUsage);
  private count = 0;
  private alive = 0;

  constructor() {
    const shape = new BufferGeometry();
    shape.setAttribute("position", this.drawn).setAttribute("age", this.age).setAttribute("strength", this.strength);
    const material = new ShaderMaterial({
      uniforms: { tint: { value: null }, pixels: { value: 600 } },
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      transparent: true,
      depthWrite: false,
    });
    this.points = new Points(shape, material);
    this.points.frustumCulled = false;
    this.points.renderOrder = 3;
  }

  paint(look: Look): void {
    this.points.material.uniforms["tint"]!.value = look.dust;
  }

  /** A hoof came down at world (x, z) [m] under a horse that goes this way [rad] so fast [m/s]. */
  add(x: number, z: number, heading: number, speed: number): void {
    const strength = Math.min(1, (speed - SLOW) / (FAST - SLOW));
    if (strength <= 0) return;
    for (let k = 0; k < PUFFS_A_HOOF; k++) {
      const at = this.count++ % PUFFS;
      // Spread by the golden angle: never two alike, and no chance in it.
      const spread = 2.4 * this.count;
      this.places.set([x + 0.05 * Math.sin(spread), 0.03, z + 0.05 * Math.cos(spread)], 3 * at);
      const back = 0.05 * speed;
      this.drift.set([0.2 * Math.sin(spread) - back * Math.sin(heading), 0.2 + 0.1 * k, 0.2 * Math.cos(spread) - back * Math.cos(heading)], 3 * at);
      this.age.array[at] = 0;
      this.strength.array[at] = strength;
    }
    this.alive = LIFE;
  }

  /** Go on by dt [s]; `tall` is the height of the picture in drawn pixels. */
  rise(dt: number, originX: number, originZ: number, tall: number): void {
    if (this.alive <= 0) return;
    this.alive -= dt;
    this.points.material.uniforms["pixels"]!.value = tall;
    const drag = Math.exp(-3 * dt);
    for (let k = 0; k < PUFFS; k++) {
      this.age.array[k] = Math.min(1, this.age.array[k]! + dt / LIFE);
      for (let axis = 0; axis < 3; axis++) {
        this.places[3 * k + axis] = this.places[3 * k + axis]! + dt * this.drift[3 * k + axis]!;
        this.drift[3 * k + axis] = drag * this.drift[3 * k + axis]!;
      }
      this.drawn.setXYZ(k, this.places[3 * k]! - originX, this.places[3 * k + 1]!, this.places[3 * k + 2]! - originZ);
    }
    this.drawn.needsUpdate = this.age.needsUpdate = this.strength.needsUpdate = true;
  }

  clear(): void {
    this.age.array.fill(1);
    this.age.needsUpdate = true;
    this.alive = 0;
  }

  dispose(): void {
    this.points.geometry.dispose();
    this.points.material.dispose();
  }
}
