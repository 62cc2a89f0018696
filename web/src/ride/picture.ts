/** Picture: the horse as it is drawn: stage, camera, detail, skin, and the frames that it is drawn from. */
import { byId, Segmented, title } from "../dom";
import { Pointer } from "../input/pointer";
import { recall, remember } from "../memory";
import type { Hello, State } from "../messages";
import { CAMERAS, type CameraMode } from "../scene/camera";
import { type Choice, drawnInSoftware, type Level, Quality, storedChoice, storedLevel } from "../scene/quality";
import { makeRig, type Rig, sameRig } from "../scene/rig";
import { fetchSkin } from "../scene/skin";
import { type Shown, Stage } from "../scene/stage";
import { Frames, Pose } from "./pose";

/** A skin with fewer corners than this is only bones. */
const BARE = 6000;

export class Picture {
  readonly stage: Stage;
  readonly quality: Quality;
  readonly shown: Shown = { trail: true, skeleton: false, axes: false, path: false, targets: false, locks: false };
  choice: Choice = storedChoice();
  frames = new Frames(60);
  pose = new Pose(0);
  /** Whether the horse has its skin. */
  skinned = false;
  /** Number of the frame that is on the screen. */
  drawn = -1;
  private rig: Rig | null = null;
  private skinOf = "";
  private readonly element = byId("stage", HTMLElement);
  private readonly cameras: Segmented<CameraMode>;

  constructor(
    private readonly detailChanged: () => void,
    private readonly complain: (text: string) => void,
  ) {
    let attach: (canvas: HTMLCanvasElement) => void = () => undefined;
    this.stage = new Stage(byId("picture", HTMLElement), storedLevel() ?? "low", (canvas) => attach(canvas));
    const pointer = new Pointer(this.stage.camera, () => undefined);
    attach = (canvas) => pointer.attach(canvas);
    pointer.attach(this.stage.canvas);
    const start = storedLevel() ?? (drawnInSoftware(this.stage.context) ? "low" : "medium");
    this.quality = new Quality(this.choice, start, (level) => this.setLevel(level));
    this.stage.setLevel(this.quality.level);
    this.cameras = new Segmented<CameraMode>("Camera", CAMERAS.map((mode) => [mode, title(mode)] as const), (mode) => this.look(mode), byId("cameras", HTMLElement));
    const camera = recall("camera");
    this.look(CAMERAS.find((mode) => mode === camera && mode !== "orbit") ?? "follow");
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  /** Another skeleton needs another figure. */
  adopt(hello: Hello): void {
    const bones = hello.skeleton;
    const toes = ["LF", "RF", "LH", "RH"].map((leg, k) => (bones.legs.find((one) => one.name === leg) ?? bones.legs[k])?.toe ?? 0);
    const rig = makeRig(bones.names, bones.parents, bones.offsets.flat(), toes as [number, number, number, number], bones.height);
    if (this.rig && sameRig(this.rig, rig)) return;
    this.rig = rig;
    this.stage.setRig(rig);
    this.pose = new Pose(bones.names.length);
    this.frames = new Frames(hello.rate);
    this.skinOf = "";
    this.skinned = false;
  }

  /** Fetch the skin in the coat that is worn, at the detail that is drawn. */
  async wear(hello: Hello | null, state: State | null): Promise<void> {
    const rig = this.rig;
    if (!hello || !rig || !state) return;
    const level = this.quality.level;
    const wanted = `${hello.skin} ${state.coat} ${level}`;
    if (wanted === this.skinOf) return;
    this.skinOf = wanted;
    try {
      const skin = await fetchSkin(hello.skin, state.coat, level, rig);
      if (this.skinOf !== wanted || this.rig !== rig) return;
      // A file of bare bones is less than the capsules that are there already.
      if (skin.index.length < BARE) return;
      this.stage.dress(skin);
      this.skinned = true;
    } catch (problem) {
      this.complain(`The horse is shown without its skin: ${problem instanceof Error ? problem.message : String(problem)}.`);
    }
  }

  /** Draw the present moment, `ms` after the last; false where there is nothing yet. */
  draw(ms: number): boolean {
    const frame = this.frames.latest;
    if (!frame || !this.frames.write(this.pose, performance.now(), this.quality.mean < 25)) return false;
    this.stage.draw(this.pose, Math.min(0.1, ms / 1000));
    this.drawn = frame.number;
    return true;
  }

  look(mode: CameraMode): void {
    this.stage.camera.choose(mode);
    this.cameras.show(mode);
    remember("camera", mode);
  }

  nextCamera(): void {
    this.look(CAMERAS[(CAMERAS.indexOf(this.stage.camera.mode) + 1) % CAMERAS.length] as CameraMode);
  }

  show(mark: keyof Shown, on: boolean): void {
    this.shown[mark] = on;
    this.stage.show(this.shown);
  }

  /** The rider's choice of detail; "auto" leaves it to the frame times. */
  choose(choice: Choice): void {
    this.choice = choice;
    remember("preset", choice === "auto" ? null : choice);
    this.quality.choose(choice);
  }

  fit(): void {
    // On a narrow page the panel lies over the stage.
    const drawer = byId("panel", HTMLElement);
    const over = drawer.getBoundingClientRect().left < this.element.getBoundingClientRect().right - 1;
    const wide = drawer.dataset["open"] === "true" && over ? drawer.clientWidth : 0;
    const covered = wide < 0.6 * this.element.clientWidth ? wide : 0;
    this.element.style.setProperty("--covered", `${covered}px`);
    this.stage.resize(this.element.clientWidth, this.element.clientHeight, covered);
  }

  private setLevel(level: Level): void {
    this.stage.setLevel(level);
    remember("level", level);
    this.fit();
    this.detailChanged();
  }
}
