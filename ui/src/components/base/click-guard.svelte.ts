// Buttons with lasting effects ignore clicks for a moment after the page around them changed: such a click may have been
// meant for what was there before.

/** How long such a button ignores clicks after a change, in milliseconds. */
export const CLICK_GUARD_MS = 600;

class View {
  /** Counts the times that a dialog was laid over the page or taken away. */
  changes = $state(0);

  changed(): void {
    this.changes += 1;
  }
}

export const view = new View();
