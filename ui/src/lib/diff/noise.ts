// Folded lines of a hunk: changed lines that the core has proven to have no new meaning.
import type { FoldReason, ShownReading } from '../../rpc/types.gen';
import { findMates, type Line } from './lines';
import type { ShownLine } from './whitespace';

/** A place in a file of the change. */
export interface FoldPlace {
  path: string;
  line: number;
  side: 'old' | 'new';
}

/** Adjacent folded lines of a hunk. */
export interface LineFold {
  /** The file, the hunk and the first line. */
  key: string;
  file: number;
  hunk: number;
  /** The index of the first line in the hunk, and the index after the last one. */
  start: number;
  end: number;
  reason: FoldReason;
  /** The symbols with new names. */
  renames: readonly { from: string; to: string }[];
  /** The other end of a moved block. */
  other: FoldPlace | null;
}

/** The folds of each hunk, in the order of its lines, by `file.hunk`. */
export type FoldsByHunk = ReadonlyMap<string, readonly LineFold[]>;

export const foldReasons: readonly FoldReason[] = [
  'moved',
  'whitespace',
  'formatting',
  'renamed',
  'imports',
  'comments',
];

/** Returns the folds of the hunks. */
export function foldsByHunk(reading: Pick<ShownReading, 'folds'>): FoldsByHunk {
  const found = new Map<string, LineFold[]>();
  for (const { reason, renames, spans } of reading.folds) {
    for (const { file, hunk, start, end, other } of spans) {
      const key = `${file}.${hunk}`;
      const fold = { key: `${key}.${start}`, file, hunk, start, end, reason, renames, other: other ?? null };
      const there = found.get(key);
      if (there) there.push(fold);
      else found.set(key, [fold]);
    }
  }
  for (const folds of found.values()) folds.sort((a, b) => a.start - b.start);
  return found;
}

/** Returns the number of folded lines by reason. */
export function countFolded(folds: FoldsByHunk): Map<FoldReason, number> {
  const counts = new Map<FoldReason, number>();
  for (const fold of [...folds.values()].flat())
    counts.set(fold.reason, (counts.get(fold.reason) ?? 0) + fold.end - fold.start);
  return new Map(
    foldReasons.flatMap((reason) => (counts.has(reason) ? [[reason, counts.get(reason)!]] : [])),
  );
}

/** Adjacent lines that are in the same fold, or in none. */
export interface Segment {
  fold: LineFold | null;
  lines: readonly ShownLine[];
}

/** Cuts the lines of a hunk at the ends of its folds. Pairs removed lines with added ones only inside of a part. */
export function cutAtFolds(shown: readonly ShownLine[], folds: readonly LineFold[]): Segment[] {
  const parts: { fold: LineFold | null; lines: ShownLine[] }[] = [];
  let next = 0;
  for (const one of shown) {
    const { index } = one.of[0]!;
    while (next < folds.length && folds[next]!.end <= index) next++;
    const at = folds[next];
    const fold = at && at.start <= index && one.line.kind !== ' ' ? at : null;
    const last = parts.at(-1);
    if (last?.fold === fold) last.lines.push(one);
    else parts.push({ fold, lines: [one] });
  }
  for (const { lines } of parts) findMates(lines.map(({ line }) => line));
  return parts;
}

/** Returns the fold that a line is in. */
export const foldOfLine = (
  folds: FoldsByHunk,
  line: Pick<Line, 'file' | 'hunk' | 'index'>,
): LineFold | null =>
  folds.get(`${line.file}.${line.hunk}`)?.find((fold) => fold.start <= line.index && line.index < fold.end) ??
  null;
