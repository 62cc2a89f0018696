/** State: what scripts and tests may ask the page. */
import type { CameraMode } from "../scene/camera";
import type { Level } from "../scene/quality";

/** window.hoofbeat.state(); legs are LF, RF, LH, RH. */
export interface RideState {
  connected: boolean;
  session: string | null;
  method: string;
  speed: number;
  wanted: number;
  turn: number;
  heading: number;
  gait: string;
  going_to: string;
  held: string | null;
  breed: string;
  phase: number[];
  contacts: number[];
  position: number[];
  frame: number;
  command: number;
  sent: number;
  fps: number;
  preset: Level;
  camera: CameraMode;
  recording: boolean;
  paused: boolean;
  skin: boolean;
}
