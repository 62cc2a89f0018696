/** Pointer: drag to look around, wheel or pinch to come nearer, double click to go back. */
import type { CameraRig } from "../scene/camera";

/** A drag over a pixel turns so far [rad]. */
const TURN = 0.006;

export class Pointer {
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private spread = 0;

  constructor(
    private readonly camera: CameraRig,
    private readonly moved: () => void,
  ) {}

  attach(canvas: HTMLCanvasElement): void {
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.spread = this.width();
    });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const)
      canvas.addEventListener(end, (event) => this.fingers.delete(event.pointerId));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.camera.scale(Math.exp(0.0012 * event.deltaY));
    }, { passive: false });
    canvas.addEventListener("dblclick", () => this.camera.reset());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  private drag(event: PointerEvent): void {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    const dx = event.clientX - finger.x;
    const dy = event.clientY - finger.y;
    finger.x = event.clientX;
    finger.y = event.clientY;
    if (this.fingers.size === 1) this.camera.turn(-TURN * dx, TURN * dy);
    else {
      const width = this.width();
      if (this.spread > 0 && width > 0) this.camera.scale(this.spread / width);
      this.spread = width;
    }
    this.moved();
  }

  /** Between the first two fingers [px]. */
  private width(): number {
    const [a, b] = [...this.fingers.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }
}
