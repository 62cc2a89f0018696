/** Operations: what each key, button and pad button does. */
import { title } from "../dom";
import type { ClientMessage } from "../messages";
import { actionsOf } from "../panel/help";
import { noJump } from "../panel/horsetab";
import type { Shown } from "../scene/stage";
import type { Store } from "../store";
import type { Picture } from "./picture";
import type { Rider } from "./rider";

/** Operations that are commands to the horse. */
const RIDING = new Set(["forward", "brake", "left", "right", "tightLeft", "tightRight", "gaitUp", "gaitDown", "faster", "slower", "lead", "jump", "reset"]);

/** What of the page an operation reaches. */
export interface OperationHost {
  send(message: ClientMessage): void;
  touched(): void;
  toast(text: string): void;
  show(mark: keyof Shown, on: boolean): void;
  mute(): void;
  togglePanel(): void;
  toggleHelp(): void;
}

export class Operations {
  constructor(
    private readonly store: Store,
    private readonly rider: Rider,
    private readonly picture: Picture,
    private readonly host: OperationHost,
  ) {}

  do(id: string): void {
    const { rider, picture, host } = this;
    const state = this.store.state;
    switch (id) {
      case "brake": rider.halt(); break;
      case "gaitUp": rider.shift(1); break;
      case "gaitDown": rider.shift(-1); break;
      case "faster": rider.nudge(1); break;
      case "slower": rider.nudge(-1); break;
      case "lead": this.nextLead(); break;
      case "jump": this.jump(); break;
      case "pause": host.send({ type: "clock", paused: !state?.paused }); break;
      case "step": if (state?.paused) host.send({ type: "step", frames: 1 }); break;
      case "slow": this.nextTimeScale(); break;
      case "camera": picture.nextCamera(); break;
      case "recentre": picture.stage.camera.reset(); break;
      case "skeleton": host.show("skeleton", !picture.shown.skeleton); break;
      case "trail": host.show("trail", !picture.shown.trail); break;
      case "mute": host.mute(); break;
      case "record": host.send({ type: "record", on: state?.recording == null }); break;
      case "reset": rider.halt(); host.send({ type: "reset" }); picture.stage.clearPrints(); break;
      case "setup": host.togglePanel(); break;
      case "help": host.toggleHelp(); break;
      default: break;
    }
    if (RIDING.has(id)) host.touched();
  }

  /** Begin the action of this number key, or end it. */
  act(n: number): void {
    const method = this.rider.method;
    const action = method?.actions[n - 1];
    if (action) this.rider.action = this.rider.action === action ? null : action;
    else this.host.toast(`${title(method?.name ?? "This method")} has no action ${n}; it has ${actionsOf(method)}.`);
    this.host.touched();
  }

  private nextLead(): void {
    const rider = this.rider;
    rider.lead = rider.lead === "turn" ? "left" : rider.lead === "left" ? "right" : "turn";
    this.host.toast(`Lead: ${rider.lead === "turn" ? "by the turn" : rider.lead}.`);
  }

  private jump(): void {
    if (this.rider.askJump()) return;
    this.host.toast(noJump(this.store.hello?.methods.filter((one) => one.jumps).map((one) => one.name) ?? []));
  }

  private nextTimeScale(): void {
    const scales = [...(this.store.hello?.time_scales ?? [1])].sort((a, b) => b - a);
    const at = scales.indexOf(this.store.state?.time_scale ?? 1);
    this.host.send({ type: "clock", time_scale: scales[(at + 1) % scales.length] as number });
  }
}
