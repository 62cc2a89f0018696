/** Store: what the server has said, and who wants to hear of it. */
import type { ExportFacts, Hello, MethodFacts, RecordingFacts, State } from "./messages";

type Part = "hello" | "state" | "recordings" | "exports";

export class Store {
  hello: Hello | null = null;
  state: State | null = null;
  recordings: RecordingFacts[] = [];
  readonly exports = new Map<string, ExportFacts>();
  private readonly listeners: [Part, () => void][] = [];

  on(part: Part, listener: () => void): void {
    this.listeners.push([part, listener]);
  }

  changed(part: Part): void {
    for (const [wanted, listener] of this.listeners) if (wanted === part) listener();
  }

  /** The method that is ridden. */
  get method(): MethodFacts | null {
    const hello = this.hello;
    return hello?.methods.find((method) => method.name === hello.method) ?? null;
  }
}
