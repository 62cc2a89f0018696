/** Readout: the gait that the feet make and the one it goes to, speed and Froude number with their gauges. */
import { make, title } from "../dom";
import type { Frame, Hello } from "../messages";
import { baseOf, leadOf } from "../ride/gaits";

/** Where animals change gait, after Alexander and Griffin; marks on the gauge. */
const WALK_ENDS = 0.35;
const TROT_ENDS = 2.5;
const FROUDE_MOST = 16;
/** Numbers change at most so often, or nobody can read them [ms]. */
const CALM = 110;
/** A change that moves a bar by less than a pixel [m/s]. */
const FINE = 0.02;

export class Readout {
  private readonly gait = make("span", { class: "gait-now" }, "–");
  private readonly lead = make("span", { class: "gait-lead" });
  private readonly goingTo = make("span", { class: "gait-next" });
  private readonly speed = make("b", {}, "0.0");
  private readonly hour = make("span", { class: "quiet" }, "0 km/h");
  private readonly froude = make("b", {}, "0.00");
  private readonly speedBar = make("i");
  private readonly wantedBar = make("u");
  private readonly froudeBar = make("i");
  private fastest = 1;
  private shown = 0;
  private speedShown = -1;
  private wantedShown = -1;

  constructor(parent: HTMLElement) {
    const speedGauge = make("div", { class: "gauge", "aria-hidden": true }, this.speedBar, this.wantedBar);
    const froudeGauge = make("div", { class: "gauge", "aria-hidden": true }, this.froudeBar);
    for (const [at, why] of [[WALK_ENDS, "walks end"], [TROT_ENDS, "trots end"]] as const) {
      const mark = make("s", { title: `${why} near ${at}` });
      mark.style.left = `${100 * scaleFroude(at)}%`;
      froudeGauge.append(mark);
    }
    const how = "Speed squared over gravity times hip height. Animals of any size change gait near the same numbers: walks end near 0.35, trots near 2.5 (marks).";
    parent.append(
      make("p", { class: "gait", "aria-live": "polite" }, this.gait, this.lead, this.goingTo),
      make("div", { class: "figures" },
        make("p", { class: "figure" }, make("span", { class: "label" }, "Speed"), this.speed, make("span", { class: "unit" }, "m/s"), this.hour),
        speedGauge,
        make("p", { class: "figure", title: how }, make("span", { class: "label" }, "Froude"), this.froude),
        froudeGauge,
      ),
    );
  }

  adopt(fastest: number): void {
    this.fastest = Math.max(0.1, fastest);
  }

  /** Bars every frame, words when they change, numbers calmly. */
  show(frame: Frame, hello: Hello, now: number): void {
    if (Math.abs(frame.speed - this.speedShown) > FINE || Math.abs(frame.wanted_speed - this.wantedShown) > FINE) {
      this.speedShown = frame.speed;
      this.wantedShown = frame.wanted_speed;
      this.speedBar.style.transform = `scaleX(${Math.min(1, frame.speed / this.fastest)})`;
      this.wantedBar.style.transform = `translateX(${100 * Math.min(1, frame.wanted_speed / this.fastest)}%)`;
      this.froudeBar.style.transform = `scaleX(${scaleFroude(frame.froude)})`;
    }
    if (now - this.shown < CALM) return;
    this.shown = now;
    const gait = hello.gaits[frame.gait] ?? "";
    const next = hello.gaits[frame.going_to] ?? gait;
    write(this.gait, title(baseOf(gait)) || "–");
    const lead = leadOf(gait);
    write(this.lead, lead ? `${lead} lead` : "");
    write(this.goingTo, next !== gait ? `→ ${baseOf(next) === baseOf(gait) ? `${leadOf(next)} lead` : baseOf(next)}` : "");
    write(this.speed, frame.speed.toFixed(1));
    write(this.hour, `${Math.round(frame.speed * 3.6)} km/h`);
    write(this.froude, frame.froude < 9.995 ? frame.froude.toFixed(2) : frame.froude.toFixed(1));
  }
}

/** A root scale, so that walks have room. */
function scaleFroude(froude: number): number {
  return Math.min(1, Math.sqrt(Math.max(0, froude) / FROUDE_MOST));
}

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
