/** Ground: a level plane around the horse with lines every metre and every five, lit and shadowed. */
import {
  CanvasTexture,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  PlaneGeometry,
  type IUniform,
  Color,
  Group,
  SRGBColorSpace,
} from "three";
import type { Look } from "./look";

/** Half the side of the plane [m]; the fog ends before it. */
const REACH = 400;
/** Distance between the bold lines [m]. */
export const GRID = 5;
/** Ground numbers lie along the next few bold lines to each side. */
const LABELS = 5;

const VERTEX = `#include <begin_vertex>
vGround = (modelMatrix * vec4(transformed, 1.0)).xz;`;
const FRAGMENT = `#include <color_fragment>
vec2 bold = vGround / ${GRID.toFixed(1)};
vec2 boldWidth = fwidth(bold) + 1e-6;
vec2 boldFar = abs(fract(bold - 0.5) - 0.5) / boldWidth;
float boldLine = (1.0 - min(min(boldFar.x, boldFar.y) / 1.4, 1.0)) * (1.0 - smoothstep(0.25, 0.9, max(boldWidth.x, boldWidth.y)));
vec2 fineWidth = boldWidth * ${GRID.toFixed(1)};
vec2 fineFar = abs(fract(vGround - 0.5) - 0.5) / fineWidth;
float fineLine = (1.0 - min(min(fineFar.x, fineFar.y), 1.0)) * (1.0 - smoothstep(0.06, 0.3, max(fineWidth.x, fineWidth.y)));
diffuseColor.rgb = mix(diffuseColor.rgb, gridColour, max(boldLine * 0.62, fineLine * 0.2));`;

/** Metres (x, z) lying flat beside a crossing of bold lines, drawn out as road signs are, to be read from low. */
class Label {
  readonly mesh: Mesh<PlaneGeometry, MeshBasicMaterial>;
  private readonly canvas = document.createElement("canvas");
  private readonly texture: CanvasTexture;
  private shown = "";
  private ink = "";

  constructor(geometry: PlaneGeometry) {
    this.canvas.width = 128;
    this.canvas.height = 48;
    this.texture = new CanvasTexture(this.canvas);
    this.texture.colorSpace = SRGBColorSpace;
    this.mesh = new Mesh(
      geometry,
      new MeshBasicMaterial({ map: this.texture, transparent: true, depthWrite: false, opacity: 0.75 }),
    );
    this.mesh.renderOrder = 1;
  }

  write(text: string, ink: string): void {
    if (text === this.shown && ink === this.ink) return;
    this.shown = text;
    this.ink = ink;
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    pen.clearRect(0, 0, 128, 48);
    pen.fillStyle = ink;
    pen.font = "600 34px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(text, 64, 26);
    this.texture.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.material.dispose();
    this.texture.dispose();
  }
}

export class Ground {
  readonly group = new Group();
  private readonly plane: Mesh<PlaneGeometry, MeshLambertMaterial>;
  private readonly gridColour: IUniform<Color> = { value: new Color() };
  private readonly labels: Label[] = [];
  private readonly labelShape = new PlaneGeometry(1.0, 0.8);
  private cellX = Number.NaN;
  private cellZ = Number.NaN;
  private ink = "#26282c";
  private turned = 0;
  private rightX = 1;
  private rightZ = 0;

  constructor() {
    const shape = new PlaneGeometry(2 * REACH, 2 * REACH, 1, 1);
    shape.rotateX(-Math.PI / 2);
    // Shadows, prints and numbers lie millimetres above this plane, less than depth resolves over triangles so
    // large: the plane is painted after the sky and before all else, and leaves no depth to compete with.
    const material = new MeshLambertMaterial({ depthWrite: false });
    material.onBeforeCompile = (shader) => {
      shader.uniforms["gridColour"] = this.gridColour;
      shader.vertexShader = `varying vec2 vGround;\n${shader.vertexShader.replace("#include <begin_vertex>", VERTEX)}`;
      shader.fragmentShader = `varying vec2 vGround;\nuniform vec3 gridColour;\n${shader.fragmentShader.replace("#include <color_fragment>", FRAGMENT)}`;
    };
    this.plane = new Mesh(shape, material);
    this.plane.receiveShadow = true;
    this.plane.renderOrder = -0.5;
    this.labelShape.rotateX(-Math.PI / 2);
    this.group.add(this.plane);
    for (let k = 0; k < LABELS * LABELS; k++) {
      const label = new Label(this.labelShape);
      this.labels.push(label);
      this.group.add(label.mesh);
    }
  }

  paint(look: Look): void {
    this.plane.material.color.copy(look.ground);
    this.gridColour.value.copy(look.grid);
    this.ink = `#${look.grid.getHexString()}`;
    this.cellX = Number.NaN;
  }

  set shadows(on: boolean) {
    this.plane.receiveShadow = on;
    this.plane.material.needsUpdate = true;
  }

  /** Keep the plane and its numbers around the horse: x, z in the scene, the origin in the world [m]. */
  follow(x: number, z: number, originX: number, originZ: number): void {
    const cellX = Math.round(x / GRID);
    const cellZ = Math.round(z / GRID);
    const worldX = cellX * GRID + originX;
    const worldZ = cellZ * GRID + originZ;
    if (worldX === this.cellX && worldZ === this.cellZ) return;
    this.cellX = worldX;
    this.cellZ = worldZ;
    this.plane.position.set(cellX * GRID, 0, cellZ * GRID);
    const half = (LABELS - 1) / 2;
    for (let k = 0; k < this.labels.length; k++) {
      const i = (k % LABELS) - half;
      const j = Math.floor(k / LABELS) - half;
      const label = this.labels[k] as Label;
      label.mesh.position.set((cellX + i) * GRID + 0.6 * this.rightX - 0.45 * this.rightZ, 0.004, (cellZ + j) * GRID - 0.6 * this.rightZ - 0.45 * this.rightX);
      label.write(`${worldX + i * GRID}, ${worldZ + j * GRID}`, this.ink);
    }
  }

  /** Turn the numbers so that they read upright from the camera, in quarter turns. */
  face(azimuth: number): void {
    const turned = Math.round(azimuth / (Math.PI / 2)) * (Math.PI / 2);
    if (turned === this.turned) return;
    this.turned = turned;
    this.rightX = Math.cos(turned);
    this.rightZ = Math.sin(turned);
    for (const label of this.labels) label.mesh.rotation.y = turned;
    this.cellX = Number.NaN;
  }

  set numbers(on: boolean) {
    for (const label of this.labels) label.mesh.visible = on;
  }

  dispose(): void {
    this.plane.geometry.dispose();
    this.plane.material.dispose();
    this.labelShape.dispose();
    for (const label of this.labels) label.dispose();
  }
}
