/** Transport: pause, one frame on, slow motion, record. */
import { make, Segmented } from "../dom";
import type { State } from "../messages";

const LABELS: Readonly<Record<string, string>> = { "1": "1×", "0.5": "½", "0.25": "¼", "0.125": "⅛" };

export interface TransportListener {
  pause(): void;
  step(): void;
  timeScale(scale: number): void;
  record(): void;
}

export class Transport {
  private readonly pause = make("button", { type: "button", class: "small pause", "aria-keyshortcuts": "P" });
  private readonly step = make("button", { type: "button", class: "small", "aria-keyshortcuts": ".", title: "One frame on, while paused (.)" }, "Step");
  private readonly record = make("button", { type: "button", class: "record", "aria-keyshortcuts": "K" });
  private readonly label = make("span", {}, "Record");
  private scales: Segmented<number> | null = null;
  private readonly place = make("div", { class: "slow" });
  private started = 0;
  private shown = "";

  constructor(parent: HTMLElement, private readonly listener: TransportListener) {
    this.record.append(make("i", { "aria-hidden": true }), this.label);
    parent.append(make("div", { class: "pair" }, this.pause, this.step), this.place, this.record);
    this.pause.addEventListener("click", () => listener.pause());
    this.step.addEventListener("click", () => listener.step());
    this.record.addEventListener("click", () => listener.record());
    this.draw(false, false);
  }

  adopt(scales: readonly number[]): void {
    const options = [...scales].sort((a, b) => b - a).map((scale) => [scale, LABELS[String(scale)] ?? String(scale)] as const);
    this.scales = new Segmented("Speed of time", options, (scale) => this.listener.timeScale(scale));
    this.place.replaceChildren(this.scales.element);
  }

  show(state: State): void {
    this.scales?.show(state.time_scale);
    this.draw(state.paused, state.recording !== null);
  }

  /** The length of the recording so far, once a second. */
  tick(recording: boolean, now: number): void {
    if (!recording) {
      this.started = 0;
      return;
    }
    if (!this.started) this.started = now;
    const seconds = Math.floor((now - this.started) / 1000);
    const text = `Stop  ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    if (text !== this.shown) this.label.textContent = this.shown = text;
  }

  private draw(paused: boolean, recording: boolean): void {
    this.pause.textContent = paused ? "Go on" : "Pause";
    this.pause.title = paused ? "Go on (P)" : "Pause (P)";
    this.pause.setAttribute("aria-pressed", String(paused));
    this.step.disabled = !paused;
    this.record.setAttribute("aria-pressed", String(recording));
    this.record.title = recording ? "Stop the recording (K)" : "Record the ride (K)";
    if (!recording) this.label.textContent = this.shown = "Record";
  }
}
