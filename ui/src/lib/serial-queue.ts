// Runs asynchronous tasks one at a time.

/** Returns a function that runs tasks one after another. A failed task does not stop the queue. */
export function serialQueue(): <T>(run: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const next = last.then(run);
    last = next.catch(() => {});
    return next;
  };
}
