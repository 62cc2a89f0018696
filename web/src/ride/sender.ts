/** Sender: the rider's commands on their way to the server, and what was told before the page was loaded again. */
import type { Link } from "../link";
import { FLAGS, type Frame, type Hello } from "../messages";
import type { Store } from "../store";
import type { Rider } from "./rider";

export class Sender {
  /** The link is new: the server's own command holds until a frame has told it. */
  resuming = true;

  constructor(
    private readonly rider: Rider,
    private readonly store: Store,
    private readonly link: () => Link | undefined,
    private readonly moved: () => void,
  ) {}

  /** Go on with what the server was last told, here or before the page was loaded again. */
  resume(frame: Frame, hello: Hello): void {
    this.resuming = false;
    if (hello.resumed === "kept" && this.rider.number === 0 && !(frame.flags & FLAGS.plan)) this.rider.setCruise(frame.wanted_speed);
    this.rider.number = Math.max(this.rider.number, frame.command);
    this.rider.forget();
    if (hello.resumed === "restored") this.rider.halt();
  }

  /** The rider has done something: it holds, also against a plan that wants the same just now. */
  touched(): void {
    if (this.planned) this.rider.forget();
    this.send(true);
  }

  /** Send the command at once where it has changed: what waits for the next picture is late. */
  send(meant = false): void {
    const link = this.link();
    if (!link || link.state !== "live" || this.resuming) return;
    // Whoever commands ends a plan; a page that only tells again what it wants shall not.
    const kept = this.rider.lost && this.planned && !meant;
    const command = this.rider.next();
    if (!command || kept) return;
    link.send(command);
    if ((command.speed ?? 0) > 0.5) this.moved();
  }

  private get planned(): boolean {
    return this.store.state?.plan != null;
  }
}
