/** Help: every key in one sheet; a key that is clicked can be given another. */
import { make } from "../dom";
import { type Bindings, DEEDS, type Group, keyName } from "../input/bindings";

const GROUPS: readonly Group[] = ["Ride", "Time", "Look", "Studio"];

export class Help {
  private readonly body = make("div", { class: "keys" });
  private readonly say = make("p", { class: "note", "aria-live": "polite" });
  private waiting: string | null = null;

  constructor(
    private readonly dialog: HTMLDialogElement,
    private readonly bindings: Bindings,
    private readonly opened: () => void,
  ) {
    const close = make("button", { type: "button", class: "plain" }, "Close");
    const restore = make("button", { type: "button", class: "plain" }, "Give all keys back");
    dialog.append(
      make("header", {}, make("h2", { id: "help-title" }, "Riding by keys"), close),
      this.paces(),
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
    this.dialog.showModal();
    this.opened();
  }

  private key(event: KeyboardEvent): void {
    if (!this.waiting) {
      const id = this.bindings.deedOf(event.code);
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
        make("section", {}, make("h3", {}, group), make("dl", {}, ...DEEDS.filter((deed) => deed.group === group).flatMap((deed) => this.line(deed.id, deed.label))), ...(group === "Ride" ? [make("p", { class: "note" }, "1 to 9: actions of the method. ", make("kbd", {}, "Esc"), " leaves a field or this sheet.")] : [])),
      ),
    );
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

  private paces(): HTMLElement {
    const line = (keys: string[], word: string): HTMLElement =>
      make("li", {}, make("span", {}, ...keys.map((key) => make("kbd", {}, key))), word);
    return make("div", { class: "paces-help" },
      make("ul", {}, line(["Alt", "↑"], "walk"), line(["↑"], "trot"), line(["Ctrl", "↑"], "canter"), line(["Shift", "↑"], "gallop")),
      make("p", { class: "note" }, "W does the same, but Ctrl and W closes the tab in most browsers. Use ↑ with Ctrl, or R and F: they go up and down the gaits without any second key, and keep on riding. Gamepad: how far the left stick is pushed is the speed; right stick looks around; shoulders change the gait; A jumps, B halts, X records, Y is the camera."),
    );
  }
}
