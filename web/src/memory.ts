/** Memory: choices that the page keeps for the next visit; a browser that refuses them is ridden without. */

const PREFIX = "hoofbeat.";

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // Storage is full or forbidden: the choice holds until the page is closed.
  }
}
