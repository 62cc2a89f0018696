/** Keyboard: keys that are down, as operations; keys that belong to a field or a slider are left to it. */
import type { Modifier } from "../ride/gaits";
import type { Bindings } from "./bindings";

/** Operations that last as long as their key is down; with Control or Alt only these are taken. */
const HELD = new Set(["forward", "brake", "left", "right", "tightLeft", "tightRight"]);

export interface KeyListener {
  /** A key of this operation went down, once, not for every repeat; repeats only for those that may. */
  operate(id: string, repeated: boolean): void;
  /** A number key, 1 to 9. */
  number(n: number): void;
  changed(): void;
}

export class Keyboard {
  private readonly down = new Map<string, string>();
  /** Keys that are down for each operation; asked often, so it is counted when they change. */
  private readonly held: Record<string, number> = {};
  modifier: Modifier = "none";

  constructor(
    private readonly bindings: Bindings,
    private readonly listener: KeyListener,
    /** While true all keys are somebody else's. */
    private readonly asleep: () => boolean,
  ) {
    window.addEventListener("keydown", (event) => this.press(event));
    window.addEventListener("keyup", (event) => this.release(event));
    window.addEventListener("blur", () => this.letGo());
    // The browser closes the tab on Control and W, and no page may forbid it; but a page may ask first.
    window.addEventListener("beforeunload", (event) => {
      if (this.modifier === "control") event.preventDefault();
    });
  }

  holds(id: string): boolean {
    return (this.held[id] ?? 0) > 0;
  }

  letGo(): void {
    this.down.clear();
    this.count();
    this.modifier = "none";
    this.listener.changed();
  }

  private press(event: KeyboardEvent): void {
    this.readModifier(event);
    if (this.asleep() || event.metaKey || belongsToField(event)) return;
    const id = this.bindings.operationOf(event.code);
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
    const chorded = event.ctrlKey || event.altKey;
    if (id && (!chorded || HELD.has(id))) {
      event.preventDefault();
      if (HELD.has(id)) this.down.set(event.code, id);
      this.count();
      if (!event.repeat || id === "faster" || id === "slower" || id === "step") this.listener.operate(id, event.repeat);
    } else if (digit && !chorded && !event.repeat) {
      event.preventDefault();
      this.listener.number(Number(digit[1]));
    } else if (event.key === "Alt") {
      // Alone it would open the browser's menu.
      event.preventDefault();
    }
    this.listener.changed();
  }

  private release(event: KeyboardEvent): void {
    this.readModifier(event);
    if (event.key === "Alt" && !this.asleep()) event.preventDefault();
    this.down.delete(event.code);
    this.count();
    this.listener.changed();
  }

  private count(): void {
    for (const id of HELD) this.held[id] = 0;
    for (const id of this.down.values()) this.held[id] = (this.held[id] ?? 0) + 1;
  }

  private readModifier(event: KeyboardEvent): void {
    this.modifier = event.shiftKey ? "shift" : event.ctrlKey ? "control" : event.altKey ? "alt" : "none";
  }
}

/** Text fields keep all keys; sliders and choices keep their arrows; a focused button keeps Space and Enter. */
function belongsToField(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("dialog[open]")) return true;
  if (target instanceof HTMLInputElement && target.type !== "range" && target.type !== "checkbox" && target.type !== "radio") return true;
  if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return true;
  const moves = /^(Arrow|Page|Home|End)/.test(event.code);
  if (moves && (target instanceof HTMLInputElement || target.closest("[role=radiogroup],[role=slider],[role=tablist]"))) return true;
  const presses = event.code === "Space" || event.code === "Enter";
  return presses && (target instanceof HTMLButtonElement || target instanceof HTMLInputElement || target instanceof HTMLAnchorElement || target.tagName === "SUMMARY");
}
