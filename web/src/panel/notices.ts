/** Notices: chips for what holds now, toasts for what just happened, and the first hint. */
import { make } from "../dom";
import { CLAMPS, type Frame, type State } from "../messages";
import { recall, remember } from "../memory";

/** Shown so long [ms]. */
const STAY = 5200;
const MOST = 3;

function byKeys(): HTMLElement[] {
  return [
    make("p", { class: "hint-main" }, "Hold ", make("kbd", {}, "↑"), " or ", make("kbd", {}, "W"), " to ride, with ", make("kbd", {}, "Shift"), " to gallop"),
    make("p", { class: "hint-more" }, make("kbd", {}, "←"), make("kbd", {}, "→"), " steer", make("span", {}, "or click a gait below")),
  ];
}

function byHand(): HTMLElement[] {
  return [make("p", { class: "hint-main" }, "Tap Gallop below"), make("p", { class: "hint-more" }, "and drag the wheel at the lower left to steer")];
}

export class Notices {
  private said = "";
  private hintGone = false;

  constructor(
    private readonly chips: HTMLElement,
    private readonly toasts: HTMLElement,
    private readonly hint: HTMLElement,
  ) {
    hint.append(...(window.matchMedia("(pointer: coarse)").matches ? byHand() : byKeys()));
    hint.hidden = recall("hint") === "seen";
    this.hintGone = hint.hidden;
  }

  /** The rider has found out how. */
  ridden(): void {
    if (this.hintGone) return;
    this.hintGone = true;
    this.hint.dataset["gone"] = "true";
    remember("hint", "seen");
    window.setTimeout(() => (this.hint.hidden = true), 900);
  }

  toast(text: string, kind: "plain" | "alarm" = "plain"): void {
    const one = make("p", { class: kind === "alarm" ? "toast alarm" : "toast" }, text);
    this.toasts.append(one);
    while (this.toasts.childElementCount > MOST) this.toasts.firstElementChild?.remove();
    window.setTimeout(() => one.remove(), STAY);
  }

  show(state: State | null, frame: Frame | null): void {
    const lines: string[] = [];
    if (state?.switching) lines.push("changing horses");
    if (state?.paused) lines.push("paused");
    if (state && state.time_scale !== 1) lines.push(`time at ${state.time_scale} of its speed`);
    if (state?.plan) lines.push(`plan ${state.plan} ${state.segment} of ${state.segments}`);
    if (frame && frame.clamps & CLAMPS.speed) lines.push(`speed held to ${frame.wanted_speed.toFixed(1)} m/s`);
    if (frame && frame.clamps & CLAMPS.turn) lines.push("turn held");
    const said = lines.join("|");
    if (said === this.said) return;
    this.said = said;
    this.chips.replaceChildren(...lines.map((line) => make("span", { class: "chip" }, line)));
  }
}
