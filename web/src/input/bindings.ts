/** Bindings: what can be done by key, which keys do it, and the rider's own choice of keys. */
import { recall, remember } from "../memory";

export type Group = "Ride" | "Time" | "Look" | "Studio";

export interface Operation {
  readonly id: string;
  readonly group: Group;
  readonly label: string;
  /** KeyboardEvent.code: where a key lies, whatever is printed on it. */
  readonly codes: readonly string[];
}

const operation = (id: string, group: Group, label: string, ...codes: string[]): Operation => ({ id, group, label, codes });

export const OPERATIONS: readonly Operation[] = [
  operation("forward", "Ride", "Go, while held", "KeyW", "ArrowUp"),
  operation("brake", "Ride", "Halt", "KeyS", "ArrowDown"),
  operation("left", "Ride", "Steer left", "KeyA", "ArrowLeft"),
  operation("right", "Ride", "Steer right", "KeyD", "ArrowRight"),
  operation("tightLeft", "Ride", "Turn tight left", "KeyQ"),
  operation("tightRight", "Ride", "Turn tight right", "KeyE"),
  operation("gaitUp", "Ride", "Next faster gait, and keep it", "KeyR", "PageUp"),
  operation("gaitDown", "Ride", "Next slower gait, and keep it", "KeyF", "PageDown"),
  operation("faster", "Ride", "A little faster", "Equal"),
  operation("slower", "Ride", "A little slower", "Minus"),
  operation("lead", "Ride", "Lead: by the turn, left, right", "KeyL"),
  operation("jump", "Ride", "Jump, where the method can", "Space"),
  operation("pause", "Time", "Pause, go on", "KeyP"),
  operation("step", "Time", "One frame on, while paused", "Period"),
  operation("slow", "Time", "Slow motion", "Comma"),
  operation("camera", "Look", "Next camera", "KeyC"),
  operation("recentre", "Look", "Camera back to its place", "Home"),
  operation("skeleton", "Look", "Skeleton", "KeyB"),
  operation("trail", "Look", "Hoof trail", "KeyT"),
  operation("mute", "Studio", "Sound on, off", "KeyM"),
  operation("record", "Studio", "Record, stop", "KeyK"),
  operation("reset", "Studio", "Back to the start", "Backspace"),
  operation("setup", "Studio", "Setup panel", "KeyO"),
  operation("help", "Studio", "These keys", "Slash", "KeyH"),
];

const STORED = "keys";

/** Keys of every operation, the rider's own where there are any. */
export class Bindings {
  private readonly own = new Map<string, readonly string[]>();
  private readonly byCode = new Map<string, string>();

  constructor() {
    try {
      const stored: unknown = JSON.parse(recall(STORED) ?? "{}");
      if (stored && typeof stored === "object") {
        for (const [id, codes] of Object.entries(stored)) {
          if (OPERATIONS.some((one) => one.id === id) && Array.isArray(codes)) this.own.set(id, codes.map(String));
        }
      }
    } catch {
      remember(STORED, null);
    }
    this.index();
  }

  codes(id: string): readonly string[] {
    return this.own.get(id) ?? OPERATIONS.find((one) => one.id === id)?.codes ?? [];
  }

  operationOf(code: string): string | undefined {
    return this.byCode.get(code);
  }

  /** Give an operation this one key; whoever had it loses it. */
  bind(id: string, code: string): void {
    for (const one of OPERATIONS) {
      const codes = this.codes(one.id);
      if (one.id !== id && codes.includes(code)) this.own.set(one.id, codes.filter((other) => other !== code));
    }
    this.own.set(id, [code]);
    this.store();
  }

  restore(): void {
    this.own.clear();
    this.store();
  }

  private store(): void {
    remember(STORED, this.own.size ? JSON.stringify(Object.fromEntries(this.own)) : null);
    this.index();
  }

  private index(): void {
    this.byCode.clear();
    for (const one of OPERATIONS) for (const code of this.codes(one.id)) this.byCode.set(code, one.id);
  }
}

const SIGNS: Readonly<Record<string, string>> = {
  ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Period: ".", Comma: ",", Slash: "?", Equal: "+", Minus: "−",
  Space: "Space", PageUp: "Page ↑", PageDown: "Page ↓", Backspace: "Back", BracketLeft: "[", BracketRight: "]",
};

/** What is printed on the key, as far as a code tells. */
export function keyName(code: string): string {
  return SIGNS[code] ?? code.replace(/^Key|^Digit/, "").replace(/^Numpad/, "Num ");
}
