/** Ride view: the horse, its instruments and controls, wired together; one of the studio's views. */
import { byId } from "../dom";
import { Instruments } from "../hud/instruments";
import { Inks } from "../hud/legs";
import { Bindings } from "../input/bindings";
import { giveBackKeys } from "../input/focus";
import { Pad } from "../input/gamepad";
import { Keyboard } from "../input/keyboard";
import { Link, type LinkState } from "../link";
import { type ClientMessage, EVENTS, FLAGS, type ExportFacts, type Frame, type Hello, type ServerMessage, type Setup } from "../messages";
import { Help } from "../panel/help";
import { HorseTab } from "../panel/horsetab";
import { Notices } from "../panel/notices";
import { Panel } from "../panel/panel";
import { download, key, RecordingTab } from "../panel/recordingtab";
import { Veil } from "../panel/veil";
import { ViewTab } from "../panel/viewtab";
import type { Shown } from "../scene/stage";
import { Sound } from "../sound";
import { Store } from "../store";
import { Theme } from "../theme";
import { Operations } from "./operations";
import { Picture } from "./picture";
import { Rider } from "./rider";
import { Sender } from "./sender";
import type { RideState } from "./state";

/** Text beside the picture changes at most so often [ms]. */
const CALM = 300;

export class RideView {
  private readonly store = new Store();
  private readonly inks = new Inks();
  private readonly sound = new Sound();
  private readonly bindings = new Bindings();
  private readonly helpSheet = byId("help", HTMLDialogElement);
  private readonly fpsNote = byId("fps-note", HTMLElement);
  private readonly soundButton = byId("sound", HTMLButtonElement);
  private readonly keys: Keyboard;
  private readonly pad: Pad;
  private readonly rider: Rider;
  private readonly sender: Sender;
  private readonly picture: Picture;
  private readonly operations: Operations;
  private readonly instruments: Instruments;
  private readonly horseTab: HorseTab;
  private readonly viewTab: ViewTab;
  private readonly recordingTab: RecordingTab;
  private readonly panel: Panel;
  private readonly help: Help;
  private readonly notices: Notices;
  private readonly veil: Veil;
  private readonly link: Link;
  private readonly downloads = new Set<string>();
  private last = 0;
  private loops = 0;
  private told = 0;
  private wasRecording = false;

  constructor() {
    const operate = (id: string): void => this.operations.do(id);
    const touched = (): void => this.sender.touched();
    const setup = (change: Omit<Setup, "type">): void => this.send({ type: "setup", ...change });
    const alarm = (text: string): void => this.notices.toast(text, "alarm");
    const send = (message: ClientMessage): void => this.send(message);
    this.keys = new Keyboard(this.bindings, { operate, number: (n) => this.operations.act(n), changed: () => this.sender.send() }, () => this.helpSheet.open);
    this.pad = new Pad({ padButton: operate });
    this.rider = new Rider(this.keys, this.pad);
    this.notices = new Notices(byId("chips", HTMLElement), byId("toasts", HTMLElement), byId("hint", HTMLElement));
    this.sender = new Sender(this.rider, this.store, () => this.link, () => this.notices.ridden());
    this.picture = new Picture(() => void this.picture.wear(this.store.hello, this.store.state), alarm);
    this.operations = new Operations(this.store, this.rider, this.picture, {
      send,
      touched,
      toast: (text) => this.notices.toast(text),
      show: (mark, on) => this.show(mark, on),
      mute: () => this.mute(),
      togglePanel: () => this.panel.open(!this.panel.isOpen),
      toggleHelp: () => this.help.toggle(),
    });
    const transport = {
      pause: () => operate("pause"),
      step: () => operate("step"),
      timeScale: (scale: number) => this.send({ type: "clock", time_scale: scale }),
      record: () => operate("record"),
    };
    this.instruments = new Instruments(this.rider, this.inks, transport, touched, setup);
    this.veil = new Veil(byId("veil", HTMLElement), () => this.link.retryNow(true), () => this.link.startOver());
    this.horseTab = new HorseTab(this.store, this.rider, setup, operate, touched);
    this.viewTab = new ViewTab((mark, on) => this.show(mark, on), (choice) => this.picture.choose(choice));
    this.recordingTab = new RecordingTab(this.store, send, alarm);
    this.panel = new Panel(
      byId("panel", HTMLElement),
      byId("panel-open", HTMLButtonElement),
      [["Horse", this.horseTab.element], ["View", this.viewTab.element], ["Recordings", this.recordingTab.element]],
      () => this.picture.fit(),
    );
    this.help = new Help(this.helpSheet, this.bindings, () => this.store.method, () => this.keys.letGo());
    this.wire();
    this.link = new Link({
      message: (message) => this.receive(message),
      frame: (frame) => this.frameCame(frame),
      state: (state, why) => this.linkIs(state, why),
    });
    requestAnimationFrame((now) => this.loop(now));
  }

  state(): RideState {
    const { hello, state } = this.store;
    const { quality, stage } = this.picture;
    const frame = this.picture.frames.latest;
    return {
      connected: this.link.state === "live",
      session: hello?.session ?? null,
      method: hello?.method ?? "",
      breed: state?.breed ?? "",
      speed: frame?.speed ?? 0,
      wanted: frame?.wanted_speed ?? 0,
      turn: frame?.turn ?? 0,
      heading: frame?.heading ?? 0,
      gait: hello?.gaits[frame?.gait ?? 0] ?? "",
      going_to: hello?.gaits[frame?.going_to ?? 0] ?? "",
      held: this.rider.held,
      phase: frame ? [...frame.phase] : [],
      contacts: frame ? [...frame.contacts] : [],
      position: frame ? [...frame.root] : [],
      frame: frame?.number ?? -1,
      command: frame?.command ?? 0,
      sent: this.rider.number,
      fps: quality.fps,
      preset: quality.level,
      camera: stage.camera.mode,
      recording: state?.recording != null,
      paused: state?.paused ?? false,
      skin: this.picture.skinned,
    };
  }

  /** Number of the frame that is on the screen, and of the command it follows. */
  get onScreen(): { frame: number; command: number } {
    return { frame: this.picture.drawn, command: this.picture.pose.frame?.command ?? 0 };
  }

  // ---- from the server

  private receive(message: ServerMessage): void {
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
        this.recordingTab.showRecordings();
        break;
      case "export":
        this.exportIs(message);
        break;
      case "problem":
        this.notices.toast(message.text, "alarm");
        break;
      default:
        break;
    }
  }

  private adopt(hello: Hello): void {
    this.picture.adopt(hello);
    const method = this.store.method;
    if (method) this.rider.adopt(method);
    this.instruments.adopt(hello, method);
    this.horseTab.showHello();
    this.recordingTab.showExports();
    this.showState();
    this.sender.send();
  }

  private exportIs(job: ExportFacts): void {
    const id = key(job.recording, job.format, job.in_place);
    this.store.exports.set(id, job);
    this.recordingTab.showExports();
    if (job.state === "done" && job.url && this.downloads.delete(id)) download(job.url, "");
    if (job.state === "failed") this.notices.toast(job.error ?? "The file could not be made.", "alarm");
  }

  private frameCame(frame: Frame): void {
    const hello = this.store.hello;
    if (!hello || frame.joints !== hello.skeleton.names.length) return;
    if (this.sender.resuming) {
      this.sender.resume(frame, hello);
      if (hello.resumed === "restored") this.notices.toast("The server was started anew. The horse stands where it was; recordings were kept.");
    }
    // While paused the same moment comes again and again, perhaps with another horse.
    if (this.picture.frames.replace(frame)) return;
    this.picture.frames.push(frame, performance.now());
    this.instruments.push(frame);
    this.picture.stage.print(frame);
    if (!(frame.flags & FLAGS.paused))
      for (let leg = 0; leg < 4; leg++) if (frame.events & (EVENTS.touchdown << leg)) this.sound.beat(leg, frame.speed);
  }

  private showState(): void {
    const state = this.store.state;
    if (!state) return;
    this.instruments.showState(state);
    this.horseTab.showState();
    this.recordingTab.showState();
    if (this.wasRecording && state.recording === null) {
      this.panel.choose("Recordings");
      this.panel.open(true);
      this.recordingTab.showNewest();
    }
    this.wasRecording = state.recording !== null;
    void this.picture.wear(this.store.hello, state);
  }

  private linkIs(state: LinkState, why: string): void {
    const element = byId("link", HTMLElement);
    element.dataset["state"] = state === "live" ? "live" : state === "opening" ? "opening" : "lost";
    byId("link-text", HTMLElement).textContent = { opening: "Connecting", live: "Connected", lost: "Reconnecting", ended: "Not connected" }[state];
    byId("ride", HTMLElement).dataset["link"] = state;
    if (state === "live") this.picture.frames.clear();
    else this.veil.show(state === "opening" ? "loading" : state, why);
    if (state !== "live") this.sender.resuming = true;
  }

  // ---- from the rider

  private mute(): void {
    this.soundButton.setAttribute("aria-pressed", String(this.sound.toggle()));
  }

  private show(mark: keyof Shown, on: boolean): void {
    this.picture.show(mark, on);
    this.viewTab.showMarks(this.picture.shown);
  }

  private send(message: ClientMessage): void {
    if (message.type === "export") this.downloads.add(key(message.recording, message.format, message.in_place ?? false));
    if (!this.link.send(message)) this.notices.toast("Not now: the server is away.", "alarm");
  }

  // ---- time

  private loop(now: number): void {
    requestAnimationFrame((next) => this.loop(next));
    const ms = this.last ? now - this.last : 16;
    this.last = now;
    const { quality, stage } = this.picture;
    quality.tick(ms);
    this.loops += 1;
    this.pad.read();
    if (this.pad.lookX || this.pad.lookY) stage.camera.turn(-0.0025 * ms * this.pad.lookX, 0.0018 * ms * this.pad.lookY);
    this.sender.send();
    const hello = this.store.hello;
    const frame = this.picture.frames.latest;
    if (!hello || !frame || !this.picture.draw(ms)) return;
    // Half as often where pictures are slow: the horse goes first.
    if (quality.mean < 22 || this.loops % 2) this.instruments.draw(frame, hello, now);
    if (now - this.told > CALM) this.showSlowly(frame, now);
    if (this.link.state === "live") this.veil.show("none");
  }

  private showSlowly(frame: Frame, now: number): void {
    this.told = now;
    const { choice, quality } = this.picture;
    this.notices.show(this.store.state, frame);
    this.horseTab.showRider();
    this.viewTab.showQuality(choice, quality.level, quality.fps);
    const note = quality.mean ? `${Math.round(quality.fps)} fps` : "";
    if (this.fpsNote.textContent !== note) this.fpsNote.textContent = note;
  }

  private wire(): void {
    const theme = new Theme(byId("theme", HTMLButtonElement), byId("theme-name", HTMLElement), (look) => {
      this.inks.read();
      this.picture.stage.paint(look);
    });
    this.picture.stage.paint(theme.look);
    this.soundButton.setAttribute("aria-pressed", String(this.sound.on));
    this.soundButton.addEventListener("click", () => this.mute());
    byId("help-open", HTMLButtonElement).addEventListener("click", () => this.help.toggle());
    this.viewTab.showMarks(this.picture.shown);
    giveBackKeys();
    window.addEventListener("gamepadconnected", () => this.notices.toast("Gamepad ready: push the left stick to ride."));
    window.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
  }
}
