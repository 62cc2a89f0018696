/** Focus: what was used by mouse or touch gives the keys back to the ride: an arrow shall steer, not move a slider. */

/** Whatever takes keys for itself while it has the focus. */
const KEEPS = "button, select, input:not([type=text]), [role=slider]";

export function giveBackKeys(): void {
  let byHand = false;
  document.addEventListener("pointerdown", () => (byHand = true), true);
  document.addEventListener("keydown", () => (byHand = false), true);
  for (const end of ["click", "change", "pointerup"] as const)
    document.addEventListener(end, (event) => {
      const target = event.target instanceof Element ? event.target.closest(KEEPS) : null;
      // A menu that was just opened by its first click stays so.
      const opening = end !== "change" && target instanceof HTMLSelectElement;
      if (byHand && !opening && target instanceof HTMLElement && !target.closest("dialog")) target.blur();
    });
}
