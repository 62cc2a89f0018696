/** Recording tab: recordings to name, trim and download, and rides kept as plan files. */
import { make } from "../dom";
import type { ClientMessage, Export, RecordingFacts } from "../messages";
import type { Store } from "../store";
import { row, section, toggle } from "./fields";

const MEANINGS: Readonly<Record<string, string>> = {
  glb: "glTF, for engines and three.js",
  bvh: "BVH, motion of the skeleton",
  usda: "USD, as text",
  npz: "NumPy arrays",
  webp: "moving picture",
  mp4: "video",
};

const ENDS: Readonly<Record<string, string>> = { done: "downloaded; click for another", failed: "failed; click to try again" };

export class RecordingTab {
  readonly element = make("div", { class: "tab" });
  private readonly list = make("select", { id: "recording" });
  private readonly name = make("input", { type: "text", id: "recording-name", maxlength: 80, autocomplete: "off", spellcheck: false });
  private readonly first = make("input", { type: "range", id: "recording-first", min: 0, step: 1, "aria-label": "First frame" });
  private readonly last = make("input", { type: "range", id: "recording-last", min: 0, step: 1, "aria-label": "Last frame" });
  private readonly length = make("p", { class: "note", "aria-live": "polite" });
  private readonly kept = make("i");
  private readonly formats = make("div", { class: "formats" });
  private readonly discard = make("button", { type: "button", class: "plain danger" }, "Delete this recording");
  private readonly some = make("div", { class: "recording-some" });
  private readonly none = make("p", { class: "empty" }, "No recording yet. Press Record (K), ride, and press it again.");
  private readonly stopPlan = make("button", { type: "button", class: "plain" }, "Stop the plan");
  private readonly planNote = make("p", { class: "note" });
  private inPlace = false;
  private chosen = "";

  constructor(
    private readonly store: Store,
    private readonly send: (message: ClientMessage) => void,
    private readonly tell: (text: string) => void,
  ) {
    const [inPlaceRow] = toggle("In place, without the travel over the ground", "", (on) => {
      this.inPlace = on;
      this.showExports();
    });
    const trim = make("div", { class: "trim" }, make("div", { class: "trim-bar", "aria-hidden": true }, this.kept), this.first, this.last);
    this.some.append(row("Recording", this.list), row("Name", this.name), make("div", { class: "row" }, make("span", { class: "as-label" }, "Trim"), trim, this.length), inPlaceRow, this.formats, this.discard);
    this.element.append(section("Recordings", this.none, this.some), this.plans());
    this.list.addEventListener("change", () => this.choose(this.list.value));
    this.name.addEventListener("change", () => this.edit({ name: this.name.value.trim() || "recording" }));
    for (const end of [this.first, this.last]) {
      end.addEventListener("input", () => this.trimmed(end));
      end.addEventListener("change", () => this.edit({ first: Number(this.first.value), last: Number(this.last.value) }));
    }
    this.discard.addEventListener("click", () => this.remove());
    this.showRecordings();
  }

  showRecordings(): void {
    const recordings = this.store.recordings.filter((recording) => recording.done);
    this.none.hidden = recordings.length > 0;
    this.some.hidden = recordings.length === 0;
    if (!recordings.some((recording) => recording.id === this.chosen)) this.chosen = recordings[recordings.length - 1]?.id ?? "";
    const wanted = recordings.map((recording) => `${recording.id}${recording.name}${recording.first}${recording.last}`).join();
    if (this.list.dataset["recordings"] !== wanted) {
      this.list.dataset["recordings"] = wanted;
      this.list.replaceChildren(...recordings.map((recording) => make("option", { value: recording.id }, `${recording.name} · ${seconds(recording)}`)));
    }
    this.choose(this.chosen);
  }

  /** A recording was just ended: show that one. */
  showNewest(): void {
    const recordings = this.store.recordings.filter((recording) => recording.done);
    this.chosen = recordings[recordings.length - 1]?.id ?? "";
    this.showRecordings();
  }

  showState(): void {
    const state = this.store.state;
    this.stopPlan.hidden = !state?.plan;
    this.planNote.textContent = state?.plan ? `Riding ${state.plan}: part ${state.segment} of ${state.segments}.` : "";
  }

  showExports(): void {
    const recording = this.current();
    const formats = this.store.hello?.formats ?? [];
    const missing = this.store.hello?.missing_formats ?? [];
    if (this.formats.childElementCount !== formats.length + missing.length) {
      this.formats.replaceChildren(
        ...formats.map((format) => {
          const one = make("button", { type: "button", class: "format", value: format }, make("b", {}, `.${format}`), make("span", {}, MEANINGS[format] ?? ""), make("i", { "aria-hidden": true }));
          one.addEventListener("click", () => this.ask(format as Export["format"]));
          return one;
        }),
        ...missing.map(({ format, extra }) =>
          make("p", { class: "format missing" }, make("b", {}, `.${format}`), make("span", {}, "needs pip install ", make("code", {}, `'hoofbeat[${extra}]'`))),
        ),
      );
    }
    for (const one of this.formats.querySelectorAll("button")) {
      const job = recording ? this.store.exports.get(key(recording.id, one.value, this.inPlace)) : undefined;
      const busy = job?.state === "waiting" || job?.state === "running";
      one.dataset["state"] = job?.state ?? "";
      one.setAttribute("aria-busy", String(busy));
      const bar = one.querySelector("i");
      if (bar) bar.style.transform = `scaleX(${busy ? Math.max(0.03, job.progress) : 0})`;
      const note = one.querySelector("span");
      if (note) note.textContent = busy ? `making it, ${Math.round(100 * job.progress)} %` : (ENDS[job?.state ?? ""] ?? MEANINGS[one.value] ?? "");
    }
  }

  private plans(): HTMLElement {
    const file = make("input", { type: "file", accept: ".yaml,.yml", id: "plan-file", class: "file", "aria-label": "Open a plan file" });
    const open = make("button", { type: "button" }, "Ride a plan…");
    const save = make("button", { type: "button" }, "Save as plan");
    open.addEventListener("click", () => file.click());
    save.addEventListener("click", () => this.savePlan());
    file.addEventListener("change", () => void this.loadPlan(file));
    this.stopPlan.addEventListener("click", () => this.send({ type: "plan", text: null }));
    const note = make("p", { class: "note" }, "A plan is a text file of what was commanded: ride it again, edit it, or give it to hoofbeat synth.");
    return section("Plans", make("div", { class: "pair" }, save, open), file, this.stopPlan, this.planNote, note);
  }

  private savePlan(): void {
    const hello = this.store.hello;
    if (!hello) return;
    const recording = this.current();
    const part = recording ? `/recordings/${recording.id}/plan` : "/plan";
    download(`/api/sessions/${hello.session}${part}`, `${recording?.name ?? "ride"}.yaml`);
  }

  private async loadPlan(file: HTMLInputElement): Promise<void> {
    const given = file.files?.[0];
    file.value = "";
    if (!given) return;
    const most = this.store.hello?.limits.plan_bytes ?? 49152;
    if (given.size > most) this.tell(`A plan has at most ${Math.floor(most / 1024)} kB; ${given.name} has ${Math.ceil(given.size / 1024)}.`);
    else this.send({ type: "plan", text: await given.text() });
  }

  private ask(format: Export["format"]): void {
    const recording = this.current();
    if (recording) this.send({ type: "export", recording: recording.id, format, in_place: this.inPlace });
  }

  private remove(): void {
    const recording = this.current();
    if (recording && window.confirm(`Delete ${recording.name}? It cannot be brought back.`)) this.edit({ delete: true });
  }

  private edit(change: { name?: string; first?: number; last?: number; delete?: boolean }): void {
    if (this.chosen) this.send({ type: "edit", recording: this.chosen, ...change });
  }

  private current(): RecordingFacts | undefined {
    return this.store.recordings.find((recording) => recording.id === this.chosen);
  }

  private choose(id: string): void {
    this.chosen = id;
    const recording = this.current();
    if (!recording) return;
    this.list.value = id;
    if (document.activeElement !== this.name) this.name.value = recording.name;
    this.first.max = this.last.max = String(Math.max(0, recording.frames - 1));
    this.first.value = String(recording.first);
    this.last.value = String(recording.last);
    this.trimmed(null);
    this.showExports();
  }

  private trimmed(moved: HTMLInputElement | null): void {
    const recording = this.current();
    if (!recording) return;
    let first = Number(this.first.value);
    let last = Number(this.last.value);
    if (first >= last && moved === this.first) first = Math.max(0, last - 1);
    if (first >= last && moved === this.last) last = Math.min(recording.frames - 1, first + 1);
    this.first.value = String(first);
    this.last.value = String(last);
    const all = Math.max(1, recording.frames - 1);
    this.kept.style.left = `${(100 * first) / all}%`;
    this.kept.style.right = `${100 - (100 * last) / all}%`;
    this.length.textContent = `${(first / recording.rate).toFixed(2)} to ${(last / recording.rate).toFixed(2)} s, ${last - first + 1} of ${recording.frames} frames`;
  }
}

export const key = (recording: string, format: string, inPlace: boolean): string => `${recording} ${format} ${inPlace}`;

export function download(address: string, name: string): void {
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

function seconds(recording: RecordingFacts): string {
  return `${((recording.last - recording.first + 1) / recording.rate).toFixed(1)} s`;
}
