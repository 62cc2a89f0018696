// Written by `python -m hoofbeat.studio.wire.typescript web/src/messages.ts` from messages.py and
// frame.py in src/hoofbeat/studio/wire. Do not edit: tests/test_studio_messages.py compares it.

export const PROTOCOL = 2;
export const RATE = 60;
export const MAX_MESSAGE = 65536;
export const MAX_PLAN = 49152;
export const MAX_FRAMES = 36000;
export const MAX_STEPS = 600;
export const NAME = 80;

/** A leap: height and distance [m]. */
export interface Jump {
  /** >= 0; <= 3 */
  height: number;
  /** >= 0; <= 12 */
  distance: number;
}

/** Node indices of one leg, from shoulder or hip to the tip that touches the ground. */
export interface LegFacts {
  name: string;
  top: number;
  mid: number;
  low: number;
  /** -1 = none */
  pastern: number;
  toe: number;
}

/** The tree of nodes. Offsets [m] are of an animal of `height`; scale by the frame's height over it. */
export interface SkeletonFacts {
  names: string[];
  parents: number[];
  offsets: [number, number, number][];
  /** end sites: a position, no rotation of their own */
  ends: boolean[];
  legs: LegFacts[];
  /** of the withers [m] */
  height: number;
  /** hip height [m] */
  hip: number;
}

/** A gait of a method: the speeds [m/s] that a pinned one is held to, and those at which it is chosen where none is pinned (null: it never is); the other lead of a gait that is chosen has the same. */
export interface Band {
  gait: string;
  low: number;
  high: number;
  chosen_from: number | null;
  chosen_to: number | null;
}

/** What a method can do with this horse. Speeds and turns are for its present height. */
export interface MethodFacts {
  name: string;
  /** what it is, in one line */
  title: string;
  /** breeds that change its choice of gaits; empty = it knows none */
  breeds: string[];
  /** slowest first; the first stands */
  gaits: Band[];
  actions: string[];
  max_speed: number;
  max_turn: number;
  extends: boolean;
  jumps: boolean;
  terrain: boolean;
  sideways: boolean;
  backwards: boolean;
}

/** A file ending that cannot be exported here until an extra of the package is installed. */
export interface MissingFormat {
  format: string;
  extra: string;
}

/** Bounds the page should keep to. */
export interface Limits {
  message_bytes: number;
  messages_per_second: number;
  plan_bytes: number;
  recording_frames: number;
  recordings: number;
  name_length: number;
  /** frames that go out unacknowledged */
  window: number;
}

/** One recording. first and last are the frames that are kept; frames is how many there are. */
export interface RecordingFacts {
  id: string;
  name: string;
  frames: number;
  first: number;
  last: number;
  rate: number;
  method: string;
  done: boolean;
  /** on disk, so that it outlives the server */
  saved: boolean;
}

// From the page.

/** What the rider wants, whole; the latest one holds. `number` grows; an older one is left aside. */
export interface Ride {
  type: "ride";
  /** >= 0; <= 4.29497e+09 */
  number?: number;
  /** [m/s]; >= -100; <= 100 */
  speed?: number;
  /** [rad/s], left positive; >= -100; <= 100 */
  turn?: number;
  /** [rad], instead of turn; 0 = +Z; >= -1e+06; <= 1e+06 */
  heading?: number | null;
  /** pins a gait of the method; null = chosen by speed */
  gait?: string | null;
  /** -1 collected, 1 extended; >= -1; <= 1 */
  extension?: number;
  /** of the method's actions */
  action?: string | null;
  /** asked for once: a message with the next number ends it */
  jump?: Jump | null;
}

/** Change the horse under the rider; only what is given. It keeps its place, heading and speed. */
export interface Setup {
  type: "setup";
  method?: string | null;
  /** of the withers [m]; >= 0.3; <= 4 */
  height?: number | null;
  /** which gaits a speed chooses: `hello.breeds` */
  breed?: string | null;
  coat?: string | null;
  terrain?: string | null;
}

/** Pause or go on, and how fast time runs; only what is given. */
export interface Clock {
  type: "clock";
  paused?: boolean | null;
  /** one of `hello.time_scales`, 1 = real */
  time_scale?: number | null;
}

/** Go on by so many frames and stay paused. */
export interface Step {
  type: "step";
  /** >= 1; <= 600 */
  frames?: number;
}

/** Back to the origin, standing; a plan and a recording end. */
export interface Reset {
  type: "reset";
}

/** Begin or end a recording. */
export interface RecordSwitch {
  type: "record";
  on: boolean;
  name?: string | null;
}

/** Name, trim or delete a recording; only what is given. Frames first to last are kept. */
export interface Edit {
  type: "edit";
  recording: string;
  name?: string | null;
  /** >= 0; <= 36000 */
  first?: number | null;
  /** >= 0; <= 36000 */
  last?: number | null;
  delete?: boolean;
}

/** Make a file of a recording; `export` messages report its progress. */
export interface Export {
  type: "export";
  recording: string;
  format: "glb" | "bvh" | "usda" | "npz" | "webp" | "mp4";
  /** without the travel over the ground */
  in_place?: boolean;
}

/** Ride a plan file (YAML); null ends the one that is ridden. */
export interface PlanText {
  type: "plan";
  text?: string | null;
}

/** The newest frame the page has. Once one was sent, no more than WINDOW frames go out before the next. */
export interface Acknowledge {
  type: "acknowledge";
  /** >= 0; <= 4.29497e+09 */
  frame: number;
}

/** Answered by `pong` with the same number. */
export interface Ping {
  type: "ping";
  /** >= 0; <= 1e+15 */
  number: number;
}

export type ClientMessage =
  | Ride
  | Setup
  | Clock
  | Step
  | Reset
  | RecordSwitch
  | Edit
  | Export
  | PlanText
  | Acknowledge
  | Ping;

// To the page.

/** First message, and again whenever method, breed or height have changed. */
export interface Hello {
  type: "hello";
  protocol: number;
  version: string;
  /** secret: give it as ?session= to come back to this ride */
  session: string;
  /** kept: as it was left; restored: from disk, standing where it was */
  resumed: "new" | "kept" | "restored";
  rate: number;
  skeleton: SkeletonFacts;
  /** all gaits of all methods; frames give indices into it */
  gaits: string[];
  methods: MethodFacts[];
  /** the present one */
  method: string;
  /** the present one */
  breed: string;
  breeds: string[];
  coats: string[];
  terrains: string[];
  heights: [number, number];
  time_scales: number[];
  /** file endings that can be exported here, without the dot */
  formats: string[];
  missing_formats: MissingFormat[];
  /** address of a .glb of this skeleton at rest with its body; with ?coat= and ?level= */
  skin: string;
  limits: Limits;
}

/** How the ride stands; sent when any of it changes. */
export interface State {
  type: "state";
  method: string;
  breed: string;
  height: number;
  coat: string;
  terrain: string;
  paused: boolean;
  time_scale: number;
  /** id of the recording that is being made */
  recording: string | null;
  /** frames of it so far */
  recorded: number;
  /** name of the plan that is ridden */
  plan: string | null;
  /** its segment, from 1; 0 = none */
  segment: number;
  segments: number;
  /** another horse is being made ready */
  switching: boolean;
}

/** All recordings of the session, oldest first; sent when one is added, edited or deleted. */
export interface Recordings {
  type: "recordings";
  recordings: RecordingFacts[];
}

/** How an export goes. `url` is where to fetch it once it is done. */
export interface ExportFacts {
  type: "export";
  id: string;
  recording: string;
  format: string;
  in_place: boolean;
  state: "waiting" | "running" | "done" | "failed";
  /** >= 0; <= 1 */
  progress: number;
  bytes: number;
  url: string | null;
  error: string | null;
}

/** Something was refused; nothing was changed. `about` is the type of the message it answers. */
export interface Problem {
  type: "problem";
  code: "message" | "rate" | "command" | "setup" | "recording" | "export" | "plan" | "limit" | "server";
  text: string;
  about: string;
}

/** The answer to `ping`. */
export interface Pong {
  type: "pong";
  number: number;
}

/** Last message before the server closes: the ride goes on elsewhere, or why not. */
export interface Bye {
  type: "bye";
  reason: "elsewhere" | "shutdown" | "deleted" | "idle";
}

export type ServerMessage =
  | Hello
  | State
  | Recordings
  | ExportFacts
  | Problem
  | Pong
  | Bye;

// Frame blocks.

/** Bits of `Frame.events`; touchdown and liftoff are shifted left by the leg, LF RF LH RH. */
export const EVENTS = {
  touchdown: 1,
  liftoff: 16,
  takeoff: 256,
  landing: 512,
} as const;

/** Bits of `Frame.flags`. */
export const FLAGS = {
  airborne: 1,
  paused: 2,
  recording: 4,
  plan: 8,
  switching: 16,
} as const;

/** Bits of `Frame.clamps`. */
export const CLAMPS = {
  speed: 1,
  turn: 2,
  heading: 4,
  gait: 8,
  action: 16,
  look: 32,
  push: 64,
  jump: 128,
  mood: 256,
  dt: 512,
  extension: 1024,
  sideways: 2048,
} as const;

export const FOOT_PHASES = ["stance", "striking", "flight"] as const;

export const REFUSALS = ["", "this method does not jump"] as const;

/** One moment of the horse. Legs are LF, RF, LH, RH. */
export interface Frame {
  /** KIND, so that other blocks can be distinguished */
  kind: number;
  /** LAYOUT_VERSION */
  version: number;
  /** J, nodes of the skeleton, end sites included */
  joints: number;
  /** frames since the ride began; grows by 1 a step of the clock */
  number: number;
  /** of the ride; slow motion slows it, pause stops it [s] */
  time: number;
  /** ground point under the root joint, world [m] */
  root: Float64Array;
  /** 0 = +Z, left positive; not wrapped [rad] */
  heading: number;
  /** number of the latest `ride` message that this frame follows */
  command: number;
  /** FLAGS [bits] */
  flags: number;
  /** EVENTS since the last block that this client was sent [bits] */
  events: number;
  /** CLAMPS: what of the command is held to what the method can do [bits] */
  clamps: number;
  /** over the ground [m/s] */
  speed: number;
  /** speed squared / (g x hip height) */
  froude: number;
  /** turning rate, left positive [rad/s] */
  turn: number;
  /** as commanded, after clamping [m/s] */
  wanted_speed: number;
  /** as commanded, after clamping [rad/s] */
  wanted_turn: number;
  /** of the withers now; lengths over those of the skeleton in `hello` [m] */
  height: number;
  /** each leg's own time in [0, 1), 0 = touchdown */
  phase: Float32Array;
  /** 1 = planted */
  contacts: Float32Array;
  /** by how much each leg misses its target [m] */
  shortfall: Float32Array;
  /** (4, 3) where the method wants each toe, relative to root, world axes [m] */
  targets: Float32Array;
  /** (4, 3) how far foot locks hold each toe from there, world axes [m] */
  corrections: Float32Array;
  /** index of FOOT_PHASES of each leg */
  foot_phase: Uint8Array;
  /** index of `hello.gaits`: what the feet do */
  gait: number;
  /** index of `hello.gaits`: changed to; the same where nothing changes */
  going_to: number;
  /** index of REFUSALS: why a request is not followed, 0 = none is refused */
  refused: number;
  /** 0 */
  pad: number;
  /** (J, 3) of all nodes [m], relative to root, world axes */
  positions: Float32Array;
  /** (J, 4) local, xyzw; the first is the root joint relative to the heading */
  rotations: Float32Array;
}

export const FRAME_KIND = 1;
export const LAYOUT_VERSION = 2;
export const HEADER_BYTES = 240;

/** The frame in a block; its arrays are views of the buffer. Throws on anything else. */
export function decodeFrame(buffer: ArrayBuffer): Frame {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEADER_BYTES) throw new Error(`a frame of ${buffer.byteLength} bytes`);
  const kind = view.getUint8(0);
  const version = view.getUint8(1);
  if (kind !== FRAME_KIND || version !== LAYOUT_VERSION)
    throw new Error(`frame kind ${kind}, version ${version}: reload the page`);
  const joints = view.getUint16(2, true);
  if (buffer.byteLength !== HEADER_BYTES + 28 * joints)
    throw new Error(`a frame of ${joints} nodes in ${buffer.byteLength} bytes`);
  return {
    kind: view.getUint8(0),
    version: view.getUint8(1),
    joints: view.getUint16(2, true),
    number: view.getUint32(4, true),
    time: view.getFloat64(8, true),
    root: new Float64Array(buffer, 16, 3),
    heading: view.getFloat64(40, true),
    command: view.getUint32(48, true),
    flags: view.getUint32(52, true),
    events: view.getUint32(56, true),
    clamps: view.getUint32(60, true),
    speed: view.getFloat32(64, true),
    froude: view.getFloat32(68, true),
    turn: view.getFloat32(72, true),
    wanted_speed: view.getFloat32(76, true),
    wanted_turn: view.getFloat32(80, true),
    height: view.getFloat32(84, true),
    phase: new Float32Array(buffer, 88, 4),
    contacts: new Float32Array(buffer, 104, 4),
    shortfall: new Float32Array(buffer, 120, 4),
    targets: new Float32Array(buffer, 136, 12),
    corrections: new Float32Array(buffer, 184, 12),
    foot_phase: new Uint8Array(buffer, 232, 4),
    gait: view.getUint8(236),
    going_to: view.getUint8(237),
    refused: view.getUint8(238),
    pad: view.getUint8(239),
    positions: new Float32Array(buffer, HEADER_BYTES, 3 * joints),
    rotations: new Float32Array(buffer, HEADER_BYTES + 12 * joints, 4 * joints),
  };
}
