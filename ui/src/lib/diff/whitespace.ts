// Shows lines that differ only in whitespace as unchanged lines.
import { runLength, type Line } from './lines';

/** The maximum size of a table for comparing two runs of lines. Larger runs are compared only at their ends. */
const MAX_CELLS = 250_000;

const plain = (line: Line): string => line.text.replace(/\s+/g, '');

/** The unchanged lines that replace added lines. Each is created once, so that a row keeps its line when rows are rebuilt. */
const replacements = new WeakMap<Line, Line>();

function unchanged(removed: Line, added: Line): Line {
  let line = replacements.get(added);
  if (line?.old !== removed.old) {
    line = { ...added, kind: ' ', old: removed.old, mate: null };
    replacements.set(added, line);
  }
  return line;
}

/** A line to show, and the lines of the change that it stands for. */
export interface ShownLine {
  line: Line;
  of: readonly Line[];
}

/** Returns the lines of a hunk, where a removed and an added line that differ only in whitespace are one unchanged line. */
export function ignoreWhitespace(lines: readonly Line[]): ShownLine[] {
  const shown: ShownLine[] = [];
  const keep = (some: readonly Line[]) => some.forEach((line) => shown.push({ line, of: [line] }));
  for (let at = 0; at < lines.length;) {
    const removed = lines.slice(at, at + runLength(lines, at, '-'));
    const added = lines.slice(
      at + removed.length,
      at + removed.length + runLength(lines, at + removed.length, '+'),
    );
    if (removed.length + added.length === 0) {
      keep([lines[at]!]);
      at += 1;
      continue;
    }
    let [left, right] = [0, 0];
    for (const [i, j] of equalPairs(removed.map(plain), added.map(plain))) {
      keep(removed.slice(left, i));
      keep(added.slice(right, j));
      shown.push({ line: unchanged(removed[i]!, added[j]!), of: [removed[i]!, added[j]!] });
      [left, right] = [i + 1, j + 1];
    }
    keep(removed.slice(left));
    keep(added.slice(right));
    at += removed.length + added.length;
  }
  return shown;
}

/** Returns a longest list of pairs of equal texts, in the order of both lists. */
function equalPairs(a: readonly string[], b: readonly string[]): [number, number][] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [rows, columns] = [a.length - start - end, b.length - start - end];
  const pairs: [number, number][] = Array.from({ length: start }, (_, at) => [at, at]);
  if (rows * columns <= MAX_CELLS) pairs.push(...middlePairs(a, b, start, rows, columns));
  for (let at = end; at > 0; at--) pairs.push([a.length - at, b.length - at]);
  return pairs;
}

/** Returns the pairs of the longest common subsequence of the middle parts. */
function middlePairs(
  a: readonly string[],
  b: readonly string[],
  start: number,
  rows: number,
  columns: number,
): [number, number][] {
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[start + i] === b[start + j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (a[start + i] === b[start + j]) pairs.push([start + i++, start + j++]);
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}
