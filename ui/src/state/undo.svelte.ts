// What the reviewer did, so that each step can be taken back and done again.
/** One thing that was done. */
export interface Step {
  /** In words: `dismissed 3 findings`. */
  what: string;
  /** The finding that it was about, if it was one. */
  finding?: string | undefined;
  /** Takes it back, and gives the step that does it again; null if it cannot be taken back any more. */
  back: () => Promise<Step | null> | Step | null;
}

const MOST = 200;

class Undo {
  #done = $state.raw<readonly Step[]>([]);
  #undone = $state.raw<readonly Step[]>([]);

  get can(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** Remembers what was done. What had been taken back before can no longer be done again. */
  did(step: Step): void {
    this.#done = [...this.#done, step].slice(-MOST);
    this.#undone = [];
  }

  /** A step that did not come to pass. */
  forget(step: Step): void {
    this.#done = this.#done.filter((one) => one !== step);
  }

  /** Another change: its steps are its own. */
  clear(): void {
    this.#done = [];
    this.#undone = [];
  }

  /** Takes back the latest step, and gives it. */
  async undo(): Promise<Step | null> {
    const step = this.#done.at(-1);
    if (!step) return null;
    this.#done = this.#done.slice(0, -1);
    const again = await step.back();
    if (again) this.#undone = [...this.#undone, again];
    return again ? step : null;
  }

  /** Does again what was taken back last. */
  async redo(): Promise<Step | null> {
    const step = this.#undone.at(-1);
    if (!step) return null;
    this.#undone = this.#undone.slice(0, -1);
    const back = await step.back();
    if (back) this.#done = [...this.#done, back];
    return back ? step : null;
  }
}

export const undo = new Undo();
