/** Rail: one line of speeds with the gaits upon it; the thumb is what is asked for, the bar what is ridden. */
import { make, title } from "../dom";
import { FLAGS, type Frame } from "../messages";
import { paceAt, type Pace } from "../ride/paces";
import type { Rider } from "../ride/rider";

export class Rail {
  private readonly slider = make("input", { type: "range", id: "speed", min: 0, max: 10, step: 0.1, value: 0, "aria-label": "Speed" });
  private readonly track = make("div", { class: "track" });
  private readonly bar = make("i", { class: "ridden" });
  private readonly names = make("div", { class: "paces", role: "group", "aria-label": "Ride a gait" });
  private readonly ticks = make("div", { class: "ticks", "aria-hidden": true });
  private readonly halt = make("button", { type: "button", class: "halt", "aria-keyshortcuts": "S", title: "Halt (S)" }, "Halt");
  private readonly pin = make("button", { type: "button", class: "pin", "aria-pressed": "false" }, "Gait by speed");
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private fastest = 1;
  private marked = "?";
  private markedNext = "?";
  private shownPin = "?";
  private shownSpeed = -1;
  private shownRidden = -1;

  constructor(parent: HTMLElement, private readonly rider: Rider, private readonly touched: () => void) {
    this.track.append(this.bar, this.slider, this.ticks);
    parent.append(this.halt, make("div", { class: "scale" }, this.names, this.track), this.pin);
    this.slider.addEventListener("input", () => {
      rider.setCruise(Number(this.slider.value));
      this.touched();
    });
    this.halt.addEventListener("click", () => {
      rider.halt();
      this.touched();
    });
    this.pin.addEventListener("click", () => this.togglePin());
  }

  adopt(paces: readonly Pace[], fastest: number): void {
    this.fastest = fastest;
    this.slider.max = fastest.toFixed(1);
    this.buttons.clear();
    this.names.replaceChildren();
    for (const pace of paces) {
      if (!pace.taken) continue;
      const button = make("button", { type: "button", class: "pace", title: `Ride at a ${pace.name}` }, title(pace.name));
      button.style.left = `${(100 * pace.from) / fastest}%`;
      button.style.width = `${(100 * (pace.upto - pace.from)) / fastest}%`;
      button.addEventListener("click", () => {
        this.rider.rideGait(pace.name, this.rider.pinned !== null);
        this.touched();
      });
      this.buttons.set(pace.name, button);
      this.names.append(button);
    }
    this.ticks.replaceChildren();
    const every = fastest > 12 ? 2 : 1;
    for (let speed = 0; speed <= fastest; speed += every) {
      const tick = make("span", {}, speed + every > fastest ? `${speed} m/s` : String(speed));
      tick.style.left = `${(100 * speed) / fastest}%`;
      this.ticks.append(tick);
    }
    this.marked = this.shownPin = "?";
    this.shownSpeed = this.shownRidden = -1;
  }

  show(frame: Frame, gait: string, next: string): void {
    if (Math.abs(frame.speed - this.shownRidden) > 0.01) {
      this.shownRidden = frame.speed;
      this.bar.style.transform = `scaleX(${Math.min(1, frame.speed / this.fastest)})`;
    }
    // While a plan is ridden it holds the reins.
    const wanted = frame.flags & FLAGS.plan ? frame.wanted_speed : this.rider.speed;
    if (Math.abs(wanted - this.shownSpeed) > 0.01) {
      this.shownSpeed = wanted;
      this.slider.value = wanted.toFixed(2);
      const pace = paceAt(this.rider.paces, wanted);
      this.slider.setAttribute("aria-valuetext", `${wanted.toFixed(1)} metres a second, ${pace?.name ?? "halt"}`);
    }
    if (gait !== this.marked || next !== this.markedNext) {
      this.marked = gait;
      this.markedNext = next;
      for (const [name, button] of this.buttons) {
        button.dataset["now"] = String(name === gait);
        button.dataset["next"] = String(name === next && name !== gait);
      }
    }
    const pinned = this.rider.pinned;
    if ((pinned ?? "") !== this.shownPin) {
      this.shownPin = pinned ?? "";
      this.pin.textContent = pinned ? `Held: ${pinned}` : "Gait by speed";
      this.pin.title = pinned ? "Let the speed choose the gait again" : "Hold the gait of this speed";
      this.pin.setAttribute("aria-pressed", String(pinned !== null));
      for (const [name, button] of this.buttons) button.dataset["pinned"] = String(name === pinned);
    }
  }

  private togglePin(): void {
    const rider = this.rider;
    if (rider.pinned) rider.pinned = null;
    else rider.pinned = (paceAt(rider.paces, rider.speed) ?? rider.paces[0])?.name ?? null;
    this.touched();
  }
}
