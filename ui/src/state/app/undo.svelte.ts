// The undo and redo stacks.
import { serialQueue } from '../../lib/serial-queue';

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

export class Undo {
  #done = $state.raw<readonly Step[]>([]);
  #undone = $state.raw<readonly Step[]>([]);
  /** Steps that are on their way back, and those that are done again. */
  #undoing = $state(0);
  #redoing = $state(0);
  /** Runs it when the step before it has come through. */
  #behind = serialQueue();
  /** How often a change was left, and how often something new was done: a step on its way may come too late. */
  #left = 0;
  #news = 0;

  /** What is on its way counts as having come: a key that is pressed right behind another means the step that follows from it. */
  get can(): boolean {
    return this.#done.length > 0 || this.#redoing > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0 || this.#undoing > 0;
  }

  /** Remembers what was done. What had been taken back before can no longer be done again. */
  push(step: Step): void {
    this.#news += 1;
    this.#done = [...this.#done, step].slice(-MOST);
    this.#undone = [];
  }

  /** A step that did not come to pass. */
  forget(step: Step): void {
    this.#done = this.#done.filter((one) => one !== step);
  }

  /** Another change: its steps are its own. */
  clear(): void {
    this.#left += 1;
    this.#done = [];
    this.#undone = [];
  }

  /** Takes back the latest step, and gives it. */
  undo(): Promise<Step | null> {
    this.#undoing += 1;
    const undone = this.#behind(async () => {
      const [step, left, news] = [this.#done.at(-1), this.#left, this.#news];
      if (!step) return null;
      this.#done = this.#done.slice(0, -1);
      const again = await step.back();
      if (again && left === this.#left && news === this.#news) this.#undone = [...this.#undone, again];
      return again ? step : null;
    });
    return undone.finally(() => (this.#undoing -= 1));
  }

  /** Does again what was taken back last. */
  redo(): Promise<Step | null> {
    this.#redoing += 1;
    const redone = this.#behind(async () => {
      const [step, left] = [this.#undone.at(-1), this.#left];
      if (!step) return null;
      this.#undone = this.#undone.slice(0, -1);
      const back = await step.back();
      if (back && left === this.#left) this.#done = [...this.#done, back];
      return back ? step : null;
    });
    return redone.finally(() => (this.#redoing -= 1));
  }
}

export const undo = new Undo();
