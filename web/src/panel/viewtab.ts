/** View tab: what is drawn besides the horse, how finely, and in which light. */
import { make, Segmented } from "../dom";
import type { Choice } from "../scene/quality";
import type { Shown } from "../scene/stage";
import { row, section, toggle } from "./fields";

const MARKS: readonly (readonly [keyof Shown, string, string])[] = [
  ["trail", "Hoof trail", "T"],
  ["path", "Path of the root", ""],
  ["skeleton", "Skeleton", "B"],
  ["axes", "Joint axes", ""],
  ["targets", "Foot targets", ""],
  ["locks", "Lock corrections, five times as long", ""],
];

export class ViewTab {
  readonly element = make("div", { class: "tab" });
  private readonly boxes = new Map<keyof Shown, HTMLInputElement>();
  private readonly quality: Segmented<Choice>;
  private readonly now = make("p", { class: "note" });
  private said = "";

  constructor(shown: (mark: keyof Shown, on: boolean) => void, quality: (choice: Choice) => void) {
    const marks = MARKS.map(([mark, label, key]) => {
      const [element, box] = toggle(label, key, (on) => shown(mark, on));
      this.boxes.set(mark, box);
      return element;
    });
    this.quality = new Segmented<Choice>("Picture", [["auto", "Auto"], ["low", "Low"], ["medium", "Medium"], ["high", "High"]], (choice) => {
      this.quality.show(choice);
      quality(choice);
    });
    this.element.append(section("Show", ...marks), section("Picture", row("Detail", this.quality.element, this.now)));
  }

  showMarks(shown: Shown): void {
    for (const [mark, box] of this.boxes) box.checked = shown[mark];
  }

  showQuality(choice: Choice, level: string, fps: number): void {
    this.quality.show(choice);
    const said = `${level}, ${Math.round(fps)} pictures a second${choice === "auto" ? ". Chosen by how fast this machine draws." : ""}`;
    if (said !== this.said) this.now.textContent = this.said = said;
  }
}
