// Runs asynchronous tasks one at a time.

/** Runs what it is given one behind the other, whatever comes of each. */
export function serialQueue(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run);
    last = next.catch(() => {});
    return next;
  };
}
