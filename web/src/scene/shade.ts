/** Shade: the soft spot under a horse where no shadow is cast, so that it never floats. */
import { CanvasTexture, Group, Mesh, MeshBasicMaterial, PlaneGeometry, SRGBColorSpace, type Vector3 } from "three";
import type { Horse } from "./horse";
import type { Look } from "./look";

/** Darkness of the spot under the body where a look asks for 1, and of those under the feet. */
const BODY = 0.42;
const FEET = 0.6;

export class Shade {
  readonly group = new Group();
  private readonly texture = new CanvasTexture(spot());
  private readonly shape = new PlaneGeometry(1, 1);
  private readonly body: Mesh<PlaneGeometry, MeshBasicMaterial>;
  private readonly feet: Mesh<PlaneGeometry, MeshBasicMaterial>[] = [];
  private strength = 1;

  constructor() {
    // Read as plain numbers the spot would be as bright as dark ground.
    this.texture.colorSpace = SRGBColorSpace;
    this.shape.rotateX(-Math.PI / 2);
    this.body = this.spot(BODY);
    for (let leg = 0; leg < 4; leg++) this.feet.push(this.spot(FEET));
  }

  paint(look: Look): void {
    this.strength = look.contact;
    this.body.material.opacity = look.contact * BODY;
  }

  update(horse: Horse, toe: Vector3): void {
    const { position, rotation, scale } = horse.group;
    this.body.position.set(position.x, position.y + 0.003, position.z);
    this.body.rotation.y = rotation.y;
    const size = horse.rig.height * scale.x;
    // The root is the croup; the middle of the body lies ahead of it.
    this.body.position.x += Math.sin(rotation.y) * 0.16 * size;
    this.body.position.z += Math.cos(rotation.y) * 0.16 * size;
    this.body.scale.set(0.95 * size, 1, 2.0 * size);
    for (let leg = 0; leg < 4; leg++) {
      const foot = this.feet[leg] as Mesh<PlaneGeometry, MeshBasicMaterial>;
      horse.where(horse.rig.toes[leg] as number, toe);
      const lift = Math.max(0, toe.y - position.y);
      foot.position.set(toe.x, position.y + 0.004, toe.z);
      foot.scale.setScalar((0.24 + 0.6 * lift) * size);
      foot.material.opacity = Math.min(0.95, this.strength * FEET) * Math.max(0, 1 - 3 * lift);
    }
  }

  dispose(): void {
    this.texture.dispose();
    this.shape.dispose();
    this.body.material.dispose();
    for (const foot of this.feet) foot.material.dispose();
  }

  private spot(opacity: number): Mesh<PlaneGeometry, MeshBasicMaterial> {
    const material = new MeshBasicMaterial({ map: this.texture, transparent: true, depthWrite: false, opacity });
    const mesh = new Mesh(this.shape, material);
    mesh.renderOrder = 1;
    this.group.add(mesh);
    return mesh;
  }
}

function spot(): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d");
  if (pen) {
    const fade = pen.createRadialGradient(32, 32, 2, 32, 32, 32);
    fade.addColorStop(0, "rgba(12,10,8,0.95)");
    fade.addColorStop(0.5, "rgba(12,10,8,0.45)");
    fade.addColorStop(1, "rgba(12,10,8,0)");
    pen.fillStyle = fade;
    pen.fillRect(0, 0, 64, 64);
  }
  return canvas;
}
