/** Veil: what lies over the stage while there is nothing to ride: loading, reconnecting, ended, no WebGL. */
import { make } from "../dom";

export type VeilKind = "none" | "loading" | "lost" | "ended" | "failed";

export class Veil {
  private kind: VeilKind | "" = "";
  private text = "";

  constructor(
    private readonly element: HTMLElement,
    private readonly again: () => void,
    private readonly over: () => void,
  ) {}

  show(kind: VeilKind, text = ""): void {
    if (kind === this.kind && text === this.text) return;
    this.kind = kind;
    this.text = text;
    this.element.dataset["kind"] = kind;
    this.element.replaceChildren();
    if (kind === "none") return;
    const card = make("div", { class: "card" });
    this.element.append(card);
    if (kind === "loading") card.append(hooves(), make("h2", {}, "Saddling up"), make("p", {}, text || "The server makes the horse ready."));
    if (kind === "lost") card.append(hooves(), make("h2", {}, "The server is away"), make("p", {}, text || "Trying again. The ride goes on where it was, and takes are kept on the server."));
    if (kind === "ended") card.append(make("h2", {}, "Off the horse"), make("p", {}, text), this.buttons());
    if (kind === "failed") card.append(make("h2", {}, "Nothing can be drawn"), make("p", {}, text));
  }

  private buttons(): HTMLElement {
    const here = make("button", { type: "button", class: "primary" }, "Ride here");
    const fresh = make("button", { type: "button" }, "Start a new ride");
    here.addEventListener("click", this.again);
    fresh.addEventListener("click", this.over);
    return make("div", { class: "pair" }, here, fresh);
  }
}

/** Four feet that fall in the order of a walk. */
function hooves(): HTMLElement {
  return make("div", { class: "hooves", "aria-hidden": true }, make("i"), make("i"), make("i"), make("i"));
}
