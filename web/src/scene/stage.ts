/** Stage: renderer, light, ground, sky and horse about a floating origin; draws one pose a frame. */
import {
  DirectionalLight,
  Fog,
  HemisphereLight,
  PCFShadowMap,
  Scene,
  Vector3,
  WebGLRenderer,
} from "three";
import { EVENTS, type Frame } from "../messages";
import type { Pose } from "../ride/pose";
import { CameraRig } from "./camera";
import { Ground } from "./ground";
import { Dust } from "./dust";
import { Horse } from "./horse";
import { DARK, LIGHT, type Look } from "./look";
import { Marks } from "./marks";
import { Path, Trail } from "./prints";
import { PRESETS, type Level } from "./quality";
import type { Rig, SkinArrays } from "./rig";
import { Shade } from "./shade";
import { Sky } from "./sky";
import { Tufts } from "./tufts";

/** The origin moves in steps of this size, a whole number of grid squares [m]. */
const ORIGIN_STEP = 100;
/** Light comes from here, seen from the horse [m]. */
const SUN = new Vector3(4, 9, 3);
/** Half the side of what casts a shadow, in withers heights. */
const SHADOW_REACH = 2.2;

export interface Shown {
  trail: boolean;
  skeleton: boolean;
  axes: boolean;
  path: boolean;
  targets: boolean;
  locks: boolean;
}

const _toe = new Vector3();

export class Stage {
  readonly camera = new CameraRig();
  canvas: HTMLCanvasElement;
  private renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly sun = new DirectionalLight();
  private readonly air = new HemisphereLight();
  private readonly ground = new Ground();
  private readonly sky = new Sky();
  private readonly trail = new Trail();
  private readonly path = new Path();
  private readonly dust = new Dust();
  private readonly shade = new Shade();
  private readonly tufts = new Tufts();
  private horse: Horse | null = null;
  private marks: Marks | null = null;
  private look: Look = LIGHT;
  private level: Level = "low";
  private shown: Shown = { trail: true, skeleton: false, axes: false, path: false, targets: false, locks: false };
  private originX = 0;
  private originZ = 0;
  private width = 1;
  private height = 1;
  private covered = 0;

  /** `made` is told of every new canvas: a preset with other smoothing needs another one. */
  constructor(
    private readonly parent: HTMLElement,
    level: Level,
    private readonly made: (canvas: HTMLCanvasElement) => void,
  ) {
    this.scene.fog = new Fog(0xffffff, 25, 190);
    this.sun.position.copy(SUN);
    this.sun.shadow.bias = -0.0006;
    this.sun.shadow.normalBias = 0.02;
    this.sun.shadow.radius = 4;
    this.sun.shadow.intensity = 0.8;
    this.scene.add(this.sun, this.sun.target, this.air, this.ground.group, this.sky.group);
    this.scene.add(this.trail.group, this.path.line, this.shade.group, this.tufts.mesh, this.dust.points);
    this.level = level;
    this.renderer = this.makeRenderer();
    this.canvas = this.renderer.domElement;
    this.applyPreset();
    this.paint("light");
  }

  get context(): WebGLRenderingContext | WebGL2RenderingContext {
    return this.renderer.getContext();
  }

  /** Another skeleton: bones and figure are made anew. */
  setRig(rig: Rig): void {
    this.horse?.dispose();
    this.marks?.dispose();
    this.horse = new Horse(rig);
    this.horse.shading = PRESETS[this.level].fine;
    this.marks = new Marks(this.horse);
    this.marks.paint(this.look);
    this.scene.add(this.horse.group, this.marks.group);
    this.show(this.shown);
  }

  dress(skin: SkinArrays): void {
    this.horse?.dress(skin);
    this.show(this.shown);
  }

  paint(name: "light" | "dark"): void {
    const look = name === "light" ? LIGHT : DARK;
    this.look = look;
    (this.scene.fog as Fog).color.copy(look.skyLow);
    this.scene.background = look.skyLow;
    this.sun.color.copy(look.sun);
    this.sun.intensity = look.sunPower;
    this.air.color.copy(look.skyLow);
    this.air.groundColor.copy(look.bounce);
    this.air.intensity = look.skyPower;
    this.ground.paint(look);
    this.sky.paint(look);
    this.trail.paint(look);
    this.path.paint(look);
    this.tufts.paint(look);
    this.shade.paint(look);
    this.dust.paint(look);
    this.marks?.paint(look);
  }

  show(shown: Shown): void {
    this.shown = { ...shown };
    this.trail.group.visible = shown.trail;
    this.path.line.visible = shown.path;
    if (this.horse) this.horse.faint = shown.skeleton || shown.axes;
    this.marks?.show(shown.skeleton, shown.axes, shown.targets, shown.locks);
  }

  /** Switch to a preset; the canvas is made anew where its smoothing is another. */
  setLevel(level: Level): void {
    const again = PRESETS[level].smooth !== PRESETS[this.level].smooth;
    this.level = level;
    if (again) {
      const old = this.renderer;
      this.renderer = this.makeRenderer();
      old.domElement.remove();
      old.dispose();
      old.forceContextLoss();
      this.canvas = this.renderer.domElement;
    }
    this.applyPreset();
  }

  /** In CSS pixels; `covered` of them at the right lie under a panel, and the horse stands beside it. */
  resize(width: number, height: number, covered = this.covered): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.covered = covered;
    const { pixels } = PRESETS[this.level];
    this.renderer.setPixelRatio(Math.min(pixels, pixels < 1 ? pixels * window.devicePixelRatio : window.devicePixelRatio));
    this.renderer.setSize(this.width, this.height, false);
    const { camera } = this.camera;
    if (covered > 0) camera.setViewOffset(this.width, this.height, covered / 2, 0, this.width, this.height);
    else camera.clearViewOffset();
  }

  clearPrints(): void {
    this.trail.clear();
    this.path.clear();
    this.dust.clear();
  }

  /** Leave the prints of a frame, drawn or not: none may be missing from the trail. */
  print(frame: Frame): void {
    const rig = this.horse?.rig;
    if (!rig) return;
    for (let leg = 0; leg < 4; leg++) {
      if (!(frame.events & (EVENTS.touchdown << leg))) continue;
      const toe = 3 * (rig.toes[leg] as number);
      const x = frame.root[0]! + frame.positions[toe]!;
      const z = frame.root[2]! + frame.positions[toe + 2]!;
      this.trail.add(leg, x, z, frame.heading, frame.height, this.look);
      if (this.dust.points.visible) this.dust.add(x, z, frame.heading, frame.speed);
    }
  }

  /** Draw a pose `dt` seconds after the last. */
  draw(pose: Pose, dt: number): void {
    const horse = this.horse;
    if (!horse) return;
    this.rebase(pose.root[0]!, pose.root[2]!);
    const x = pose.root[0]! - this.originX;
    const z = pose.root[2]! - this.originZ;
    horse.apply(pose, this.originX, this.originZ);
    horse.group.updateMatrixWorld(true);
    if (this.path.line.visible) this.path.add(pose.root[0]!, pose.root[2]!);
    if (this.shade.group.visible) this.shade.update(horse, _toe);
    this.marks?.update(pose, this.originX, this.originZ);
    this.camera.follow(x, pose.root[1]!, z, pose.heading, pose.height, dt, this.width / this.height);
    this.ground.follow(x, z, this.originX, this.originZ);
    this.ground.face(this.camera.azimuth);
    if (this.dust.points.visible) this.dust.rise(dt, this.originX, this.originZ, this.height * this.renderer.getPixelRatio());
    if (this.tufts.mesh.visible) this.tufts.follow(pose.root[0]!, pose.root[2]!, this.originX, this.originZ);
    this.sky.group.position.copy(this.camera.camera.position).setY(0);
    this.light(x, pose.root[1]!, z, pose.height);
    this.renderer.render(this.scene, this.camera.camera);
  }

  dispose(): void {
    this.horse?.dispose();
    this.marks?.dispose();
    this.ground.dispose();
    this.sky.dispose();
    this.trail.dispose();
    this.path.dispose();
    this.shade.dispose();
    this.tufts.dispose();
    this.dust.dispose();
    this.renderer.dispose();
  }

  private makeRenderer(): WebGLRenderer {
    const renderer = new WebGLRenderer({ antialias: PRESETS[this.level].smooth, powerPreference: "high-performance" });
    renderer.shadowMap.type = PCFShadowMap;
    renderer.domElement.tabIndex = 0;
    renderer.domElement.setAttribute("role", "img");
    renderer.domElement.setAttribute("aria-label", "The horse on its ground. Drag to look around, wheel to come nearer.");
    this.parent.append(renderer.domElement);
    this.made(renderer.domElement);
    return renderer;
  }

  private applyPreset(): void {
    const preset = PRESETS[this.level];
    this.renderer.shadowMap.enabled = preset.shadow > 0;
    this.sun.castShadow = preset.shadow > 0;
    if (preset.shadow > 0) {
      this.sun.shadow.mapSize.set(preset.shadow, preset.shadow);
      this.sun.shadow.map?.dispose();
      this.sun.shadow.map = null;
    }
    this.ground.shadows = preset.shadow > 0;
    this.shade.group.visible = preset.shadow === 0;
    this.tufts.mesh.visible = preset.tufts;
    this.dust.points.visible = preset.tufts;
    if (this.horse) this.horse.shading = preset.fine;
    this.resize(this.width, this.height);
  }

  private rebase(x: number, z: number): void {
    if (Math.abs(x - this.originX) < ORIGIN_STEP && Math.abs(z - this.originZ) < ORIGIN_STEP) return;
    this.originX = Math.round(x / ORIGIN_STEP) * ORIGIN_STEP;
    this.originZ = Math.round(z / ORIGIN_STEP) * ORIGIN_STEP;
    this.trail.shift(this.originX, this.originZ);
    this.path.shift(this.originX, this.originZ);
    this.tufts.shift();
  }

  private light(x: number, y: number, z: number, height: number): void {
    this.sun.target.position.set(x, y, z);
    this.sun.position.set(x + SUN.x, y + SUN.y, z + SUN.z);
    if (!this.sun.castShadow) return;
    const eye = this.sun.shadow.camera;
    const reach = SHADOW_REACH * height;
    if (eye.right === reach) return;
    eye.left = eye.bottom = -reach;
    eye.right = eye.top = reach;
    eye.near = 1;
    eye.far = 30;
    eye.updateProjectionMatrix();
  }
}
