// Readings and changes of a view that the core returns: an answer that is older than what is shown is not shown.

export class ViewOrder {
  /** Counts the changes that began or ended. */
  #version = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** Reads the view. Reads it again if it was changed during the reading, because the answer may be older than the change. */
  async read<T>(call: () => Promise<T>): Promise<T> {
    for (;;) {
      const version = this.#version;
      const view = await call();
      if (version === this.#version) return view;
    }
  }

  /** Makes a change that returns the view, after the changes before it. */
  change<T>(call: () => Promise<T>): Promise<T> {
    this.#version += 1;
    const made = this.#last.then(call).finally(() => (this.#version += 1));
    this.#last = made.catch(() => {});
    return made;
  }
}
