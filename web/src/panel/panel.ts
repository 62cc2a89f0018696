/** Panel: the column at the right with its three tabs. */
import { make } from "../dom";
import { remember } from "../memory";

export type TabName = "Horse" | "View" | "Recordings";

export class Panel {
  private readonly tabs = new Map<TabName, [HTMLButtonElement, HTMLElement]>();

  constructor(
    private readonly element: HTMLElement,
    private readonly opener: HTMLButtonElement,
    tabs: readonly (readonly [TabName, HTMLElement])[],
    private readonly moved: () => void,
  ) {
    const list = make("div", { class: "tabs", role: "tablist", "aria-label": "Setup" });
    element.append(list);
    for (const [name, content] of tabs) {
      const id = `tab-${name.toLowerCase()}`;
      const one = make("button", { type: "button", role: "tab", id, "aria-controls": `${id}-panel` }, name);
      content.id = `${id}-panel`;
      content.setAttribute("role", "tabpanel");
      content.setAttribute("aria-labelledby", id);
      one.addEventListener("click", () => this.choose(name));
      this.tabs.set(name, [one, content]);
      list.append(one);
      element.append(content);
    }
    list.addEventListener("keydown", (event) => this.arrow(event));
    opener.addEventListener("click", () => this.open(!this.isOpen));
    this.choose("Horse");
    this.open(window.innerWidth > 1180, false);
  }

  get isOpen(): boolean {
    return this.element.dataset["open"] === "true";
  }

  open(on: boolean, keep = true): void {
    this.element.dataset["open"] = String(on);
    this.opener.setAttribute("aria-expanded", String(on));
    if (keep) remember("panel", on ? "open" : "shut");
    this.moved();
  }

  choose(name: TabName): void {
    for (const [key, [one, content]] of this.tabs) {
      one.setAttribute("aria-selected", String(key === name));
      one.tabIndex = key === name ? 0 : -1;
      content.hidden = key !== name;
    }
  }

  private arrow(event: KeyboardEvent): void {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const names = [...this.tabs.keys()];
    const now = names.findIndex((name) => this.tabs.get(name)?.[0].tabIndex === 0);
    const next = names[(now + step + names.length) % names.length] as TabName;
    event.preventDefault();
    this.choose(next);
    this.tabs.get(next)?.[0].focus();
  }
}
