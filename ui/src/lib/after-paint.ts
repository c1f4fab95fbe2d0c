// Runs work after the next paint.

/** A page that nobody sees is not painted; slower ones than this are not waited for. */
const LONGEST_MS = 250;

/** Runs once what is there by now is painted. */
export function afterPaint(run: () => void): void {
  const once = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    run();
  };
  const timer = setTimeout(once, LONGEST_MS);
  // The frame's own callbacks come before its paint.
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    setTimeout(run);
  });
}
