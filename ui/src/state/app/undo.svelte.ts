// The undo and redo stacks.
import { serialQueue } from '../../lib/serial-queue';

/** An action that can be undone. */
export interface Step {
  /** The subject of the notice after an undo: `Dismissal of 3 findings`. */
  what: string;
  /** The finding that the action was about, if any. */
  finding?: string | undefined;
  /** Undoes the action, and resolves with the step that redoes it. Null if it can no longer be undone. */
  back: () => Promise<Step | null> | Step | null;
}

const MAX_STEPS = 200;

export class Undo {
  #done = $state.raw<readonly Step[]>([]);
  #undone = $state.raw<readonly Step[]>([]);
  /** The number of running undo and redo operations. */
  #undoing = $state(0);
  #redoing = $state(0);
  /** Runs operations one after another. */
  #behind = serialQueue();
  /** How often the change was replaced, and how often a new step was pushed. A running operation compares them when it ends. */
  #left = 0;
  #news = 0;

  /** A running operation counts as finished, so that a quick second key press is accepted. */
  get can(): boolean {
    return this.#done.length > 0 || this.#redoing > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0 || this.#undoing > 0;
  }

  /** Adds a step, and clears the redo stack. */
  push(step: Step): void {
    this.#news += 1;
    this.#done = [...this.#done, step].slice(-MAX_STEPS);
    this.#undone = [];
  }

  /** The latest step. */
  get latest(): Step | null {
    return this.#done.at(-1) ?? null;
  }

  /** Joins the two latest steps, so that they are undone together. Does nothing if the earlier one is not `first`. */
  join(first: Step | null): void {
    const [earlier, latest] = this.#done.slice(-2);
    if (!earlier || !latest || earlier !== first) return;
    this.#done = [...this.#done.slice(0, -2), joined(earlier, latest)];
  }

  /** Removes a step whose action failed. */
  forget(step: Step): void {
    this.#done = this.#done.filter((one) => one !== step);
  }

  /** Clears both stacks, because another change is shown. */
  clear(): void {
    this.#left += 1;
    this.#done = [];
    this.#undone = [];
  }

  /** Undoes the latest step, and resolves with it. */
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

  /** Redoes the step that was undone last. */
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

/** Returns a step that undoes two steps, the later one first. */
const joined = (earlier: Step, later: Step): Step => ({
  what: earlier.what,
  finding: earlier.finding,
  back: async () => {
    const second = await later.back();
    const first = await earlier.back();
    return first && second ? joined(second, first) : (first ?? second);
  },
});

export const undo = new Undo();
