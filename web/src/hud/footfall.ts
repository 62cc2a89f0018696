/** Footfall: bars that run to the left as time passes, one row a leg, dark where the hoof stands. */
import { EVENTS, type Frame } from "../messages";
import { Board, type Inks, LEGS, ROWS } from "./legs";

/** Shown [s]. */
const SPAN = 3;
/** Frames further apart than this were skipped between [s]. */
const SKIPPED = 0.06;
/** Over a longer time a stride may have ended unseen, and the phase tells no rate [s]. */
const UNSURE = 0.25;
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
  /** How long each leg last stood, where both ends were seen [s]. */
  private readonly stances = new Float64Array(4);
  /** Phase of the left hind, and how fast it goes [1/s]. */
  private hand = 0;
  private rate = 0;
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
    this.stances.fill(0);
    this.rate = 0;
    this.gaitTimes.fill(Number.NaN);
    this.gait = "";
  }

  /** Count a frame; `gait` without its lead. */
  push(frame: Frame, gait: string): void {
    if (frame.time < this.time || frame.time > this.time + 1) this.clear();
    const last = this.time;
    const span = frame.time - last;
    this.time = frame.time;
    const turned = frame.phase[2]! - this.hand;
    this.hand = frame.phase[2]!;
    if (span > 0 && span < UNSURE) this.rate = (turned < 0 ? turned + 1 : turned) / span;
    for (let leg = 0; leg < 4; leg++) {
      const down = frame.contacts[leg]! > 0.5 ? 1 : 0;
      if (span > SKIPPED) this.unseen(frame, leg, last, down);
      else if (down && !this.standing[leg]) this.land(leg, frame.time);
      else if (!down && this.standing[leg]) {
        this.stances[leg] = frame.time - this.starts[leg]![this.newest(leg)]!;
        this.leave(leg, frame.time);
      }
    }
    if (gait !== this.gait) {
      this.gait = gait;
      this.gaitTimes[this.gaits % 12] = frame.time;
      this.gaitNames[this.gaits % 12] = gait;
      this.gaits += 1;
    }
  }

  /** What a leg did between `last` and this frame, of which only the events came: within these times, by the phase. */
  private unseen(frame: Frame, leg: number, last: number, down: 0 | 1): void {
    const within = (time: number): number => Math.min(frame.time, Math.max(last, time));
    const landed = within(this.rate > 0 ? frame.time - frame.phase[leg]! / this.rate : frame.time);
    const middle = (last + frame.time) / 2;
    if (this.standing[leg] && (!down || frame.events & (EVENTS.liftoff << leg))) {
      const start = this.starts[leg]![this.newest(leg)]!;
      this.leave(leg, this.stances[leg]! > 0 ? within(start + this.stances[leg]!) : middle);
    }
    if (this.standing[leg]) return;
    if (down) this.land(leg, landed);
    else if (frame.events & (EVENTS.touchdown << leg)) {
      this.land(leg, landed);
      this.leave(leg, this.stances[leg]! > 0 ? within(landed + this.stances[leg]!) : frame.time);
    }
  }

  private newest(leg: number): number {
    return (this.counts[leg]! - 1 + BARS) % BARS;
  }

  private land(leg: number, time: number): void {
    const next = this.counts[leg]! % BARS;
    this.starts[leg]![next] = time;
    this.ends[leg]![next] = Number.NaN;
    this.counts[leg] = this.counts[leg]! + 1;
    this.standing[leg] = 1;
  }

  private leave(leg: number, time: number): void {
    this.ends[leg]![this.newest(leg)] = time;
    this.standing[leg] = 0;
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
