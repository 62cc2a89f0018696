/** Horse tab: method, gait, lead, stride, height, coat, ground and actions, all changed while riding. */
import { make, Segmented, title } from "../dom";
import type { Setup } from "../messages";
import type { Lead, Rider } from "../ride/rider";
import type { Store } from "../store";
import { choose, row, section } from "./fields";

/** What the swatch of a coat shows: body, then mane and legs. */
const SWATCHES: Readonly<Record<string, readonly [string, string]>> = {
  bay: ["#7d4a2a", "#241a17"],
  chestnut: ["#a25c30", "#8a4a27"],
  black: ["#353334", "#161516"],
  grey: ["#c4c2bd", "#75726f"],
  pinto: ["#7a4a2c", "#efe9dd"],
};
const HEIGHT_STEP = 0.05;

/** Withers [m] as riders write them: hands of four inches, a point, and the inches that are left. */
export function hands(height: number): string {
  const inches = Math.round(height / 0.0254);
  return `${Math.floor(inches / 4)}.${inches % 4}`;
}

/** Why the horse does not jump; `jumpers` are the methods that do. */
export function noJump(jumpers: readonly string[]): string {
  return jumpers.length ? `This method does not jump; ${jumpers.join(" and ")} can.` : "No method jumps yet.";
}

export class HorseTab {
  readonly element = make("div", { class: "tab" });
  private readonly method = make("select", { id: "method" });
  private readonly methodNote = make("p", { class: "note" });
  private readonly gait = make("select", { id: "gait" });
  private readonly lead: Segmented<Lead>;
  private readonly extension = make("input", { type: "range", id: "extension", min: -1, max: 1, step: 0.1, value: 0 });
  private readonly height = make("input", { type: "range", id: "height", min: 0.5, max: 2, step: HEIGHT_STEP });
  private readonly heightNote = make("output", { for: "height" });
  private readonly terrain = make("select", { id: "terrain" });
  private readonly terrainNote = make("p", { class: "note" }, "There is no other ground yet.");
  private readonly coats = make("div", { class: "coats", role: "radiogroup", "aria-label": "Coat" });
  private readonly actions = make("div", { class: "actions" });
  private readonly jumpNote = make("p", { class: "note" });
  private readonly strideRow: HTMLElement;
  private heightTimer = 0;

  constructor(
    private readonly store: Store,
    private readonly rider: Rider,
    private readonly setup: (change: Omit<Setup, "type">) => void,
    private readonly operate: (id: string) => void,
    private readonly touched: () => void,
  ) {
    this.lead = new Segmented<Lead>("Lead", [["turn", "By the turn"], ["left", "Left"], ["right", "Right"]], (lead) => {
      rider.lead = lead;
      this.lead.show(lead);
      touched();
    });
    this.method.addEventListener("change", () => setup({ method: this.method.value }));
    this.terrain.addEventListener("change", () => setup({ terrain: this.terrain.value }));
    this.gait.addEventListener("change", () => {
      if (this.gait.value) rider.rideGait(this.gait.value, true);
      else rider.pinned = null;
      touched();
    });
    this.extension.addEventListener("input", () => {
      rider.extension = Number(this.extension.value);
      touched();
    });
    this.height.addEventListener("input", () => this.askHeight());
    this.strideRow = row("Stride", this.extension, make("p", { class: "ends" }, make("span", {}, "collected"), make("span", {}, "extended")));
    this.element.append(
      section("Motion", row("Method", this.method, this.methodNote), row("Gait", this.gait), row("Lead", this.lead.element), this.strideRow),
      section("Animal", row("Height", this.height, this.heightNote), row("Coat", this.coats), row("Ground", this.terrain, this.terrainNote)),
      section("Actions", this.actions, this.jumpNote),
    );
  }

  showHello(): void {
    const { hello, method } = this.store;
    if (!hello || !method) return;
    choose(this.method, hello.methods.map((one) => [one.name, title(one.name)] as const));
    choose(this.gait, [["", "By speed"], ...this.rider.gaits.map((gait) => [gait.name, `Held: ${gait.name}`] as const)]);
    choose(this.terrain, hello.terrains.map((name) => [name, title(name)] as const));
    this.terrain.disabled = hello.terrains.length < 2;
    this.terrainNote.hidden = !this.terrain.disabled;
    this.strideRow.hidden = !method.extends;
    this.height.min = String(hello.heights[0]);
    this.height.max = String(hello.heights[1]);
    this.showCoats(hello.coats);
    this.showActions(method.actions, method.jumps, hello.methods.filter((one) => one.jumps).map((one) => one.name));
    this.lead.show(this.rider.lead);
    this.method.value = hello.method;
    this.methodNote.textContent = `${title(method.title)}.`;
  }

  showState(): void {
    const state = this.store.state;
    if (!state) return;
    this.method.value = state.method;
    this.method.disabled = state.switching;
    this.terrain.value = state.terrain;
    if (!this.heightTimer) {
      this.height.value = String(state.height);
      this.sayHeight(state.height);
    }
    for (const one of this.coats.querySelectorAll("button")) one.setAttribute("aria-checked", String(one.value === state.coat));
  }

  /** Gait and lead may also be changed by keys. */
  showRider(): void {
    const held = this.rider.held ?? "";
    if (this.gait.value !== held) this.gait.value = held;
    this.lead.show(this.rider.lead);
    for (const one of this.actions.querySelectorAll("button")) {
      const on = String(one.value === this.rider.action);
      if (one.getAttribute("aria-pressed") !== on) one.setAttribute("aria-pressed", on);
    }
  }

  private askHeight(): void {
    const height = Math.round(Number(this.height.value) / HEIGHT_STEP) * HEIGHT_STEP;
    this.sayHeight(height);
    window.clearTimeout(this.heightTimer);
    // A drag passes many heights; only where it rests is a horse made.
    this.heightTimer = window.setTimeout(() => {
      this.heightTimer = 0;
      this.setup({ height });
    }, 180);
  }

  private sayHeight(height: number): void {
    this.heightNote.textContent = `${height.toFixed(2)} m · ${hands(height)} hands at the withers`;
  }

  private showCoats(coats: readonly string[]): void {
    if (this.coats.childElementCount === coats.length) return;
    this.coats.replaceChildren(
      ...coats.map((coat) => {
        const one = make("button", { type: "button", role: "radio", class: "coat", value: coat, title: title(coat), "aria-label": title(coat), "aria-checked": "false" });
        const [body, points] = SWATCHES[coat] ?? ["#888888", "#555555"];
        one.style.background = `linear-gradient(115deg, ${body} 62%, ${points} 62%)`;
        one.addEventListener("click", () => this.setup({ coat }));
        return one;
      }),
    );
  }

  private showActions(names: readonly string[], jumps: boolean, jumpers: readonly string[]): void {
    this.actions.replaceChildren(
      ...names.slice(0, 9).map((name, k) => {
        const one = make("button", { type: "button", value: name, "aria-pressed": "false", "aria-keyshortcuts": String(k + 1) }, title(name.replace(/-/g, " ")), make("kbd", {}, String(k + 1)));
        one.addEventListener("click", () => {
          this.rider.action = this.rider.action === name ? null : name;
          this.touched();
        });
        return one;
      }),
    );
    const leap = make("button", { type: "button", "aria-keyshortcuts": "Space", disabled: !jumps }, "Jump", make("kbd", {}, "Space"));
    leap.addEventListener("click", () => this.operate("jump"));
    this.actions.append(leap);
    this.jumpNote.hidden = jumps;
    this.jumpNote.textContent = noJump(jumpers);
  }
}
