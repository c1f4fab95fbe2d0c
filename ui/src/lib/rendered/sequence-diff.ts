// Compares two sequences (blocks, cells, rows) by keys.

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
  const common: [number, number][] = [];
  for (let at = 0; at < start; at++) common.push([at, at]);
  common.push(...middle(a, b, start, a.length - end, b.length - end));
  for (let at = end; at > 0; at--) common.push([a.length - at, b.length - at]);
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  for (const [old, now] of [...common, [a.length, b.length] as const]) {
    changed(steps, [i, old], [j, now], isPair);
    if (old < a.length) steps.push({ kind: ' ', old, new: now });
    [i, j] = [old + 1, now + 1];
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

/** Returns the common items of the middle parts by Myers' algorithm. */
function middle(
  a: readonly string[],
  b: readonly string[],
  start: number,
  aEnd: number,
  bEnd: number,
): [number, number][] {
  const [rows, columns] = [aEnd - start, bEnd - start];
  const most = Math.min(rows + columns, MAX_DIFFERENCES);
  const furthest = new Map<number, number>([[1, 0]]);
  const traces: Map<number, number>[] = [];
  for (let depth = 0; depth <= most; depth++) {
    traces.push(new Map(furthest));
    for (let k = -depth; k <= depth; k += 2) {
      let x =
        k === -depth || (k !== depth && at(furthest, k - 1) < at(furthest, k + 1))
          ? at(furthest, k + 1)
          : at(furthest, k - 1) + 1;
      while (x < rows && x - k < columns && a[start + x] === b[start + x - k]) x++;
      furthest.set(k, x);
      if (x >= rows && x - k >= columns) return walkBack(traces, start, rows, columns);
    }
  }
  return [];
}

const at = (furthest: ReadonlyMap<number, number>, k: number): number => furthest.get(k) ?? -1;

function walkBack(
  traces: readonly ReadonlyMap<number, number>[],
  start: number,
  rows: number,
  columns: number,
): [number, number][] {
  const common: [number, number][] = [];
  let [x, y] = [rows, columns];
  for (let depth = traces.length - 1; depth >= 0; depth--) {
    const furthest = traces[depth]!;
    const k = x - y;
    const before = k === -depth || (k !== depth && at(furthest, k - 1) < at(furthest, k + 1)) ? k + 1 : k - 1;
    const [beforeX, beforeY] = [
      Math.max(at(furthest, before), 0),
      Math.max(at(furthest, before) - before, 0),
    ];
    while (x > beforeX && y > beforeY) common.push([start + --x, start + --y]);
    [x, y] = [beforeX, beforeY];
  }
  return common.reverse();
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
