/** Gamepad: how far the stick is pushed is how fast to go; the other stick looks around. */

export interface PadListener {
  padButton(id: "jump" | "brake" | "gaitUp" | "gaitDown" | "camera" | "record" | "pause"): void;
}

/** Sticks at rest are never quite at zero. */
const DEAD = 0.14;
/** Standard mapping: A, B, X, Y, left and right shoulder, start. */
const BUTTONS = [
  [0, "jump"],
  [1, "brake"],
  [2, "record"],
  [3, "camera"],
  [4, "gaitDown"],
  [5, "gaitUp"],
  [9, "pause"],
] as const;

export class Pad {
  present = false;
  /** In [0, 1]; how far the stick is pushed, not pulled. */
  go = 0;
  /** In [-1, 1], left positive. */
  turn = 0;
  lookX = 0;
  lookY = 0;
  private down = 0;

  constructor(private readonly listener: PadListener) {}

  get active(): boolean {
    return this.go > 0 || this.turn !== 0;
  }

  /** Read it, once a frame. */
  read(): void {
    const pad = this.first();
    this.present = pad !== null;
    this.go = this.turn = this.lookX = this.lookY = 0;
    if (!pad) return;
    const x = pad.axes[0] ?? 0;
    const y = pad.axes[1] ?? 0;
    const strength = live(Math.hypot(x, y));
    // Straight back is no way to ride; pushed to the side the horse turns and still goes.
    this.go = y < 0.5 * Math.abs(x) + 0.05 ? strength : 0;
    this.turn = -Math.sign(x) * live(Math.abs(x));
    this.lookX = Math.sign(pad.axes[2] ?? 0) * live(Math.abs(pad.axes[2] ?? 0));
    this.lookY = Math.sign(pad.axes[3] ?? 0) * live(Math.abs(pad.axes[3] ?? 0));
    for (let k = 0; k < BUTTONS.length; k++) {
      const [index, id] = BUTTONS[k] as (typeof BUTTONS)[number];
      const pressed = pad.buttons[index]?.pressed ?? false;
      if (pressed && !(this.down & (1 << k))) this.listener.padButton(id);
      this.down = pressed ? this.down | (1 << k) : this.down & ~(1 << k);
    }
  }

  private first(): Gamepad | null {
    const pads = navigator.getGamepads();
    for (let k = 0; k < pads.length; k++) {
      const pad = pads[k];
      if (pad?.connected) return pad;
    }
    return null;
  }
}

function live(value: number): number {
  return value < DEAD ? 0 : Math.min(1, (value - DEAD) / (1 - DEAD));
}
