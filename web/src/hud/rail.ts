/** Rail: one line of speeds with the gaits upon it; the thumb is what is asked for, the bar what is ridden.
 *  Gaits that this horse does not choose by itself stand dimmed above the line, over the speeds they are ridden at. */
import { make, title } from "../dom";
import { FLAGS, type Frame, type Hello, type MethodFacts, type Setup, type State } from "../messages";
import { gaitAt, type RideGait } from "../ride/gaits";
import type { Rider } from "../ride/rider";

export class Rail {
  private readonly slider = make("input", { type: "range", id: "speed", min: 0, max: 10, step: 0.1, value: 0, "aria-label": "Speed" });
  private readonly track = make("div", { class: "track" });
  private readonly bar = make("i", { class: "ridden" });
  private readonly names = make("div", { class: "gaits", role: "group", "aria-label": "Ride a gait" });
  private readonly ticks = make("div", { class: "ticks", "aria-hidden": true });
  private readonly halt = make("button", { type: "button", class: "halt", "aria-keyshortcuts": "S", title: "Halt (S)" }, "Halt");
  private readonly pin = make("button", { type: "button", class: "pin", "aria-pressed": "false" }, "Gait by speed");
  private readonly breed = make("button", { type: "button", class: "breed", role: "switch", "aria-checked": "false" }, make("i", { "aria-hidden": true }), "All gaits");
  private readonly buttons = new Map<string, HTMLButtonElement>();
  /** Breeds: the ordinary one, and the one that has all gaits. */
  private breeds: readonly string[] = [];
  private breedNow = "";
  private fastest = 1;
  private marked = "?";
  private markedNext = "?";
  private shownPin = "?";
  private shownSpeed = -1;
  private shownRidden = -1;

  constructor(
    parent: HTMLElement,
    private readonly rider: Rider,
    private readonly touched: () => void,
    setup: (change: Omit<Setup, "type">) => void,
  ) {
    this.track.append(this.bar, this.slider, this.ticks);
    parent.append(this.halt, make("div", { class: "scale" }, this.names, this.track), make("div", { class: "choice" }, this.pin, this.breed));
    this.slider.addEventListener("input", () => {
      rider.setCruise(Number(this.slider.value));
      this.touched();
    });
    this.halt.addEventListener("click", () => {
      rider.halt();
      this.touched();
    });
    this.pin.addEventListener("click", () => this.togglePin());
    this.breed.addEventListener("click", () => {
      const [ordinary, all] = this.breeds;
      if (ordinary && all) setup({ breed: this.breedNow === all ? ordinary : all });
    });
  }

  /** Another horse; the rider has adopted it. */
  adopt(hello: Hello, method: MethodFacts): void {
    const fastest = method.max_speed;
    const gaits = this.rider.gaits;
    this.fastest = fastest;
    this.slider.max = fastest.toFixed(1);
    this.buttons.clear();
    this.names.replaceChildren(...gaits.map((gait) => this.button(gait, fastest)));
    this.breeds = hello.breeds;
    this.breed.dataset["shown"] = String(method.breeds.length > 1);
    this.breed.disabled = method.breeds.length < 2;
    const dimmed = gaits.filter((gait) => !gait.chosen).map((gait) => gait.name).join(" and ");
    this.breed.title = dimmed ? `Choose ${dimmed} by speed too, as horses do that are bred for them` : "Choose among all gaits by speed; off: those of most horses";
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

  showState(state: State): void {
    this.breedNow = state.breed;
    this.breed.setAttribute("aria-checked", String(state.breed === this.breeds[1]));
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
      const chosen = gaitAt(this.rider.gaits, wanted);
      this.slider.setAttribute("aria-valuetext", `${wanted.toFixed(1)} metres a second, ${chosen?.name ?? "halt"}`);
    }
    if (gait !== this.marked || next !== this.markedNext) {
      this.marked = gait;
      this.markedNext = next;
      for (const [name, button] of this.buttons) {
        button.dataset["now"] = String(name === gait);
        button.dataset["next"] = String(name === next && name !== gait);
      }
    }
    const held = this.rider.held;
    if ((held ?? "") !== this.shownPin) this.showHeld(held);
  }

  private showHeld(held: string | null): void {
    this.shownPin = held ?? "";
    this.pin.textContent = held ? `Held: ${held}` : "Gait by speed";
    this.pin.title = held ? "Let the speed choose the gait again" : "Hold the gait of this speed";
    this.pin.setAttribute("aria-pressed", String(held !== null));
    for (const [name, button] of this.buttons) button.dataset["pinned"] = String(name === held);
  }

  private button(gait: RideGait, fastest: number): HTMLButtonElement {
    const why = gait.chosen ? `Ride at a ${gait.name}` : `Hold a ${gait.name}: this horse does not choose it by speed`;
    const button = make("button", { type: "button", class: gait.chosen ? "gait-name" : "gait-name dimmed", title: why }, title(gait.name));
    button.style.left = `${(100 * gait.from) / fastest}%`;
    button.style.width = `${(100 * (gait.upto - gait.from)) / fastest}%`;
    button.addEventListener("click", () => {
      this.rider.rideByName(gait.name);
      this.touched();
    });
    this.buttons.set(gait.name, button);
    return button;
  }

  private togglePin(): void {
    const rider = this.rider;
    if (rider.pinned) rider.pinned = null;
    else rider.pinned = (gaitAt(rider.gaits, rider.speed) ?? rider.gaits[0])?.name ?? null;
    this.touched();
  }
}
