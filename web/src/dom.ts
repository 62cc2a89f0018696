/** Dom: elements found or made in one line, always of the type that is asked for. */

export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return found;
}

type Given = Readonly<Record<string, string | number | boolean>>;

/** An element with attributes and children; strings become text. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  given: Given = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** A pressed button that was clicked by mouse or touch gives the keys back to the ride. */
export function button(label: string, given: Given, clicked: () => void): HTMLButtonElement {
  const element = make("button", { type: "button", ...given }, label);
  element.addEventListener("click", clicked);
  return element;
}

/** One choice of few. Arrow keys move within it, as in every radio group. */
export class Segmented<T extends string | number> {
  readonly element: HTMLElement;
  private readonly buttons = new Map<T, HTMLButtonElement>();
  private value: T | null = null;

  constructor(label: string, options: readonly (readonly [T, string])[], private readonly chosen: (value: T) => void, host?: HTMLElement) {
    this.element = host ?? make("div", { class: "segmented", role: "radiogroup", "aria-label": label });
    for (const [value, text] of options) {
      const one = make("button", { type: "button", role: "radio", "aria-checked": "false", tabindex: -1 }, text);
      one.addEventListener("click", () => this.chosen(value));
      this.buttons.set(value, one);
      this.element.append(one);
    }
    this.element.addEventListener("keydown", (event) => this.arrow(event));
    this.buttons.values().next().value?.setAttribute("tabindex", "0");
  }

  show(value: T): void {
    if (value === this.value) return;
    this.value = value;
    for (const [key, one] of this.buttons) {
      one.setAttribute("aria-checked", String(key === value));
      one.tabIndex = key === value ? 0 : -1;
    }
  }

  label(value: T, title: string): void {
    this.buttons.get(value)?.setAttribute("title", title);
  }

  private arrow(event: KeyboardEvent): void {
    const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : event.key === "ArrowLeft" || event.key === "ArrowUp" ? -1 : 0;
    if (!step) return;
    const keys = [...this.buttons.keys()];
    const next = keys[(keys.indexOf(this.value as T) + step + keys.length) % keys.length] as T;
    event.preventDefault();
    event.stopPropagation();
    this.chosen(next);
    this.buttons.get(next)?.focus();
  }
}

export const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
