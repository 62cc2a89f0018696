/** Camera: follows behind, holds a side or the front, or stays where it is put; a drag turns any of them. */
import { PerspectiveCamera, Vector3 } from "three";

export const CAMERAS = ["follow", "side", "front", "orbit"] as const;
export type CameraMode = (typeof CAMERAS)[number];

interface Seat {
  /** From the horse's heading [rad]; orbit begins where the camera is. */
  readonly azimuth: number;
  readonly elevation: number;
  /** In withers heights. */
  readonly distance: number;
  /** Vertical angle of view [degrees]. */
  readonly fov: number;
  /** With which it follows the heading [s]; 0 = not at all. */
  readonly halflife: number;
}

const SEATS: Readonly<Record<CameraMode, Seat>> = {
  follow: { azimuth: Math.PI - 0.62, elevation: 0.2, distance: 4.1, fov: 38, halflife: 0.45 },
  side: { azimuth: Math.PI / 2, elevation: 0.06, distance: 6.6, fov: 22, halflife: 0.06 },
  front: { azimuth: 0, elevation: 0.1, distance: 5.8, fov: 24, halflife: 0.1 },
  orbit: { azimuth: 0, elevation: 0.22, distance: 4.4, fov: 38, halflife: 0 },
};
const NEAREST = 1.4;
const FARTHEST = 30;
const LOWEST = 0.02;
const HIGHEST = 1.45;
/** Half-life of the way between seats and after a zoom [s]. */
const HALFLIFE = 0.12;

/** From the root to the middle of the horse, in withers heights. */
const MIDDLE = 0.24;

const _target = new Vector3();

export class CameraRig {
  readonly camera = new PerspectiveCamera(38, 1, 0.1, 1000);
  mode: CameraMode = "follow";
  /** World direction from the horse to the camera [rad]. */
  azimuth = SEATS.follow.azimuth;
  private yaw = 0;
  private heading = 0;
  private swing = 0;
  private tilt = 0;
  private zoom = 1;
  private seatAzimuth = SEATS.follow.azimuth;
  private elevation = SEATS.follow.elevation;
  private distance = SEATS.follow.distance;
  private fov = SEATS.follow.fov;
  private placed = false;

  /** Change the seat; what the hand has turned is eased away, and orbit begins where the camera is. */
  choose(mode: CameraMode): void {
    if (mode === this.mode) {
      this.reset();
      return;
    }
    this.seatAzimuth = wrap(this.azimuth - (mode === "orbit" ? this.yaw : this.heading));
    if (mode !== "orbit") this.yaw = this.heading;
    this.swing = 0;
    this.tilt = mode === "orbit" ? this.elevation - SEATS.orbit.elevation : 0;
    this.mode = mode;
  }

  /** Back to the mode's own seat. */
  reset(): void {
    this.swing = 0;
    this.tilt = 0;
    this.zoom = 1;
  }

  /** Turn by angles [rad]. */
  turn(around: number, up: number): void {
    this.swing += around;
    this.tilt += up;
  }

  /** More than 1 goes farther away. */
  scale(factor: number): void {
    const own = SEATS[this.mode].distance;
    this.zoom = Math.min(FARTHEST / own, Math.max(NEAREST / own, this.zoom * factor));
  }

  /** Follow a horse at (x, y, z) of the scene with a heading and a withers height, `dt` after the last time. */
  follow(x: number, y: number, z: number, heading: number, height: number, dt: number, wide: number): void {
    const seat = SEATS[this.mode];
    const share = this.placed ? 1 - Math.pow(0.5, dt / HALFLIFE) : 1;
    this.heading = heading;
    if (!this.placed) this.yaw = heading;
    this.placed = true;
    if (seat.halflife > 0) {
      this.yaw += (heading - this.yaw) * (1 - Math.pow(0.5, dt / seat.halflife));
      this.seatAzimuth += wrap(seat.azimuth - this.seatAzimuth) * share;
    }
    this.tilt = Math.min(HIGHEST - seat.elevation, Math.max(LOWEST - seat.elevation, this.tilt));
    this.elevation += (seat.elevation + this.tilt - this.elevation) * share;
    // A narrow stage sees less to the sides, so the camera steps back to keep the whole horse.
    const room = Math.max(1, 1.25 / Math.max(0.4, wide));
    this.distance += (seat.distance * this.zoom * room * height - this.distance) * share;
    this.fov += (seat.fov - this.fov) * share;
    this.azimuth = this.yaw + this.seatAzimuth + this.swing;
    const flat = Math.cos(this.elevation) * this.distance;
    // The root lies under the croup; the middle of the horse is ahead of it.
    const ahead = MIDDLE * height;
    _target.set(x + ahead * Math.sin(heading), y + 0.6 * height, z + ahead * Math.cos(heading));
    this.camera.position.set(
      _target.x + flat * Math.sin(this.azimuth),
      Math.max(0.12, _target.y + Math.sin(this.elevation) * this.distance),
      _target.z + flat * Math.cos(this.azimuth),
    );
    this.camera.lookAt(_target);
    if (this.camera.fov !== this.fov || this.camera.aspect !== wide) {
      this.camera.fov = this.fov;
      this.camera.aspect = wide;
      this.camera.updateProjectionMatrix();
    }
  }
}

function wrap(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}
