/** Theme: light, dark, or as the system says. */
import { recall, remember } from "./memory";

export type ThemeChoice = "auto" | "light" | "dark";
const ORDER: readonly ThemeChoice[] = ["auto", "light", "dark"];
const NAMES: Readonly<Record<ThemeChoice, string>> = { auto: "Auto", light: "Light", dark: "Dark" };

export class Theme {
  private choice: ThemeChoice;
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");

  constructor(
    button: HTMLButtonElement,
    private readonly name: HTMLElement,
    private readonly changed: (look: "light" | "dark") => void,
  ) {
    const stored = recall("theme");
    this.choice = stored === "light" || stored === "dark" ? stored : "auto";
    button.addEventListener("click", () => {
      this.choice = ORDER[(ORDER.indexOf(this.choice) + 1) % ORDER.length] as ThemeChoice;
      remember("theme", this.choice === "auto" ? null : this.choice);
      this.apply();
    });
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get look(): "light" | "dark" {
    return this.choice === "auto" ? (this.system.matches ? "dark" : "light") : this.choice;
  }

  private apply(): void {
    document.documentElement.dataset["look"] = this.look;
    this.name.textContent = NAMES[this.choice];
    this.changed(this.look);
  }
}
