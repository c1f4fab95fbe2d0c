// The rows of lines: one for each in unified mode, pairs of old and new lines in split mode.
import { runLength, type Line } from './lines';
import type { Row } from './rows';

/** Adds a row for each line. `after` is called behind each. */
export function pushLines(rows: Row[], lines: readonly Line[], after: (line: Line) => void): void {
  for (const line of lines) {
    rows.push({ kind: 'line', file: line.file, line });
    after(line);
  }
}

/** Pairs removed lines with the added lines that follow them. */
export function pushPairs(rows: Row[], lines: readonly Line[], after: (line: Line) => void): void {
  for (let at = 0; at < lines.length;) {
    const first = lines[at]!;
    if (first.kind === ' ') {
      rows.push({ kind: 'pair', file: first.file, left: first, right: first });
      after(first);
      at += 1;
      continue;
    }
    const removed = runLength(lines, at, '-');
    const added = runLength(lines, at + removed, '+');
    for (let i = 0; i < Math.max(removed, added); i++) {
      const left = i < removed ? lines[at + i]! : null;
      const right = i < added ? lines[at + removed + i]! : null;
      rows.push({ kind: 'pair', file: first.file, left, right });
      if (left) after(left);
      if (right) after(right);
    }
    at += removed + added;
  }
}

/** Returns the number of the first line of the new side in rows that begin in a file. Null if they show none. */
export function firstNewLine(rows: readonly Row[], file: number): number | null {
  for (const row of rows) {
    if (row.file !== file) return null;
    const line = row.kind === 'line' ? row.line : row.kind === 'pair' ? row.right : null;
    if (line?.new != null) return line.new;
  }
  return null;
}
