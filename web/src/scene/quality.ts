/** Quality: three presets, and the choice between them by the frame times that are measured. */
import { recall } from "../memory";

export const LEVELS = ["low", "medium", "high"] as const;
export type Level = (typeof LEVELS)[number];
export type Choice = "auto" | Level;

/** What a preset turns on. `pixels` is drawn pixels to a CSS pixel, at most. */
export interface Preset {
  readonly pixels: number;
  readonly smooth: boolean;
  readonly shadow: number;
  readonly fine: boolean;
  readonly tufts: boolean;
}

export const PRESETS: Readonly<Record<Level, Preset>> = {
  low: { pixels: 0.66, smooth: false, shadow: 0, fine: false, tufts: false },
  medium: { pixels: 1, smooth: true, shadow: 1024, fine: false, tufts: true },
  high: { pixels: 2, smooth: true, shadow: 2048, fine: true, tufts: true },
};

/** Falls where a second's mean frame takes longer than this [ms] … */
const SLOW = 1000 / 27;
/** … and rises after long quick riding, once, if it has not fallen from there before. */
const QUICK = 1000 / 55;
const LOOK = 1000;
const PATIENCE = 8;
/** A frame longer than this is a hidden tab or a debugger, not a slow machine [ms]. */
const ABSENT = 600;

export class Quality {
  level: Level;
  /** Mean frame time of the last second or so [ms]. */
  mean = 0;
  private sum = 0;
  private frames = 0;
  private quick = 0;
  private settle = 2;
  private fallen: Level | null = null;

  constructor(
    private choice: Choice,
    start: Level,
    private readonly changed: (level: Level) => void,
  ) {
    this.level = choice === "auto" ? start : choice;
  }

  choose(choice: Choice): void {
    this.choice = choice;
    this.fallen = null;
    this.quick = 0;
    if (choice !== "auto") this.go(choice);
  }

  get fps(): number {
    return this.mean > 0 ? 1000 / this.mean : 0;
  }

  /** Count a frame that took `ms`. */
  tick(ms: number): void {
    if (ms > ABSENT) return;
    this.sum += ms;
    this.frames += 1;
    if (this.sum < LOOK) return;
    this.mean = this.sum / this.frames;
    this.sum = 0;
    this.frames = 0;
    // Shaders compile and textures load in the first seconds of a preset.
    if (this.settle > 0) this.settle -= 1;
    else if (this.choice === "auto") this.judge();
  }

  private judge(): void {
    const at = LEVELS.indexOf(this.level);
    if (this.mean > SLOW && at > 0) {
      this.fallen = this.level;
      this.go(LEVELS[at - 1] as Level);
      return;
    }
    this.quick = this.mean < QUICK ? this.quick + 1 : 0;
    const above = LEVELS[at + 1];
    if (this.quick >= PATIENCE && above && above !== this.fallen) this.go(above);
  }

  private go(level: Level): void {
    this.settle = 2;
    this.quick = 0;
    if (level === this.level) return;
    this.level = level;
    this.changed(level);
  }
}

/** True where WebGL is drawn by the processor: such a machine starts low. */
export function drawnInSoftware(context: WebGLRenderingContext | WebGL2RenderingContext): boolean {
  const facts = context.getExtension("WEBGL_debug_renderer_info");
  const name = facts ? String(context.getParameter(facts.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** What the rider chose at the last visit. */
export function storedChoice(): Choice {
  const stored = recall("preset");
  return LEVELS.find((level) => level === stored) ?? "auto";
}

/** Where to begin: a fixed choice, or where the last visit ended. */
export function storedLevel(): Level | null {
  const choice = storedChoice();
  return choice !== "auto" ? choice : (LEVELS.find((level) => level === recall("level")) ?? null);
}
