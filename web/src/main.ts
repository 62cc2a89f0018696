/** The studio's page: its views and what scripts and tests may ask it. */
import { byId } from "./dom";
import type { RideState } from "./ride/state";
import { RideView } from "./ride/view";

declare global {
  interface Window {
    hoofbeat?: { state(): RideState; onScreen(): { frame: number; command: number } };
  }
}

/** Views by name. The bar shows a choice of them as soon as there are two. */
const VIEWS = [["Ride", RideView]] as const;

function start(): void {
  byId("views", HTMLElement).hidden = VIEWS.length < 2;
  try {
    const view = new VIEWS[0][1]();
    window.hoofbeat = { state: () => view.state(), onScreen: () => view.onScreen };
  } catch (problem) {
    byId("ride", HTMLElement).dataset["link"] = "failed";
    byId("link-text", HTMLElement).textContent = "Not connected";
    const veil = byId("veil", HTMLElement);
    veil.dataset["kind"] = "failed";
    const text = document.createElement("div");
    text.className = "card";
    const head = document.createElement("h2");
    head.textContent = "Nothing can be drawn here";
    const body = document.createElement("p");
    body.textContent = "The studio needs WebGL. Allow hardware acceleration or software rendering in the browser's settings, or try another browser.";
    text.append(head, body);
    veil.replaceChildren(text);
    throw problem;
  }
}

start();
