// Compares two sequences (blocks, cells, rows) by keys.

import { diffArrays } from 'diff';

export type Step = { kind: ' ' | '-' | '+' | '~'; old: number | null; new: number | null };

/** The maximum number of differences. Sequences that differ more are shown as removed and added. */
const MAX_DIFFERENCES = 2_000;

/**
 * Returns the steps from one sequence to the other, in order. `~` is an item in place of another one: adjacent removed and added items
 * are paired, if `isPair` allows it.
 */
export function sequenceDiff(
  a: readonly string[],
  b: readonly string[],
  isPair: (old: number, now: number) => boolean = () => true,
): Step[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [old, now] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const middle = diffArrays(old, now, { maxEditLength: MAX_DIFFERENCES }) ?? [
    { count: old.length, removed: true, added: false },
    { count: now.length, removed: false, added: true },
  ];
  const same = (count: number): { count: number; removed: boolean; added: boolean } => ({
    count,
    removed: false,
    added: false,
  });
  const steps: Step[] = [];
  let [i, j, oldEnd, newEnd] = [0, 0, 0, 0];
  for (const { count, removed, added } of [same(start), ...middle, same(end)]) {
    if (removed) oldEnd += count;
    else if (added) newEnd += count;
    else {
      changed(steps, [i, oldEnd], [j, newEnd], isPair);
      [i, j] = [oldEnd, newEnd];
      for (let at = 0; at < count; at++) steps.push({ kind: ' ', old: i++, new: j++ });
      [oldEnd, newEnd] = [i, j];
    }
  }
  return steps;
}

/** Adds the steps of removed and added items between two common ones. */
function changed(
  steps: Step[],
  [i, oldEnd]: [number, number],
  [j, newEnd]: [number, number],
  isPair: (old: number, now: number) => boolean,
): void {
  while (i < oldEnd || j < newEnd) {
    if (i < oldEnd && j < newEnd && isPair(i, j)) steps.push({ kind: '~', old: i++, new: j++ });
    else if (i < oldEnd) steps.push({ kind: '-', old: i++, new: null });
    else steps.push({ kind: '+', old: null, new: j++ });
  }
}

/** A run of steps that are shown, or of equal items that are not. */
export type Run = { hidden: false; steps: Step[] } | { hidden: true; steps: Step[] };

/** Hides equal items that are further than `around` from a change. */
export function runsOf(steps: readonly Step[], around: number): Run[] {
  const shown = new Array<boolean>(steps.length).fill(false);
  steps.forEach((step, index) => {
    if (step.kind === ' ') return;
    shown.fill(true, Math.max(0, index - around), index + around + 1);
  });
  const runs: Run[] = [];
  steps.forEach((step, index) => {
    const hidden = !shown[index];
    const last = runs.at(-1);
    if (last?.hidden === hidden) last.steps.push(step);
    else runs.push({ hidden, steps: [step] });
  });
  // A bar in place of a single item saves nothing.
  return runs.map((run) => (run.hidden && run.steps.length === 1 ? { ...run, hidden: false } : run));
}
