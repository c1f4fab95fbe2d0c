// Gaps: the lines of a file that its hunks do not show, and those of them that have been expanded.
import type { ContextView } from '../../rpc/types.gen';
import { textOf, type Hunk, type Line, type Loaded } from './lines';

/** The expanded lines of a gap: those below the hunk above it, and those above the hunk below it. */
export interface Gap {
  above: readonly Line[];
  below: readonly Line[];
}

/** Returns the key of a gap: the file, and the index of the hunk below it (the number of hunks for the last gap). */
export const gapKey = (file: number, before: number): string => `${file}.${before}`;
export type Gaps = ReadonlyMap<string, Gap>;

export const noGap: Gap = { above: [], below: [] };

/**
 * The hidden lines of a gap, by numbers of the new side. `to` is null where the end of the file is not known. `oldOff` is the offset of
 * the old side's numbers.
 */
export interface GapRange {
  from: number;
  to: number | null;
  oldOff: number;
}

/** Returns the lines of a gap that are still hidden. */
export function hiddenRange(
  hunks: readonly Hunk[],
  before: number,
  gap: Gap,
  total: number | null,
): GapRange {
  const previous = hunks[before - 1];
  const next = hunks[before];
  const end = previous ? endOf(previous) : { old: 1, new: 1 };
  const from = (gap.above.at(-1)?.new ?? end.new - 1) + 1;
  if (!next) return { from, to: total, oldOff: end.old - end.new };
  const start = startOf(next);
  return { from, to: (gap.below[0]?.new ?? start.new) - 1, oldOff: start.old - start.new };
}

/** Returns the number of hidden lines. Null where the end of the file is not known. */
export const hiddenCount = ({ from, to }: GapRange): number | null =>
  to === null ? null : Math.max(0, to - from + 1);

/** Returns the first line numbers of a hunk. On a side without lines, the header contains the number of the line before. */
function startOf({ lines, oldStart, newStart }: Hunk): { old: number; new: number } {
  const has = (side: 'old' | 'new') => lines.some((line) => line[side] !== null);
  return { old: has('old') ? oldStart : oldStart + 1, new: has('new') ? newStart : newStart + 1 };
}

/** Returns the line numbers after a hunk. */
function endOf(hunk: Hunk): { old: number; new: number } {
  const start = startOf(hunk);
  const count = (side: 'old' | 'new') =>
    hunk.lines.reduce((sum, line) => sum + (line[side] !== null ? 1 : 0), 0);
  return { old: start.old + count('old'), new: start.new + count('new') };
}

/** Converts the core's context lines to lines with numbers on both sides. */
export function contextLines(file: number, view: ContextView, oldOff: number): Line[] {
  return view.lines.map((text, at) => {
    const number = view.first + at;
    return {
      file,
      hunk: -1,
      index: number,
      kind: ' ',
      old: number + oldOff,
      new: number,
      ...textOf(text),
      noEol: false,
      mate: null,
      colours: { spans: view.colours.lines[at] ?? [], names: view.colours.classes },
    };
  });
}

/** Returns lines of the head by their numbers. Null unless all of them are loaded. */
export function linesAround(
  file: number,
  loaded: Loaded,
  gaps: Gaps,
  from: number,
  to: number,
): string[] | null {
  const hunks = loaded.hunks[file] ?? [];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  for (let before = 0; gaps.size > 0 && before <= hunks.length; before++) {
    const gap = gaps.get(gapKey(file, before)) ?? noGap;
    lines.push(...gap.above, ...gap.below);
  }
  const known = new Map(lines.map((line) => [line.new, line.text]));
  const texts = Array.from({ length: to - from + 1 }, (_, at) => known.get(from + at));
  return texts.every((text) => text !== undefined) ? texts : null;
}
