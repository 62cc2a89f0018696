/** Link: the one WebSocket to the server; it comes back by itself and says how it stands. */
import { decodeFrame, PROTOCOL, type ClientMessage, type Frame, type ServerMessage } from "./messages";

/** opening: first try; live: frames may come; lost: trying again; ended: will not try again by itself. */
export type LinkState = "opening" | "live" | "lost" | "ended";

export interface LinkListener {
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
  state(state: LinkState, why: string): void;
}

const SESSION = "hoofbeat.session";
/** Waits between tries [ms]; the last one is kept to. */
const BACK_OFF = [150, 300, 600, 1000, 2000, 3000];
/** A live link that says nothing for so long is dead (a sleeping laptop, a lost network) [ms]. */
const SILENCE = 6000;
const PING = 2000;
/** Numbers of frames between two `acknowledge` messages; frames may be skipped, so they are not counted. */
const ACKNOWLEDGE_EVERY = 3;

const REFUSED: Readonly<Record<number, string>> = {
  4401: "The address needs its token. Open the whole link that the server printed.",
  4403: "The server does not answer to this host name. Open the link that the server printed.",
};

export class Link {
  state: LinkState = "opening";
  private socket: WebSocket | null = null;
  private tries = 0;
  private timer = 0;
  private heard = 0;
  private newest = 0;
  private acknowledged = -ACKNOWLEDGE_EVERY;
  private ended = "";

  constructor(private readonly listener: LinkListener) {
    window.setInterval(() => this.watch(), PING);
    window.addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retryNow();
    });
    this.open();
  }

  send(message: ClientMessage): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Try at once, also after the link had ended. */
  retryNow(again = false): void {
    if (this.state === "live" || (this.state === "ended" && !again)) return;
    this.tries = 0;
    window.clearTimeout(this.timer);
    this.open();
  }

  /** Let go of the old ride and begin another. */
  startOver(): void {
    sessionStorage.removeItem(SESSION);
    this.retryNow(true);
  }

  private open(): void {
    this.drop();
    this.ended = "";
    this.change(this.state === "opening" ? "opening" : "lost", "");
    const session = sessionStorage.getItem(SESSION);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const query = session ? `?session=${encodeURIComponent(session)}` : "";
    const socket = new WebSocket(`${scheme}//${location.host}/ws${query}`);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => this.receive(event.data);
    socket.onclose = (event) => this.closed(socket, event);
    this.socket = socket;
    this.heard = performance.now();
  }

  private receive(data: ArrayBuffer | string): void {
    this.heard = performance.now();
    if (typeof data !== "string") {
      const frame = decodeFrame(data);
      this.newest = frame.number;
      if (Math.abs(frame.number - this.acknowledged) >= ACKNOWLEDGE_EVERY) this.acknowledge();
      this.listener.frame(frame);
      return;
    }
    const message = JSON.parse(data) as ServerMessage;
    if (message.type === "hello") {
      if (message.protocol !== PROTOCOL) {
        this.end("The server has been updated. Reload the page.");
        return;
      }
      sessionStorage.setItem(SESSION, message.session);
      this.tries = 0;
      this.change("live", "");
    }
    if (message.type === "bye") this.goodbye(message.reason);
    this.listener.message(message);
  }

  private goodbye(reason: "elsewhere" | "shutdown" | "deleted" | "idle"): void {
    if (reason === "elsewhere") this.ended = "This ride goes on in another tab.";
    if (reason === "deleted") this.ended = "This ride was ended.";
    if (reason === "idle") this.ended = "This ride stood idle for long and was put away.";
    if (reason === "deleted" || reason === "idle") sessionStorage.removeItem(SESSION);
  }

  private closed(socket: WebSocket, event: CloseEvent): void {
    if (socket !== this.socket) return;
    this.socket = null;
    if (this.ended) this.end(this.ended);
    else if (REFUSED[event.code]) this.end(REFUSED[event.code] as string);
    else {
      const full = event.code === 4429;
      this.change(this.state === "opening" && !full ? "opening" : "lost", full ? "All places are taken; waiting for one." : "");
      const wait = BACK_OFF[Math.min(this.tries, BACK_OFF.length - 1)] as number;
      this.tries += 1;
      if (this.tries > 3) this.change("lost", full ? "All places are taken; waiting for one." : "");
      this.timer = window.setTimeout(() => this.open(), full ? 3000 : wait);
    }
  }

  private watch(): void {
    if (this.state !== "live") return;
    if (performance.now() - this.heard > SILENCE && !document.hidden) {
      this.drop();
      this.change("lost", "");
      this.open();
      return;
    }
    this.acknowledge();
    this.send({ type: "ping", number: Math.round(performance.now()) });
  }

  private acknowledge(): void {
    this.acknowledged = this.newest;
    this.send({ type: "acknowledge", frame: this.newest });
  }

  private end(why: string): void {
    this.drop();
    this.change("ended", why);
  }

  private drop(): void {
    if (!this.socket) return;
    this.socket.onclose = null;
    this.socket.onmessage = null;
    this.socket.close();
    this.socket = null;
  }

  private change(state: LinkState, why: string): void {
    this.state = state;
    this.listener.state(state, why);
  }
}
