/** Steer: a wheel to drag; let go, it comes back. Its needle is the turn that is ridden. */
import { make } from "../dom";
import { FLAGS, type Frame } from "../messages";
import type { Rider } from "../ride/rider";

/** A drag of so many pixels is the full turn. */
const REACH = 46;
/** In the air a horse does not turn: its turning is shown as it is over about a stride [s]. */
const STRIDE = 0.4;
/** The wheel turns so far [degrees]. */
const LOCK = 110;

export class Steer {
  private readonly wheel = make("div", { class: "helm", role: "slider", tabindex: 0, "aria-label": "Turn", "aria-valuemin": -100, "aria-valuemax": 100, "aria-valuenow": 0, title: "Drag to turn (A, D; Q, E tight)" });
  private readonly rim = make("div", { class: "rim" });
  private readonly needle = make("div", { class: "needle" });
  private readonly value = make("output", { class: "rate" }, "0°/s");
  /** The finger or button that holds it. */
  private held: number | null = null;
  private startX = 0;
  private shown = Number.NaN;
  private said = 0;
  private ridden = 0;
  private time = Number.NaN;
  private turning = 0;

  constructor(parent: HTMLElement, private readonly rider: Rider, private readonly touched: () => void) {
    this.wheel.append(this.needle, this.rim, this.value);
    parent.append(this.wheel);
    this.wheel.addEventListener("pointerdown", (event) => {
      if (this.held !== null) return;
      this.held = event.pointerId;
      this.startX = event.clientX;
      this.wheel.setPointerCapture(event.pointerId);
      this.turnTo(0);
    });
    this.wheel.addEventListener("pointermove", (event) => {
      if (event.pointerId === this.held) this.turnTo((this.startX - event.clientX) / REACH);
    });
    for (const end of ["pointerup", "pointercancel"] as const)
      this.wheel.addEventListener(end, (event) => {
        if (event.pointerId !== this.held) return;
        this.held = null;
        this.turnTo(0);
      });
    this.wheel.addEventListener("keydown", (event) => this.key(event));
    this.wheel.addEventListener("keyup", (event) => {
      if (/^Arrow/.test(event.key)) this.turnTo(0);
    });
    this.wheel.addEventListener("blur", () => this.turnTo(0));
  }

  show(frame: Frame, now: number): void {
    const most = this.rider.method?.max_turn ?? 1;
    const asked = (frame.flags & FLAGS.plan ? frame.wanted_turn : this.rider.turn) / most;
    const passed = frame.time - this.time;
    this.time = frame.time;
    const part = passed >= 0 && passed < 1 ? 1 - Math.exp(-passed / STRIDE) : 1;
    this.turning += part * (frame.turn - this.turning);
    const ridden = this.turning / most;
    if (Math.abs(asked - this.shown) > 0.002 || Number.isNaN(this.shown)) {
      this.shown = asked;
      this.rim.style.transform = `rotate(${(-asked * LOCK).toFixed(1)}deg)`;
      this.wheel.setAttribute("aria-valuenow", String(Math.round(-100 * asked)));
    }
    if (Math.abs(ridden - this.ridden) > 0.002) {
      this.ridden = ridden;
      this.needle.style.transform = `rotate(${-Math.max(-1, Math.min(1, ridden)) * LOCK}deg)`;
    }
    if (now - this.said < 110) return;
    this.said = now;
    const rate = Math.round((Math.abs(this.turning) * 180) / Math.PI);
    const text = rate === 0 ? "0°/s" : this.turning > 0 ? `◂ ${rate}°/s` : `${rate}°/s ▸`;
    if (this.value.textContent !== text) this.value.textContent = text;
  }

  private key(event: KeyboardEvent): void {
    const side = event.key === "ArrowLeft" ? 1 : event.key === "ArrowRight" ? -1 : 0;
    if (!side) return;
    event.preventDefault();
    this.turnTo(0.4 * side);
  }

  private turnTo(part: number): void {
    this.rider.wheel = Math.max(-1, Math.min(1, part));
    this.touched();
  }
}
