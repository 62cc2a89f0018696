/** Rider: what keys, stick, slider and wheel ask for together, as one command; sent when it changes. */
import type { Keyboard } from "../input/keyboard";
import type { Pad } from "../input/gamepad";
import type { Jump, MethodFacts, Ride } from "../messages";
import { gaitAt, gaitsOf, speedOf, type RideGait } from "./gaits";

export type Lead = "turn" | "left" | "right";

/** Turning rates of the steering keys, as parts of the method's most. */
const STEER = 0.4;
/** Half a notch of the slider [m/s]. */
const NOTCH = 0.25;
/** A leap out of a canter [m]. */
const LEAP: Jump = { height: 1, distance: 4 };
/** A turn this sharp chooses a lead [rad/s]. */
const LEANING = 0.12;
/** A smaller change of speed or turn is none [m/s], [rad/s]. */
const SAME = 1e-3;

export class Rider {
  gaits: RideGait[] = [];
  method: MethodFacts | null = null;
  /** Kept to when nothing is held down [m/s]. */
  cruise = 0;
  /** A gait that is kept to, without its lead; null = by speed. */
  pinned: string | null = null;
  lead: Lead = "turn";
  action: string | null = null;
  extension = 0;
  /** In [-1, 1], left positive; from the wheel on the page. */
  wheel = 0;
  /** Asked for last [m/s], [rad/s]. */
  speed = 0;
  turn = 0;
  gait: string | null = null;
  /** Of the last command that was sent. */
  number = 0;
  private inside: "left" | "right" = "left";
  private leap: Jump | null = null;
  /** The server may not know the last command. */
  lost = true;
  private readonly command: Ride = { type: "ride", jump: null };

  constructor(
    private readonly keys: Keyboard,
    private readonly pad: Pad,
  ) {}

  /** Another method or height: speeds mean other gaits. */
  adopt(method: MethodFacts): void {
    this.method = method;
    this.gaits = gaitsOf(method);
    this.cruise = Math.min(this.cruise, method.max_speed);
    if (this.pinned && !this.gaits.some((gait) => gait.name === this.pinned)) this.pinned = null;
    if (this.action && !method.actions.includes(this.action)) this.action = null;
    this.forget();
  }

  /** The next command is sent whether it is new or not: the server may have lost the last. */
  forget(): void {
    this.lost = true;
  }

  /** The gait that holds now: keys and stick choose theirs by speed, and the pinned one waits for them. */
  get held(): string | null {
    return this.keys.holds("forward") || this.pad.go > 0 ? null : this.pinned;
  }

  get forward(): boolean {
    return this.keys.holds("forward");
  }

  halt(): void {
    this.cruise = 0;
    this.pinned = null;
  }

  setCruise(speed: number): void {
    const pin = this.gaits.find((gait) => gait.name === this.pinned);
    const most = pin ? pin.high : (this.method?.max_speed ?? 0);
    this.cruise = Math.min(most, Math.max(pin && speed > 0 ? pin.low : 0, speed));
    this.action = null;
  }

  /** Ride a gait: at a good speed of it, and pinned where speed alone would choose another. */
  rideGait(name: string, pin: boolean): void {
    const gait = this.gaits.find((one) => one.name === name);
    if (!gait) return;
    this.pinned = pin || !gait.chosen ? name : null;
    this.cruise = gait.speed;
    this.action = null;
  }

  /** Ride a gait by its name: a pin that the rider has set holds the new gait, one that a gait needed does not. */
  rideByName(name: string): void {
    this.rideGait(name, this.gaits.some((gait) => gait.name === this.pinned && gait.chosen));
  }

  /** One gait up or down from where the rider is; below the slowest is a halt. */
  shift(step: 1 | -1): void {
    const ladder = this.gaits.filter((gait) => gait.chosen);
    const now = gaitAt(ladder, this.cruise);
    const at = now ? ladder.indexOf(now) : -1;
    const next = ladder[Math.min(ladder.length - 1, at + step)];
    this.pinned = null;
    this.action = null;
    this.cruise = at + step < 0 || !next ? 0 : next.speed;
  }

  nudge(step: 1 | -1): void {
    this.setCruise(Math.round((this.cruise + step * NOTCH) / NOTCH) * NOTCH);
  }

  askJump(): boolean {
    if (!this.method?.jumps) return false;
    this.leap = LEAP;
    return true;
  }

  /** The command to send now, or null where nothing has changed. */
  next(): Ride | null {
    const method = this.method;
    if (!method) return null;
    this.weigh(method);
    this.gait = this.gaitFor();
    const leap = this.leap;
    this.leap = null;
    const was = this.command;
    const same =
      !this.lost &&
      leap === null &&
      was.jump === null &&
      Math.abs(this.speed - (was.speed ?? 0)) < SAME &&
      Math.abs(this.turn - (was.turn ?? 0)) < SAME &&
      this.gait === was.gait &&
      this.action === was.action &&
      this.extension === was.extension;
    if (same) return null;
    this.lost = false;
    this.number += 1;
    const command = this.command;
    command.number = this.number;
    command.speed = this.speed;
    command.turn = this.turn;
    command.gait = this.gait;
    command.action = this.action;
    command.extension = this.extension;
    command.jump = leap;
    return command;
  }

  private weigh(method: MethodFacts): void {
    const keys = this.keys;
    const steer = (keys.holds("left") ? 1 : 0) - (keys.holds("right") ? 1 : 0);
    const tight = (keys.holds("tightLeft") ? 1 : 0) - (keys.holds("tightRight") ? 1 : 0);
    let turn = steer * STEER + tight + this.wheel;
    let speed = this.cruise;
    if (keys.holds("forward")) {
      speed = Math.max(speedOf(this.gaits, keys.modifier, method.max_speed), keys.modifier === "none" ? this.cruise : 0);
      this.action = null;
    }
    if (this.pad.active) {
      turn += this.pad.turn * 0.8;
      if (this.pad.go > 0) speed = this.pad.go * method.max_speed;
    }
    if (keys.holds("brake")) speed = 0;
    this.speed = speed;
    this.turn = Math.max(-1, Math.min(1, turn)) * method.max_turn;
    if (Math.abs(this.turn) > LEANING) this.inside = this.turn > 0 ? "left" : "right";
  }

  /** A pinned gait or lead by the server's name; null leaves both to speed and turn. */
  private gaitFor(): string | null {
    if (this.speed < 0.05) return null;
    const held = this.held;
    const pinned = this.gaits.find((gait) => gait.name === held);
    const gait = pinned ?? gaitAt(this.gaits, this.speed);
    if (!gait?.leads) return pinned ? pinned.name : null;
    if (this.lead !== "turn") return `${gait.name}-${this.lead}`;
    return pinned ? `${pinned.name}-${this.inside}` : null;
  }
}
