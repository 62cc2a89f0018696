/** Bindings: what can be done by key, which keys do it, and the rider's own choice of keys. */
import { recall, remember } from "../memory";

export type Group = "Ride" | "Time" | "Look" | "Studio";

export interface Deed {
  readonly id: string;
  readonly group: Group;
  readonly label: string;
  /** KeyboardEvent.code: where a key lies, whatever is printed on it. */
  readonly codes: readonly string[];
}

const deed = (id: string, group: Group, label: string, ...codes: string[]): Deed => ({ id, group, label, codes });

export const DEEDS: readonly Deed[] = [
  deed("forward", "Ride", "Go, while held", "KeyW", "ArrowUp"),
  deed("brake", "Ride", "Halt", "KeyS", "ArrowDown"),
  deed("left", "Ride", "Steer left", "KeyA", "ArrowLeft"),
  deed("right", "Ride", "Steer right", "KeyD", "ArrowRight"),
  deed("tightLeft", "Ride", "Turn tight left", "KeyQ"),
  deed("tightRight", "Ride", "Turn tight right", "KeyE"),
  deed("gaitUp", "Ride", "Next faster gait, and keep it", "KeyR", "PageUp"),
  deed("gaitDown", "Ride", "Next slower gait, and keep it", "KeyF", "PageDown"),
  deed("faster", "Ride", "A little faster", "Equal"),
  deed("slower", "Ride", "A little slower", "Minus"),
  deed("lead", "Ride", "Lead: by the turn, left, right", "KeyL"),
  deed("jump", "Ride", "Jump, where the method can", "Space"),
  deed("pause", "Time", "Pause, go on", "KeyP"),
  deed("step", "Time", "One frame on, while paused", "Period"),
  deed("slow", "Time", "Slow motion", "Comma"),
  deed("camera", "Look", "Next camera", "KeyC"),
  deed("recentre", "Look", "Camera back to its place", "Home"),
  deed("skeleton", "Look", "Skeleton", "KeyB"),
  deed("trail", "Look", "Hoof trail", "KeyT"),
  deed("mute", "Studio", "Sound on, off", "KeyM"),
  deed("record", "Studio", "Record, stop", "KeyK"),
  deed("reset", "Studio", "Back to the start", "Backspace"),
  deed("setup", "Studio", "Setup panel", "KeyO"),
  deed("help", "Studio", "These keys", "Slash", "KeyH"),
];

const STORED = "keys";

/** Keys of every deed, the rider's own where there are any. */
export class Bindings {
  private readonly own = new Map<string, readonly string[]>();
  private readonly byCode = new Map<string, string>();

  constructor() {
    try {
      const stored: unknown = JSON.parse(recall(STORED) ?? "{}");
      if (stored && typeof stored === "object") {
        for (const [id, codes] of Object.entries(stored)) {
          if (DEEDS.some((one) => one.id === id) && Array.isArray(codes)) this.own.set(id, codes.map(String));
        }
      }
    } catch {
      remember(STORED, null);
    }
    this.index();
  }

  codes(id: string): readonly string[] {
    return this.own.get(id) ?? DEEDS.find((one) => one.id === id)?.codes ?? [];
  }

  deedOf(code: string): string | undefined {
    return this.byCode.get(code);
  }

  /** Give a deed this one key; whoever had it loses it. */
  bind(id: string, code: string): void {
    for (const one of DEEDS) {
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
    for (const one of DEEDS) for (const code of this.codes(one.id)) this.byCode.set(code, one.id);
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
