// The lines of a file that its hunks do not show: which they are, and which of them have been brought in.
import type { ContextView } from '../../rpc/types.gen';
import { textOf, type Hunk, type Line, type Loaded } from './lines';

/** What has been brought into a gap: lines that go on below the hunk above it, and lines that lead to the hunk below it. */
export interface Gap {
  above: readonly Line[];
  below: readonly Line[];
}

/** A gap's name: the file and the hunk that it stands before (the number of hunks, for the last). */
export const gapKey = (file: number, before: number): string => `${file}.${before}`;
export type Gaps = ReadonlyMap<string, Gap>;

export const noGap: Gap = { above: [], below: [] };

/** Numbers of the new side that a gap hides (`to` is null where the end of the file is not known), and how far the old ones are off. */
export interface GapRange {
  from: number;
  to: number | null;
  oldOff: number;
}

/** What a gap holds that is not shown yet. */
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

/** How many lines stay hidden; null if the end of the file is not known. */
export const hiddenCount = ({ from, to }: GapRange): number | null =>
  to === null ? null : Math.max(0, to - from + 1);

/** The first numbers of a hunk. One that has no line on a side begins behind the number that its header says. */
function startOf({ lines, oldStart, newStart }: Hunk): { old: number; new: number } {
  const has = (side: 'old' | 'new') => lines.some((line) => line[side] !== null);
  return { old: has('old') ? oldStart : oldStart + 1, new: has('new') ? newStart : newStart + 1 };
}

/** The numbers behind a hunk. */
function endOf(hunk: Hunk): { old: number; new: number } {
  const start = startOf(hunk);
  const count = (side: 'old' | 'new') =>
    hunk.lines.reduce((sum, line) => sum + (line[side] !== null ? 1 : 0), 0);
  return { old: start.old + count('old'), new: start.new + count('new') };
}

/** Lines as they came, numbered on both sides. */
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

/** Lines of the head from one number to another, where all of them have come. */
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
