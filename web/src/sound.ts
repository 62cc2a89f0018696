/** Sound: a hoofbeat for every touchdown, made on the spot; each leg has its own pitch and side. */
import { recall, remember } from "./memory";

/** LF, RF, LH, RH: fore higher than hind, left a little lower than right, so that orders can be told. */
const PITCH = [196, 220, 131, 147] as const;
const SIDE = [-0.45, 0.45, -0.45, 0.45] as const;
const LENGTH = 0.11;

export class Sound {
  on: boolean;
  private context: AudioContext | null = null;
  private noise: AudioBuffer | null = null;
  private out: GainNode | null = null;

  constructor() {
    this.on = recall("sound") !== "off";
    // Browsers let a page sound only after it was touched.
    const wake = (): void => this.wake();
    window.addEventListener("keydown", wake, { passive: true });
    window.addEventListener("pointerdown", wake, { passive: true });
  }

  toggle(): boolean {
    this.on = !this.on;
    remember("sound", this.on ? null : "off");
    this.wake();
    return this.on;
  }

  /** A hoof of leg 0..3 lands under a horse of this speed [m/s]. */
  beat(leg: number, speed: number): void {
    const context = this.context;
    if (!this.on || !context || !this.noise || !this.out || context.state !== "running") return;
    const now = context.currentTime;
    const force = Math.min(1, 0.3 + 0.07 * speed);
    const pan = new StereoPannerNode(context, { pan: SIDE[leg] ?? 0 });
    pan.connect(this.out);
    const pitch = PITCH[leg] ?? 180;
    const thump = new OscillatorNode(context, { type: "sine", frequency: pitch });
    thump.frequency.setValueAtTime(pitch * 1.5, now);
    thump.frequency.exponentialRampToValueAtTime(pitch * 0.62, now + 0.06);
    const body = new GainNode(context, { gain: 0 });
    body.gain.setValueAtTime(0.55 * force, now);
    body.gain.exponentialRampToValueAtTime(0.001, now + LENGTH);
    thump.connect(body).connect(pan);
    const scuff = new AudioBufferSourceNode(context, { buffer: this.noise });
    const band = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch * 6, Q: 1.1 });
    const click = new GainNode(context, { gain: 0 });
    click.gain.setValueAtTime(0.3 * force, now);
    click.gain.exponentialRampToValueAtTime(0.001, now + 0.05);
    scuff.connect(band).connect(click).connect(pan);
    thump.start(now);
    scuff.start(now, Math.random() * 0.5, LENGTH);
    thump.stop(now + LENGTH + 0.01);
    thump.onended = () => pan.disconnect();
  }

  private wake(): void {
    if (!this.on) return;
    if (!this.context) {
      const context = new AudioContext({ latencyHint: "interactive" });
      const noise = context.createBuffer(1, context.sampleRate, context.sampleRate);
      const data = noise.getChannelData(0);
      for (let k = 0; k < data.length; k++) data[k] = Math.random() * 2 - 1;
      this.noise = noise;
      this.out = new GainNode(context, { gain: 0.7 });
      this.out.connect(new DynamicsCompressorNode(context)).connect(context.destination);
      this.context = context;
    }
    if (this.context.state === "suspended") void this.context.resume();
  }
}
