/** Pose: one moment to draw, made between the frames that the server sent; the newest frame wins. */
import type { Frame } from "../messages";

/** What is drawn. Arrays are made once for a skeleton and written over. */
export class Pose {
  readonly root = new Float64Array(3);
  readonly positions: Float32Array;
  readonly rotations: Float32Array;
  readonly targets = new Float32Array(12);
  readonly corrections = new Float32Array(12);
  heading = 0;
  height = 1;
  /** The newest frame that has a part in it. */
  frame: Frame | null = null;

  constructor(readonly joints: number) {
    this.positions = new Float32Array(3 * joints);
    this.rotations = new Float32Array(4 * joints);
  }
}

/** Frames kept to draw between. */
const KEPT = 4;
/** A pause, a sleep or a jump of the clock: start anew [ticks]. */
const BREAK = 12;
/** The picture runs this far behind the newest frame where the display is quick [ticks]. */
const BEHIND = 1;

export class Frames {
  private readonly ring: (Frame | null)[] = new Array<Frame | null>(KEPT).fill(null);
  private count = 0;
  /** Arrival of tick 0 by this machine's clock, were all as prompt as the promptest [ticks]. */
  private start = Number.NaN;

  constructor(private readonly rate: number) {}

  clear(): void {
    this.ring.fill(null);
    this.count = 0;
    this.start = Number.NaN;
  }

  get latest(): Frame | null {
    return this.count ? (this.ring[(this.count - 1) % KEPT] as Frame) : null;
  }

  /** Put a frame in the place of the newest where it is the same moment; false where it is not. */
  replace(frame: Frame): boolean {
    const last = this.latest;
    if (!last || frame.number !== last.number || frame.joints !== last.joints) return false;
    this.ring[(this.count - 1) % KEPT] = frame;
    return true;
  }

  /** Keep a frame that came at `now` [ms]. */
  push(frame: Frame, now: number): void {
    const last = this.latest;
    if (last && (frame.joints !== last.joints || frame.number <= last.number || frame.number - last.number > BREAK))
      this.clear();
    this.ring[this.count % KEPT] = frame;
    this.count += 1;
    const offset = (now * this.rate) / 1000 - frame.number;
    // The promptest arrival counts; it is forgotten slowly, since two clocks never run alike.
    if (!(Math.abs(offset - this.start) < BREAK)) this.start = offset;
    else this.start = Math.min(offset, this.start + 0.01);
  }

  /** Write the moment `now` [ms] into `pose`; false where there is nothing yet. */
  write(pose: Pose, now: number, quick: boolean): boolean {
    const latest = this.latest;
    if (!latest || latest.joints !== pose.joints) return false;
    const wanted = (now * this.rate) / 1000 - this.start - BEHIND;
    let after = latest;
    let before = latest;
    if (quick && wanted < latest.number) {
      for (let k = 1; k < Math.min(this.count, KEPT); k++) {
        before = this.ring[(this.count - 1 - k) % KEPT] as Frame;
        if (before.number <= wanted) break;
        after = before;
      }
    }
    const gap = after.number - before.number;
    const share = gap > 0 ? Math.min(1, Math.max(0, (wanted - before.number) / gap)) : 1;
    blend(pose, before, after, share);
    pose.frame = share > 0 ? after : before;
    return true;
  }
}

function blend(pose: Pose, a: Frame, b: Frame, share: number): void {
  const rest = 1 - share;
  for (let k = 0; k < 3; k++) pose.root[k] = a.root[k]! * rest + b.root[k]! * share;
  pose.heading = a.heading * rest + b.heading * share;
  pose.height = a.height * rest + b.height * share;
  mix(pose.positions, a.positions, b.positions, share);
  mix(pose.targets, a.targets, b.targets, share);
  mix(pose.corrections, a.corrections, b.corrections, share);
  turn(pose.rotations, a.rotations, b.rotations, share);
}

function mix(out: Float32Array, a: Float32Array, b: Float32Array, share: number): void {
  for (let k = 0; k < out.length; k++) out[k] = a[k]! + (b[k]! - a[k]!) * share;
}

/** Between two rotations a tick apart the straight way is as good as the arc. */
function turn(out: Float32Array, a: Float32Array, b: Float32Array, share: number): void {
  for (let k = 0; k < out.length; k += 4) {
    const dot = a[k]! * b[k]! + a[k + 1]! * b[k + 1]! + a[k + 2]! * b[k + 2]! + a[k + 3]! * b[k + 3]!;
    const s = dot < 0 ? -share : share;
    const r = 1 - share;
    const x = a[k]! * r + b[k]! * s;
    const y = a[k + 1]! * r + b[k + 1]! * s;
    const z = a[k + 2]! * r + b[k + 2]! * s;
    const w = a[k + 3]! * r + b[k + 3]! * s;
    const n = 1 / (Math.sqrt(x * x + y * y + z * z + w * w) || 1);
    out[k] = x * n;
    out[k + 1] = y * n;
    out[k + 2] = z * n;
    out[k + 3] = w * n;
  }
}
