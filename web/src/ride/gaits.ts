/** Gaits of a method without their leads, the speeds that ride them, and what modifiers mean. */
import type { MethodFacts } from "../messages";

export interface RideGait {
  /** Without a lead: canter, not canter-left. */
  readonly name: string;
  /** False: speed alone never chooses it, it must be pinned. */
  readonly chosen: boolean;
  /** Speeds that choose it where no gait is pinned; of one that is never chosen, those it can be ridden at [m/s]. */
  readonly from: number;
  readonly upto: number;
  /** Speeds that it is held to when pinned [m/s]. */
  readonly low: number;
  readonly high: number;
  /** A good speed for it [m/s]. */
  readonly speed: number;
  readonly leads: boolean;
}

export const baseOf = (gait: string): string => gait.replace(/-(left|right)$/, "");
export const leadOf = (gait: string): "left" | "right" | null =>
  gait.endsWith("-left") ? "left" : gait.endsWith("-right") ? "right" : null;

/** Slowest first, without the stand. */
export function gaitsOf(method: MethodFacts): RideGait[] {
  const gaits: RideGait[] = [];
  for (const band of method.gaits) {
    const name = baseOf(band.gait);
    if (band.high <= 0 || gaits.some((gait) => gait.name === name)) continue;
    const chosen = band.chosen_from !== null && band.chosen_to !== null;
    const from = band.chosen_from ?? band.low;
    const upto = band.chosen_to ?? band.high;
    // Neither the first metre of a walk nor the last of a gallop is how it is ridden for pleasure.
    const share = from < 0.5 ? 0.7 : upto >= method.max_speed - 0.01 ? 0.4 : 0.5;
    gaits.push({ name, chosen, from, upto, low: band.low, high: band.high, speed: from + share * (upto - from), leads: leadOf(band.gait) !== null });
  }
  return gaits;
}

/** The gait that a speed chooses; null for a stand. */
export function gaitAt(gaits: readonly RideGait[], speed: number): RideGait | null {
  if (speed < 0.05) return null;
  let found: RideGait | null = null;
  for (const gait of gaits) if (gait.chosen && (found === null || speed >= gait.from)) found = gait;
  return found;
}

export type Modifier = "alt" | "none" | "control" | "shift";
const MEANT: Readonly<Record<Modifier, readonly [string, number]>> = {
  alt: ["walk", 0.12],
  none: ["trot", 0.32],
  control: ["canter", 0.5],
  shift: ["gallop", 0.7],
};

/** The speed of a held forward key; a method without that gait goes at a part of its fastest. */
export function speedOf(gaits: readonly RideGait[], modifier: Modifier, fastest: number): number {
  const [name, part] = MEANT[modifier];
  return gaits.find((gait) => gait.name === name)?.speed ?? part * fastest;
}
