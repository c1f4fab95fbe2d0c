// Runs work after the next paint.

/** The maximum wait for a paint, in milliseconds. A hidden page is never painted. */
const LONGEST_MS = 250;

/** Runs a function after the current content is painted. */
export function afterPaint(run: () => void): void {
  const once = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    run();
  };
  const timer = setTimeout(once, LONGEST_MS);
  // Animation frame callbacks run before the paint of the frame.
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    setTimeout(run);
  });
}
