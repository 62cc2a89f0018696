/** Instruments: everything in the dock that shows what is ridden, fed by frames and drawn by pictures. */
import { FLAGS, type Frame, type Hello, type MethodFacts, type Setup, type State } from "../messages";
import { baseOf } from "../ride/gaits";
import type { Rider } from "../ride/rider";
import { byId } from "../dom";
import { Footfall } from "./footfall";
import type { Inks } from "./legs";
import { PhaseWheel } from "./phasewheel";
import { Rail } from "./rail";
import { Readout } from "./readout";
import { Steer } from "./steer";
import { Transport, type TransportListener } from "./transport";

export class Instruments {
  private readonly readout: Readout;
  private readonly footfall: Footfall;
  private readonly wheel: PhaseWheel;
  private readonly rail: Rail;
  private readonly steer: Steer;
  private readonly transport: Transport;
  /** hello.gaits without their leads. */
  private bases: string[] = [];

  constructor(
    rider: Rider,
    inks: Inks,
    transport: TransportListener,
    touched: () => void,
    setup: (change: Omit<Setup, "type">) => void,
  ) {
    this.readout = new Readout(byId("readout", HTMLElement));
    this.footfall = new Footfall(byId("footfall", HTMLElement), inks);
    this.wheel = new PhaseWheel(byId("wheel", HTMLElement), inks);
    this.rail = new Rail(byId("rail", HTMLElement), rider, touched, setup);
    this.steer = new Steer(byId("steer", HTMLElement), rider, touched);
    this.transport = new Transport(byId("transport", HTMLElement), transport);
  }

  /** Another horse; the rider has adopted it. */
  adopt(hello: Hello, method: MethodFacts | null): void {
    this.bases = hello.gaits.map(baseOf);
    this.transport.adopt(hello.time_scales);
    if (!method) return;
    this.rail.adopt(hello, method);
    this.readout.adopt(method.max_speed);
  }

  showState(state: State): void {
    this.rail.showState(state);
    this.transport.show(state);
  }

  /** Count every frame, drawn or not. */
  push(frame: Frame): void {
    this.footfall.push(frame, this.bases[frame.gait] ?? "");
    this.wheel.push(frame);
  }

  draw(frame: Frame, hello: Hello, now: number): void {
    this.footfall.draw();
    this.wheel.draw();
    this.readout.show(frame, hello, now);
    this.rail.show(frame, this.bases[frame.gait] ?? "", this.bases[frame.going_to] ?? "");
    this.steer.show(frame, now);
    this.transport.tick((frame.flags & FLAGS.recording) !== 0, now);
  }
}
