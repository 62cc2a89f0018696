/** Help: every key in one sheet; a key that is clicked can be given another. */
import { make, title } from "../dom";
import type { MethodFacts } from "../messages";
import { type Bindings, type Operation, OPERATIONS, type Group, keyName } from "../input/bindings";

const GROUPS: readonly Group[] = ["Ride", "Time", "Look", "Studio"];

/** The actions of a method with their number keys, in words. */
export function actionsOf(method: MethodFacts | null): string {
  return method?.actions.map((name, k) => `${k + 1} ${name.replace(/-/g, " ")}`).join(", ") || "none";
}

export class Help {
  private readonly body = make("div", { class: "keys" });
  private readonly say = make("p", { class: "note", "aria-live": "polite" });
  private waiting: string | null = null;

  constructor(
    private readonly dialog: HTMLDialogElement,
    private readonly bindings: Bindings,
    private readonly method: () => MethodFacts | null,
    private readonly opened: () => void,
  ) {
    const close = make("button", { type: "button", class: "plain" }, "Close");
    const restore = make("button", { type: "button", class: "plain" }, "Give all keys back");
    dialog.append(
      make("header", {}, make("h2", { id: "help-title" }, "Riding by keys"), close),
      this.gaitKeys(),
      this.body,
      make("footer", {}, this.say, restore),
    );
    close.addEventListener("click", () => dialog.close());
    restore.addEventListener("click", () => {
      bindings.restore();
      this.draw();
    });
    dialog.addEventListener("close", () => {
      this.waiting = null;
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    dialog.addEventListener("keydown", (event) => this.key(event));
    this.draw();
  }

  toggle(): void {
    if (this.dialog.open) {
      this.dialog.close();
      return;
    }
    this.say.textContent = "Click a key to give it another.";
    this.draw();
    this.dialog.showModal();
    this.opened();
  }

  private key(event: KeyboardEvent): void {
    if (!this.waiting) {
      const id = this.bindings.operationOf(event.code);
      if (id === "help" && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        this.dialog.close();
      }
      return;
    }
    if (/^(Shift|Control|Alt|Meta)$/.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key !== "Escape") {
      this.bindings.bind(this.waiting, event.code);
      this.say.textContent = `Now ${keyName(event.code)}.`;
    }
    this.waiting = null;
    this.draw();
  }

  private draw(): void {
    this.body.replaceChildren(
      ...GROUPS.map((group) =>
        make("section", {}, make("h3", {}, group), make("dl", {}, ...OPERATIONS.filter((operation) => operation.group === group).flatMap((operation) => this.line(operation.id, this.label(operation)))), ...(group === "Ride" ? [make("p", { class: "note" }, `1 to 9: actions of the method. ${title(this.method()?.name ?? "This one")} has ${actionsOf(this.method())}.`)] : [])),
      ),
    );
  }

  private label(operation: Operation): string {
    const method = this.method();
    return operation.id === "jump" && method && !method.jumps ? `Jump (${title(method.name)} does not yet)` : operation.label;
  }

  private line(id: string, label: string): HTMLElement[] {
    const codes = this.bindings.codes(id);
    const keys = make("dd", {});
    const one = make("button", { type: "button", class: "rebind", "aria-label": `${label}: ${codes.map(keyName).join(" or ") || "no key"}. Change` });
    one.append(...(codes.length ? codes.map((code) => make("kbd", {}, keyName(code))) : [make("em", {}, "no key")]));
    if (this.waiting === id) one.replaceChildren(make("em", {}, "press a key"));
    one.addEventListener("click", () => {
      this.waiting = id;
      this.say.textContent = "Press the new key, or Esc to leave it.";
      this.draw();
      this.dialog.focus();
    });
    keys.append(one);
    return [make("dt", {}, label), keys];
  }

  private gaitKeys(): HTMLElement {
    const line = (keys: string[], word: string): HTMLElement =>
      make("li", {}, make("span", {}, ...keys.map((key) => make("kbd", {}, key))), word);
    return make("div", { class: "gaits-help" },
      make("ul", {}, line(["Alt", "↑"], "walk"), line(["↑"], "trot"), line(["Ctrl", "↑"], "canter"), line(["Shift", "↑"], "gallop")),
      make("p", { class: "note" }, "W does the same, but Ctrl and W closes the tab in most browsers: use ↑ with Ctrl, or R and F, which go up and down the gaits and keep on riding. Gamepad: left stick rides, the further the faster; right stick looks around; shoulders change the gait; A jumps, B halts, X records, Y is the camera. Esc leaves a field or this sheet."),
    );
  }
}
