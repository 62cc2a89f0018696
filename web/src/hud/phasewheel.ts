/** Phase wheel: one turn is one stride; an arc is a leg's stance, the hand is the moment now. */
import type { Frame } from "../messages";
import { Board, type Inks, LEGS, ROWS } from "./legs";

/** Half-life with which an arc moves when the gait changes [frames]. */
const SMOOTHING = 0.25;

export class PhaseWheel {
  private readonly board: Board;
  /** Touchdown after the left hind, and the part of the stride that the leg stands. */
  private readonly touchdown = new Float32Array(4);
  private readonly duty = new Float32Array(4).fill(0.5);
  private readonly standing = new Uint8Array(4);
  private readonly last = new Float32Array(4);
  private hand = 0;
  private moving = false;

  constructor(parent: HTMLElement, private readonly inks: Inks) {
    this.board = new Board(parent, "Phase wheel: a turn is a stride, arcs are stances of the four legs, the hand is now");
  }

  push(frame: Frame): void {
    this.moving = frame.speed > 0.05;
    this.hand = frame.phase[2]!;
    for (let leg = 0; leg < 4; leg++) {
      const after = this.hand - frame.phase[leg]!;
      this.touchdown[leg] = this.touchdown[leg]! + SMOOTHING * near(after - this.touchdown[leg]!);
      const down = frame.contacts[leg]! > 0.5 ? 1 : 0;
      // The phase at lift-off is the duty.
      if (!down && this.standing[leg] && this.last[leg]! > 0.05) this.duty[leg] = this.last[leg]!;
      this.standing[leg] = down;
      this.last[leg] = frame.phase[leg]!;
    }
  }

  draw(): void {
    const { pen, width, height } = this.board;
    const inks = this.inks;
    const size = Math.min(width, height);
    pen.clearRect(0, 0, width, height);
    if (size < 40) return;
    const x = width / 2;
    const y = height / 2;
    const band = size / 13;
    pen.lineCap = "butt";
    for (let k = 0; k < 4; k++) {
      const leg = ROWS[k] as number;
      const radius = size / 2 - 2 - band / 2 - k * (band + 2);
      pen.lineWidth = band;
      pen.strokeStyle = inks.sunken;
      pen.beginPath();
      pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.stroke();
      if (!this.moving) {
        if (this.standing[leg]) {
          pen.strokeStyle = inks.legs[leg] as string;
          pen.globalAlpha = 0.35;
          pen.stroke();
          pen.globalAlpha = 1;
        }
        continue;
      }
      const start = this.touchdown[leg]! * 2 * Math.PI - Math.PI / 2;
      pen.strokeStyle = inks.legs[leg] as string;
      pen.globalAlpha = this.standing[leg] ? 1 : 0.45;
      pen.beginPath();
      pen.arc(x, y, radius, start, start + this.duty[leg]! * 2 * Math.PI);
      pen.stroke();
      pen.globalAlpha = 1;
    }
    this.drawHand(x, y, size / 2 - 1, size / 2 - 4 * (band + 2) - 3);
  }

  private drawHand(x: number, y: number, outer: number, inner: number): void {
    const { pen } = this.board;
    if (this.moving) {
      const angle = this.hand * 2 * Math.PI - Math.PI / 2;
      pen.strokeStyle = this.inks.ink;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(x + inner * Math.cos(angle), y + inner * Math.sin(angle));
      pen.lineTo(x + outer * Math.cos(angle), y + outer * Math.sin(angle));
      pen.stroke();
    }
    // Four contact lights as the feet stand on the ground, seen from above.
    const d = Math.max(4, inner * 0.42);
    for (let leg = 0; leg < 4; leg++) {
      const left = LEGS[leg]!.startsWith("L") ? -1 : 1;
      const fore = LEGS[leg]!.endsWith("F") ? -1 : 1;
      pen.beginPath();
      pen.arc(x + left * d, y + fore * d * 1.15, Math.max(2.5, d * 0.55), 0, 2 * Math.PI);
      pen.fillStyle = this.standing[leg] ? (this.inks.legs[leg] as string) : this.inks.sunken;
      pen.fill();
    }
  }
}

function near(turns: number): number {
  return turns - Math.round(turns);
}
