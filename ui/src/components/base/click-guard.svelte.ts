// When the view around a button changed last. A button that does something for others, or for good, ignores clicks for a moment
// after that: the click may have been meant for what was there before.

/** How long such a button ignores clicks after a change, in milliseconds. */
export const SETTLE_MS = 600;

class View {
  /** Counts the times that a dialog was laid over the page or taken away. */
  changes = $state(0);

  changed(): void {
    this.changes += 1;
  }
}

export const view = new View();
