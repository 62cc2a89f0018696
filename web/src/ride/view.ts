/** Ride view: the horse, its instruments and controls, wired together; one of the studio's views. */
import { byId, Segmented, title } from "../dom";
import { Instruments } from "../hud/instruments";
import { Inks } from "../hud/legs";
import { Bindings } from "../input/bindings";
import { giveBackKeys } from "../input/focus";
import { Pad } from "../input/gamepad";
import { Keyboard } from "../input/keyboard";
import { Pointer } from "../input/pointer";
import { Link, type LinkState } from "../link";
import { recall, remember } from "../memory";
import { type ClientMessage, EVENTS, FLAGS, type Frame, type Hello, type ServerMessage, type Setup } from "../messages";
import { actionsOf, Help } from "../panel/help";
import { HorseTab, noJump } from "../panel/horsetab";
import { Notices } from "../panel/notices";
import { Panel } from "../panel/panel";
import { download, key, TakeTab } from "../panel/taketab";
import { Veil } from "../panel/veil";
import { ViewTab } from "../panel/viewtab";
import { CAMERAS, type CameraMode } from "../scene/camera";
import { type Choice, drawnInSoftware, type Level, Quality, storedChoice, storedLevel } from "../scene/quality";
import { makeRig, type Rig, sameRig } from "../scene/rig";
import { fetchSkin } from "../scene/skin";
import { type Shown, Stage } from "../scene/stage";
import { Sound } from "../sound";
import { Store } from "../store";
import { Theme } from "../theme";
import { Frames, Pose } from "./pose";
import { Rider } from "./rider";
import type { RideState } from "./state";

/** A skin with fewer corners than this is only bones. */
const BARE = 6000;

/** Words beside the picture change at most so often [ms]. */
const CALM = 300;

/** Deeds that are commands to the horse. */
const RIDING = new Set(["forward", "brake", "left", "right", "tightLeft", "tightRight", "gaitUp", "gaitDown", "faster", "slower", "lead", "jump", "reset"]);

export class RideView {
  private readonly store = new Store();
  private readonly bindings = new Bindings();
  private readonly keys: Keyboard;
  private readonly pad: Pad;
  private readonly rider: Rider;
  private readonly inks = new Inks();
  private readonly sound = new Sound();
  private readonly stage: Stage;
  private readonly quality: Quality;
  private readonly link: Link;
  private readonly theme: Theme;
  private readonly instruments: Instruments;
  private readonly horseTab: HorseTab;
  private readonly viewTab: ViewTab;
  private readonly takeTab: TakeTab;
  private readonly panel: Panel;
  private readonly help: Help;
  private readonly notices: Notices;
  private readonly veil: Veil;
  private readonly cameras: Segmented<CameraMode>;
  private readonly helpSheet = byId("help", HTMLDialogElement);
  private readonly stageElement = byId("stage", HTMLElement);
  private readonly fpsNote = byId("fps-note", HTMLElement);
  private readonly soundButton = byId("sound", HTMLButtonElement);
  private readonly shown: Shown = { trail: true, skeleton: false, axes: false, path: false, targets: false, locks: false };
  private choice: Choice;
  private frames = new Frames(60);
  private pose = new Pose(0);
  private rig: Rig | null = null;
  private skinOf = "";
  private skinned = false;
  private drawn = -1;
  private last = 0;
  private turns = 0;
  private told = 0;
  private wasRecording = false;
  /** A ride was just taken up: its own command holds until a frame has told it. */
  private takingUp = true;
  private downloads = new Set<string>();

  constructor() {
    this.keys = new Keyboard(this.bindings, {
      deed: (id) => this.deed(id),
      number: (n) => this.act(n),
      changed: () => this.ask(),
    }, () => this.helpSheet.open);
    this.pad = new Pad({ padButton: (id) => this.deed(id) });
    this.rider = new Rider(this.keys, this.pad);
    const touched = (): void => this.touched();
    const transport = {
      pause: () => this.deed("pause"),
      step: () => this.deed("step"),
      pace: (pace: number) => this.send({ type: "clock", pace }),
      record: () => this.deed("record"),
    };
    this.instruments = new Instruments(this.rider, this.inks, transport, touched);
    this.notices = new Notices(byId("chips", HTMLElement), byId("toasts", HTMLElement), byId("hint", HTMLElement));
    this.veil = new Veil(byId("veil", HTMLElement), () => this.link.retryNow(true), () => this.link.startOver());
    this.choice = storedChoice();
    let attach: (canvas: HTMLCanvasElement) => void = () => undefined;
    this.stage = new Stage(byId("picture", HTMLElement), storedLevel() ?? "low", (canvas) => attach(canvas));
    const pointer = new Pointer(this.stage.camera, () => undefined);
    attach = (canvas) => pointer.attach(canvas);
    pointer.attach(this.stage.canvas);
    const start = storedLevel() ?? (drawnInSoftware(this.stage.context) ? "low" : "medium");
    this.quality = new Quality(this.choice, start, (level) => this.setLevel(level));
    this.stage.setLevel(this.quality.level);
    this.horseTab = new HorseTab(this.store, this.rider, (change) => this.setup(change), (id) => this.deed(id), touched);
    this.viewTab = new ViewTab((mark, on) => this.show(mark, on), (choice) => this.choose(choice));
    this.takeTab = new TakeTab(this.store, (message) => this.send(message), (text) => this.notices.toast(text, "alarm"));
    this.panel = new Panel(
      byId("panel", HTMLElement),
      byId("panel-open", HTMLButtonElement),
      [["Horse", this.horseTab.element], ["View", this.viewTab.element], ["Take", this.takeTab.element]],
      () => this.fit(),
    );
    this.help = new Help(this.helpSheet, this.bindings, () => this.store.method, () => this.keys.letGo());
    this.cameras = new Segmented<CameraMode>("Camera", CAMERAS.map((mode) => [mode, title(mode)] as const), (mode) => this.look(mode), byId("cameras", HTMLElement));
    this.theme = new Theme(byId("theme", HTMLButtonElement), byId("theme-name", HTMLElement), (look) => {
      this.inks.read();
      this.stage.paint(look);
    });
    this.stage.paint(this.theme.look);
    this.wire();
    this.link = new Link({
      message: (message) => this.take(message),
      frame: (frame) => this.frameCame(frame),
      state: (state, why) => this.linkIs(state, why),
    });
    requestAnimationFrame((now) => this.loop(now));
  }

  state(): RideState {
    const frame = this.frames.latest;
    const hello = this.store.hello;
    return {
      connected: this.link.state === "live",
      session: hello?.session ?? null,
      method: hello?.method ?? "",
      speed: frame?.speed ?? 0,
      wanted: frame?.wanted_speed ?? 0,
      turn: frame?.turn ?? 0,
      heading: frame?.heading ?? 0,
      gait: hello?.gaits[frame?.gait ?? 0] ?? "",
      next: hello?.gaits[frame?.next ?? 0] ?? "",
      phase: frame ? [...frame.phase] : [],
      contacts: frame ? [...frame.contacts] : [],
      position: frame ? [...frame.root] : [],
      frame: frame?.number ?? -1,
      command: frame?.command ?? 0,
      sent: this.rider.number,
      fps: this.quality.fps,
      preset: this.quality.level,
      camera: this.stage.camera.mode,
      recording: this.store.state?.recording != null,
      paused: this.store.state?.paused ?? false,
      skin: this.skinned,
    };
  }

  /** Number of the frame that is on the screen, and of the command it follows. */
  get onScreen(): { frame: number; command: number } {
    return { frame: this.drawn, command: this.pose.frame?.command ?? 0 };
  }

  // ---- from the server

  private take(message: ServerMessage): void {
    switch (message.type) {
      case "hello":
        this.store.hello = message;
        this.adopt(message);
        break;
      case "state":
        this.store.state = message;
        this.showState();
        break;
      case "recordings":
        this.store.recordings = message.recordings;
        this.takeTab.showRecordings();
        break;
      case "export": {
        const id = key(message.recording, message.format, message.in_place);
        this.store.exports.set(id, message);
        this.takeTab.showExports();
        if (message.state === "done" && message.url && this.downloads.delete(id)) download(message.url, "");
        if (message.state === "failed") this.notices.toast(message.error ?? "The file could not be made.", "alarm");
        break;
      }
      case "problem":
        this.notices.toast(message.text, "alarm");
        break;
      default:
        break;
    }
  }

  private adopt(hello: Hello): void {
    const bones = hello.skeleton;
    const toes = ["LF", "RF", "LH", "RH"].map((leg, k) => (bones.legs.find((one) => one.name === leg) ?? bones.legs[k])?.toe ?? 0);
    const rig = makeRig(bones.names, bones.parents, bones.offsets.flat(), toes as [number, number, number, number], bones.height);
    if (!this.rig || !sameRig(this.rig, rig)) {
      this.rig = rig;
      this.stage.mount(rig);
      this.pose = new Pose(bones.names.length);
      this.frames = new Frames(hello.rate);
      this.skinOf = "";
      this.skinned = false;
    }
    const method = this.store.method;
    if (method) this.rider.adopt(method);
    this.instruments.adopt(hello, method);
    this.horseTab.showHello();
    this.takeTab.showExports();
    this.showState();
    this.ask();
  }

  /** Go on with what the server was last told, here or before the page was loaded again. */
  private takeUp(frame: Frame, hello: Hello): void {
    this.takingUp = false;
    if (hello.resumed === "kept" && this.rider.number === 0 && !(frame.flags & FLAGS.plan)) this.rider.setCruise(frame.wanted_speed);
    this.rider.number = Math.max(this.rider.number, frame.command);
    this.rider.forget();
    if (hello.resumed === "restored") {
      this.rider.halt();
      this.notices.toast("The server was started anew. The horse stands where it was; takes were kept.");
    }
  }

  private frameCame(frame: Frame): void {
    const hello = this.store.hello;
    if (!hello || frame.joints !== hello.skeleton.names.length) return;
    if (this.takingUp) this.takeUp(frame, hello);
    // While paused the same moment comes again and again, perhaps with another horse.
    if (this.frames.replace(frame)) return;
    this.frames.push(frame, performance.now());
    this.instruments.push(frame);
    this.stage.print(frame);
    if (!(frame.flags & FLAGS.paused))
      for (let leg = 0; leg < 4; leg++) if (frame.events & (EVENTS.touchdown << leg)) this.sound.beat(leg, frame.speed);
  }

  private showState(): void {
    const state = this.store.state;
    if (!state) return;
    this.instruments.showState(state);
    this.horseTab.showState();
    this.takeTab.showState();
    if (this.wasRecording && state.recording === null) {
      this.panel.choose("Take");
      this.panel.open(true);
      this.takeTab.showNewest();
    }
    this.wasRecording = state.recording !== null;
    void this.wear();
  }

  private async wear(): Promise<void> {
    const { hello, state } = this.store;
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
      this.notices.toast(`The horse is shown without its skin: ${problem instanceof Error ? problem.message : String(problem)}.`, "alarm");
    }
  }

  private linkIs(state: LinkState, why: string): void {
    const element = byId("link", HTMLElement);
    element.dataset["state"] = state === "live" ? "live" : state === "opening" ? "opening" : "lost";
    byId("link-text", HTMLElement).textContent = { opening: "Connecting", live: "Connected", lost: "Reconnecting", ended: "Not connected" }[state];
    byId("ride", HTMLElement).dataset["link"] = state;
    if (state === "live") this.frames.clear();
    else this.veil.show(state === "opening" ? "loading" : state, why);
    if (state !== "live") this.takingUp = true;
  }

  // ---- from the rider

  private deed(id: string): void {
    const state = this.store.state;
    const rider = this.rider;
    switch (id) {
      case "brake": rider.halt(); break;
      case "gaitUp": rider.shift(1); break;
      case "gaitDown": rider.shift(-1); break;
      case "faster": rider.nudge(1); break;
      case "slower": rider.nudge(-1); break;
      case "lead": rider.lead = rider.lead === "turn" ? "left" : rider.lead === "left" ? "right" : "turn"; this.notices.toast(`Lead: ${rider.lead === "turn" ? "by the turn" : rider.lead}.`); break;
      case "jump": if (!rider.askJump()) this.notices.toast(noJump(this.store.hello?.methods.filter((one) => one.jumps).map((one) => one.name) ?? [])); break;
      case "pause": this.send({ type: "clock", paused: !state?.paused }); break;
      case "step": if (state?.paused) this.send({ type: "step", frames: 1 }); break;
      case "slow": this.nextPace(); break;
      case "camera": this.look(CAMERAS[(CAMERAS.indexOf(this.stage.camera.mode) + 1) % CAMERAS.length] as CameraMode); break;
      case "recentre": this.stage.camera.reset(); break;
      case "skeleton": this.show("skeleton", !this.shown.skeleton); break;
      case "trail": this.show("trail", !this.shown.trail); break;
      case "mute": this.mute(); break;
      case "record": this.send({ type: "record", on: state?.recording == null }); break;
      case "reset": rider.halt(); this.send({ type: "reset" }); this.stage.clearPrints(); break;
      case "setup": this.panel.open(!this.panel.isOpen); break;
      case "help": this.help.toggle(); break;
      default: break;
    }
    if (RIDING.has(id)) this.touched();
  }

  private act(n: number): void {
    const action = this.rider.method?.actions[n - 1];
    if (action) this.rider.action = this.rider.action === action ? null : action;
    else this.notices.toast(`${title(this.rider.method?.name ?? "This method")} has no action ${n}; it has ${actionsOf(this.rider.method)}.`);
    this.touched();
  }

  private nextPace(): void {
    const paces = [...(this.store.hello?.paces ?? [1])].sort((a, b) => b - a);
    const at = paces.indexOf(this.store.state?.pace ?? 1);
    this.send({ type: "clock", pace: paces[(at + 1) % paces.length] as number });
  }

  private mute(): void {
    const on = this.sound.toggle();
    this.soundButton.setAttribute("aria-pressed", String(on));
  }

  private setup(change: Omit<Setup, "type">): void {
    this.send({ type: "setup", ...change });
  }

  private look(mode: CameraMode): void {
    this.stage.camera.choose(mode);
    this.cameras.show(mode);
    remember("camera", mode);
  }

  private show(mark: keyof Shown, on: boolean): void {
    this.shown[mark] = on;
    this.stage.show(this.shown);
    this.viewTab.showMarks(this.shown);
  }

  private choose(choice: Choice): void {
    this.choice = choice;
    remember("preset", choice === "auto" ? null : choice);
    this.quality.choose(choice);
  }

  private setLevel(level: Level): void {
    this.stage.setLevel(level);
    remember("level", level);
    this.fit();
    void this.wear();
  }

  private send(message: ClientMessage): void {
    if (message.type === "export") this.downloads.add(key(message.recording, message.format, message.in_place ?? false));
    if (!this.link.send(message)) this.notices.toast("Not now: the server is away.", "alarm");
  }

  private get planned(): boolean {
    return this.store.state?.plan != null;
  }

  /** The rider has done something: it holds, also against a plan that wants the same just now. */
  private touched(): void {
    if (this.planned) this.rider.forget();
    this.ask(true);
  }

  /** Send the command at once where it has changed: what waits for the next picture is late. */
  private ask(meant = false): void {
    if (!this.link || this.link.state !== "live" || this.takingUp) return;
    // Whoever commands ends a plan; a page that only tells again what it wants shall not.
    const kept = this.rider.lost && this.planned && !meant;
    const command = this.rider.next();
    if (!command || kept) return;
    this.link.send(command);
    if ((command.speed ?? 0) > 0.5) this.notices.ridden();
  }

  // ---- the picture

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    const ms = this.last ? now - this.last : 16;
    this.last = now;
    this.quality.tick(ms);
    this.turns += 1;
    this.pad.read();
    if (this.pad.lookX || this.pad.lookY) this.stage.camera.turn(-0.0025 * ms * this.pad.lookX, 0.0018 * ms * this.pad.lookY);
    this.ask();
    const frame = this.frames.latest;
    const hello = this.store.hello;
    if (!frame || !hello || !this.frames.write(this.pose, performance.now(), this.quality.mean < 25)) return;
    this.stage.draw(this.pose, Math.min(0.1, ms / 1000));
    this.drawn = frame.number;
    // Half as often where pictures are slow: the horse goes first.
    if (this.quality.mean < 22 || this.turns % 2) this.instruments.draw(frame, hello, now);
    if (now - this.told > CALM) this.slowly(frame, now);
    if (this.link.state === "live") this.veil.show("none");
  }

  private slowly(frame: Frame, now: number): void {
    this.told = now;
    this.notices.show(this.store.state, frame);
    this.horseTab.showRider();
    this.viewTab.showQuality(this.choice, this.quality.level, this.quality.fps);
    const note = this.quality.mean ? `${Math.round(this.quality.fps)} fps` : "";
    if (this.fpsNote.textContent !== note) this.fpsNote.textContent = note;
  }

  private fit(): void {
    if (!this.stage) return;
    // On a narrow page the panel lies over the stage.
    const drawer = byId("panel", HTMLElement);
    const over = drawer.getBoundingClientRect().left < this.stageElement.getBoundingClientRect().right - 1;
    const wide = drawer.dataset["open"] === "true" && over ? drawer.clientWidth : 0;
    const covered = wide < 0.6 * this.stageElement.clientWidth ? wide : 0;
    this.stageElement.style.setProperty("--covered", `${covered}px`);
    this.stage.resize(this.stageElement.clientWidth, this.stageElement.clientHeight, covered);
  }

  private wire(): void {
    new ResizeObserver(() => this.fit()).observe(this.stageElement);
    this.soundButton.setAttribute("aria-pressed", String(this.sound.on));
    this.soundButton.addEventListener("click", () => this.mute());
    byId("help-open", HTMLButtonElement).addEventListener("click", () => this.help.toggle());
    const camera = recall("camera");
    this.look(CAMERAS.find((mode) => mode === camera && mode !== "orbit") ?? "follow");
    this.viewTab.showMarks(this.shown);
    giveBackKeys();
    window.addEventListener("gamepadconnected", () => this.notices.toast("Gamepad ready: push the left stick to ride."));
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
  }
}
