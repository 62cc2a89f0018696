/** Footfall: bars that run to the left as time passes, one row a leg, dark where the hoof stands. */
import { EVENTS, type Frame } from "../messages";
import { Board, type Inks, LEGS, ROWS } from "./legs";

/** Shown [s]. */
const SPAN = 3;
/** Frames further apart than this were skipped between [s]. */
const SKIPPED = 0.06;
/** Bars kept a leg. */
const BARS = 48;
const LEFT = 30;
const RIGHT = 24;
const TOP = 15;
const BOTTOM = 13;

export class Footfall {
  private readonly board: Board;
  /** Start and end of each bar [s of the ride]; an end of NaN is still standing. */
  private readonly starts = [0, 1, 2, 3].map(() => new Float64Array(BARS).fill(Number.NaN));
  private readonly ends = [0, 1, 2, 3].map(() => new Float64Array(BARS).fill(Number.NaN));
  private readonly counts = new Int32Array(4);
  private readonly standing = new Uint8Array(4);
  private readonly gaitTimes = new Float64Array(12).fill(Number.NaN);
  private readonly gaitNames: string[] = new Array<string>(12).fill("");
  private gaits = 0;
  private gait = "";
  private time = Number.NaN;

  constructor(parent: HTMLElement, private readonly inks: Inks) {
    this.board = new Board(parent, "Footfall bars of the last three seconds: left hind, left fore, right fore, right hind");
  }

  clear(): void {
    for (const list of [...this.starts, ...this.ends]) list.fill(Number.NaN);
    this.counts.fill(0);
    this.standing.fill(0);
    this.gaitTimes.fill(Number.NaN);
    this.gait = "";
  }

  /** Take up a frame; `gait` without its lead. */
  push(frame: Frame, gait: string): void {
    if (frame.time < this.time || frame.time > this.time + 1) this.clear();
    const last = this.time;
    const skipped = frame.time - last > SKIPPED;
    this.time = frame.time;
    for (let leg = 0; leg < 4; leg++) {
      const down = frame.contacts[leg]! > 0.5 ? 1 : 0;
      const at = (this.counts[leg]! - 1 + BARS) % BARS;
      // A leg that left the ground unseen did not stand all the while: its bar ends where it was last seen.
      if (skipped && this.standing[leg] && frame.events & (EVENTS.liftoff << leg)) {
        this.ends[leg]![at] = last;
        this.standing[leg] = 0;
      }
      if (down && !this.standing[leg]) {
        const next = this.counts[leg]! % BARS;
        this.starts[leg]![next] = frame.time;
        this.ends[leg]![next] = Number.NaN;
        this.counts[leg] = this.counts[leg]! + 1;
      } else if (!down && this.standing[leg]) this.ends[leg]![at] = frame.time;
      this.standing[leg] = down;
    }
    if (gait !== this.gait) {
      this.gait = gait;
      this.gaitTimes[this.gaits % 12] = frame.time;
      this.gaitNames[this.gaits % 12] = gait;
      this.gaits += 1;
    }
  }

  draw(): void {
    const { pen, width, height } = this.board;
    const inks = this.inks;
    pen.clearRect(0, 0, width, height);
    const room = width - LEFT - RIGHT;
    const row = (height - TOP - BOTTOM) / 4;
    if (room < 20 || row < 4) return;
    const scale = room / SPAN;
    const now = Number.isNaN(this.time) ? 0 : this.time;
    pen.textBaseline = "middle";
    pen.fillStyle = inks.sunken;
    for (let k = 0; k < 4; k++) pen.fillRect(LEFT, TOP + k * row + 1, room, row - 3);
    this.drawTime(now, scale, room, height);
    pen.font = "600 11px system-ui, sans-serif";
    for (let k = 0; k < 4; k++) {
      const leg = ROWS[k] as number;
      const y = TOP + k * row;
      pen.textAlign = "left";
      pen.fillStyle = inks.text;
      pen.fillText(LEGS[leg] as string, 2, y + row / 2);
      pen.fillStyle = inks.legs[leg] as string;
      this.drawBars(leg, y + 1, row - 3, now, scale, room);
      this.light(leg, width - RIGHT / 2 + 2, y + row / 2 - 0.5, Math.min(6.5, row / 2 - 2));
    }
    this.drawGaits(now, scale, room, row);
  }

  private drawBars(leg: number, y: number, tall: number, now: number, scale: number, room: number): void {
    const { pen } = this.board;
    const first = Math.max(0, this.counts[leg]! - BARS);
    for (let k = first; k < this.counts[leg]!; k++) {
      const at = k % BARS;
      const stop = this.ends[leg]![at]!;
      const right = LEFT + room - (Number.isNaN(stop) ? 0 : (now - stop) * scale);
      const left = Math.max(LEFT, LEFT + room - (now - this.starts[leg]![at]!) * scale);
      if (right > LEFT) pen.fillRect(left, y, Math.max(1, right - left), tall);
    }
  }

  /** The contact light: filled while the hoof stands. */
  private light(leg: number, x: number, y: number, radius: number): void {
    const { pen } = this.board;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.lineWidth = 2;
    pen.strokeStyle = this.inks.legs[leg] as string;
    pen.fillStyle = this.inks.legs[leg] as string;
    pen.stroke();
    if (this.standing[leg]) pen.fill();
  }

  private drawTime(now: number, scale: number, room: number, height: number): void {
    const { pen } = this.board;
    pen.fillStyle = this.inks.quiet;
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.fillText("now", LEFT + room, height - 5);
    pen.textAlign = "center";
    for (let k = 1; k < SPAN; k++) pen.fillText(TICKS[k] as string, LEFT + room - k * scale, height - 5);
    pen.strokeStyle = this.inks.paper;
    pen.lineWidth = 1;
    pen.beginPath();
    for (let k = 0; k < SPAN * 2; k++) {
      const x = Math.round(LEFT + room - (((now * 2) % 1) + k) * scale * 0.5) + 0.5;
      pen.moveTo(x, TOP);
      pen.lineTo(x, height - BOTTOM - 2);
    }
    pen.stroke();
  }

  private drawGaits(now: number, scale: number, room: number, row: number): void {
    const { pen } = this.board;
    pen.fillStyle = this.inks.text;
    pen.strokeStyle = this.inks.text;
    pen.font = "600 11px system-ui, sans-serif";
    pen.textAlign = "left";
    const newest = this.gaits - 1;
    let edge = LEFT + room;
    for (let k = newest; k >= 0 && k > newest - 12; k--) {
      const true_ = LEFT + room - (now - this.gaitTimes[k % 12]!) * scale;
      const x = Math.max(LEFT, true_);
      const name = this.gaitNames[k % 12] as string;
      if (edge - x > 7 * name.length + 6) pen.fillText(name, x + 3, 8);
      if (true_ > LEFT) {
        pen.lineWidth = 1;
        pen.beginPath();
        pen.moveTo(Math.round(x) + 0.5, 2);
        pen.lineTo(Math.round(x) + 0.5, TOP + 4 * row - 2);
        pen.stroke();
      }
      edge = x;
      if (true_ <= LEFT) break;
    }
  }
}

const TICKS = ["", "−1 s", "−2 s"] as const;
