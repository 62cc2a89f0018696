/** Fields: labelled rows of the panel. */
import { make } from "../dom";

export function row(label: string, control: HTMLElement, note?: HTMLElement | string): HTMLElement {
  const id = control.id || `field-${label.toLowerCase().replace(/\W+/g, "-")}`;
  control.id = id;
  const name = make("label", { for: id }, label);
  return make("div", { class: "row" }, name, control, ...(note ? [note instanceof HTMLElement ? note : make("p", { class: "note" }, note)] : []));
}

export function section(name: string, ...children: HTMLElement[]): HTMLElement {
  return make("section", { class: "group" }, make("h3", {}, name), ...children);
}

export function choose(select: HTMLSelectElement, options: readonly (readonly [string, string])[]): void {
  const same = select.options.length === options.length && options.every(([value], k) => select.options[k]?.value === value);
  if (!same) select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
}

export function toggle(label: string, key: string, changed: (on: boolean) => void): [HTMLElement, HTMLInputElement] {
  const box = make("input", { type: "checkbox" });
  box.addEventListener("change", () => changed(box.checked));
  const words = make("span", {}, label);
  if (key) words.append(make("kbd", {}, key));
  return [make("label", { class: "check" }, box, words), box];
}
