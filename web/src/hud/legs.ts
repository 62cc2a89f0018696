/** Legs: names, colours and the order of rows, as the footfall diagrams of hoofbeat have them. */

/** In the order of all arrays. */
export const LEGS = ["LF", "RF", "LH", "RH"] as const;
export const LEG_WORDS = ["left fore", "right fore", "left hind", "right hind"] as const;
/** Rows from top to bottom: LH LF RF RH. */
export const ROWS = [2, 0, 1, 3] as const;

/** Colours read from the style sheet, again whenever the look changes. */
export class Inks {
  legs: string[] = ["", "", "", ""];
  text = "";
  quiet = "";
  line = "";
  paper = "";
  sunken = "";
  ink = "";

  constructor() {
    this.read();
  }

  read(): void {
    const style = getComputedStyle(document.documentElement);
    const of = (name: string): string => style.getPropertyValue(name).trim();
    this.legs = [of("--lf"), of("--rf"), of("--lh"), of("--rh")];
    this.text = of("--text");
    this.quiet = of("--quiet");
    this.line = of("--line");
    this.paper = of("--paper");
    this.sunken = of("--sunken");
    this.ink = of("--ink");
  }
}

/** A canvas that fills its parent at the device's own pixels. */
export class Board {
  readonly canvas = document.createElement("canvas");
  readonly pen: CanvasRenderingContext2D;
  width = 0;
  height = 0;

  constructor(parent: HTMLElement, label: string) {
    this.canvas.className = "board";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
    const pen = this.canvas.getContext("2d");
    if (!pen) throw new Error("this browser draws no canvas");
    this.pen = pen;
    parent.append(this.canvas);
    new ResizeObserver(() => this.fit()).observe(this.canvas);
    this.fit();
  }

  private fit(): void {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.max(1, Math.round(this.width * ratio));
    this.canvas.height = Math.max(1, Math.round(this.height * ratio));
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  }
}
