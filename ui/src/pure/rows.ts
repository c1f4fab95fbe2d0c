// In: files, the lines that have come, findings and what is folded. Out: the flat array of rows that the diff shows.
import type { FileView } from '../rpc/types.gen';
import { runOf, type Hunk, type Line, type Loaded } from './lines';
import type { Places } from './places';

export type Mode = 'unified' | 'split';

export type Row =
  | { kind: 'file'; file: number }
  | { kind: 'hunk'; file: number; hunk: number; header: string }
  | { kind: 'line'; file: number; line: Line }
  | { kind: 'pair'; file: number; left: Line | null; right: Line | null }
  | { kind: 'card'; file: number; id: string }
  | { kind: 'notice'; file: number; why: Notice }
  | { kind: 'pending'; file: number; lines: number; hunks: number };

/** Why a file shows no lines. */
export type Notice = 'folded' | 'ignored' | 'binary' | 'empty';

export interface RowsInput {
  files: FileView[];
  loaded: Loaded;
  mode: Mode;
  /** Whether a file's lines are folded away. */
  folded: (file: number) => boolean;
  places: Places;
}

/** Every row, in order. */
export function buildRows({ files, loaded, mode, folded, places }: RowsInput): Row[] {
  const rows: Row[] = [];
  files.forEach((view, file) => {
    rows.push({ kind: 'file', file });
    const place = places.get(file);
    for (const id of place?.top ?? []) rows.push({ kind: 'card', file, id });
    const why = noticeFor(view, folded(file));
    if (why) {
      rows.push({ kind: 'notice', file, why });
      for (const id of place?.inLines ?? []) rows.push({ kind: 'card', file, id });
      return;
    }
    const hunks = loaded.hunks[file] ?? [];
    hunks.forEach((hunk, index) => {
      rows.push({ kind: 'hunk', file, hunk: index, header: hunk.header });
      const after = (line: Line) => {
        for (const id of place?.after.get(line) ?? []) rows.push({ kind: 'card', file, id });
      };
      if (mode === 'unified') pushLines(rows, hunk, after);
      else pushPairs(rows, hunk, after);
    });
    const lines = view.lines - (loaded.counts[file] ?? 0);
    if (lines > 0) rows.push({ kind: 'pending', file, lines, hunks: view.hunks - hunks.length });
  });
  return rows;
}

function noticeFor(view: FileView, folded: boolean): Notice | null {
  if (view.binary) return 'binary';
  if (view.lines === 0) return 'empty';
  if (folded) return view.ignored ? 'ignored' : 'folded';
  return null;
}

function pushLines(rows: Row[], hunk: Hunk, after: (line: Line) => void): void {
  for (const line of hunk.lines) {
    rows.push({ kind: 'line', file: line.file, line });
    after(line);
  }
}

/** Removed lines stand beside the added ones that follow them. */
function pushPairs(rows: Row[], { lines }: Hunk, after: (line: Line) => void): void {
  for (let at = 0; at < lines.length;) {
    const first = lines[at]!;
    if (first.kind === ' ') {
      rows.push({ kind: 'pair', file: first.file, left: first, right: first });
      after(first);
      at += 1;
      continue;
    }
    const removed = runOf(lines, at, '-');
    const added = runOf(lines, at + removed, '+');
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

/** A row's name, the same before and after rows are built anew. */
export function rowKey(row: Row): string {
  switch (row.kind) {
    case 'file':
      return `f${row.file}`;
    case 'hunk':
      return `h${row.file}.${row.hunk}`;
    case 'line':
      return lineKey(row.line);
    case 'pair':
      return lineKey((row.left ?? row.right)!);
    case 'card':
      return `c${row.id}`;
    case 'notice':
      return `n${row.file}`;
    case 'pending':
      return `p${row.file}`;
  }
}

const lineKey = (line: Line): string => `l${line.file}.${line.hunk}.${line.index}`;
