import { expect, test } from 'vitest';
import type { ShownReading, ShownStep } from '../../rpc/types.gen';
import { addPage, emptyLines } from './lines';
import { foldsByHunk } from './noise';
import { sectionsOf } from './reading-order';
import { buildRows, keyOfLine, rowKey, type Row, type RowsInput } from './rows';

const file = (path: string, hunks: number, lines: number) => ({
  path,
  status: 'modified',
  notes: [],
  added: 0,
  removed: 0,
  hunks,
  lines,
  binary: false,
  image: false,
  viewed: [],
});
const files = [file('a.py', 2, 8), file('b.py', 1, 2)];

function loaded() {
  const all = emptyLines(2);
  const part = (file: number, hunk: number, kinds: string) => ({
    file,
    hunk,
    first_line: 0,
    header: '@@',
    old_start: 1 + hunk * 20,
    new_start: 1 + hunk * 20,
    kinds,
    lines: [...kinds].map((kind, at) => `${kind}${at}`),
  });
  addPage(all, { parts: [part(0, 0, ' --++ '), part(0, 1, '-+'), part(1, 0, '-+')], next: null });
  return all;
}

const folds: ShownReading['folds'] = [
  { reason: 'whitespace', renames: [], spans: [{ file: 0, hunk: 0, start: 1, end: 2, other: null }] },
  { reason: 'comments', renames: [], spans: [{ file: 1, hunk: 0, start: 0, end: 2, other: null }] },
];
const input = (more: Partial<RowsInput> = {}): RowsInput => ({
  files,
  loaded: loaded(),
  mode: 'unified',
  folded: () => false,
  places: new Map(),
  whole: () => false,
  gaps: new Map(),
  totals: new Map(),
  hunkFolded: () => false,
  ignoreWhitespace: false,
  folds: foldsByHunk({ folds }),
  folding: true,
  foldOpen: () => false,
  rendered: () => null,
  sections: null,
  ...more,
});
const shown = (rows: Row[]) =>
  rows.map((row) => {
    if (row.kind === 'line') return row.line.text;
    if (row.kind === 'pair') return `${row.left?.text ?? ''}|${row.right?.text ?? ''}`;
    if (row.kind === 'fold') return `fold ${row.fold.reason} +${row.added} -${row.removed}`;
    return row.kind === 'card' ? `card ${row.id}` : rowKey(row);
  });

test('folded lines have one row, and every other line is shown', () => {
  expect(shown(buildRows(input()))).toEqual([
    'f0',
    'h0.0',
    ' 0',
    'fold whitespace +0 -1',
    '-2',
    '+3',
    '+4',
    ' 5',
    'h0.1',
    '-0',
    '+1',
    'f1',
    'h1.0',
    'fold comments +1 -1',
  ]);
  expect(shown(buildRows(input({ folding: false })))).not.toContain('fold comments +1 -1');
});

test('pairs of the split view end at folds, and a line is found in the row that shows it', () => {
  const lines = loaded();
  const rows = buildRows(input({ loaded: lines, mode: 'split' }));
  expect(shown(rows)).toContain('-2|+3');
  const added = lines.hunks[0]![0]!.lines[3]!;
  expect(rows.filter((row) => row.kind === 'pair').map(rowKey)).toContain(keyOfLine(added, 'split'));
  // Without folds, the same line is beside the first removed line.
  const all = buildRows(input({ loaded: lines, mode: 'split', folding: false }));
  expect(shown(all)).toContain('-1|+3');
  expect(all.filter((row) => row.kind === 'pair').map(rowKey)).toContain(keyOfLine(added, 'split'));
});

test('a card on a folded line is shown, and opens the fold unless the user closed it', () => {
  const lines = loaded();
  const places = new Map([
    [1, { top: [], after: new Map([[lines.hunks[1]![0]!.lines[1]!, ['x']]]), inLines: ['x'] }],
  ]);
  const closed = shown(buildRows(input({ loaded: lines, places })));
  expect(closed.slice(-2)).toEqual(['fold comments +1 -1', 'card x']);
  const open = buildRows(input({ loaded: lines, places, foldOpen: (_, hasCards) => hasCards }));
  expect(shown(open).slice(-4)).toEqual(['fold comments +1 -1', '-0', '+1', 'card x']);
});

test('the reading order shows every row once, in sections of chapters', () => {
  const step = (file: number, hunk: number): ShownStep => ({
    hunk: { file, hunk },
    reason: 'entry',
    name: null,
    by: null,
  });
  const sections = sectionsOf({
    chapters: [
      { kind: 'symbol', name: 'run', steps: [step(0, 1), step(1, 0)] },
      { kind: 'folder', name: '', steps: [step(0, 0)] },
    ],
  });
  const rows = buildRows(input({ sections, folding: false }));
  expect(rows.map(rowKey).filter((key) => !key.startsWith('l'))).toEqual([
    'g0',
    'f0',
    'h0.1',
    'f1',
    'h1.0',
    'g1',
    'f0.1',
    'h0.0',
  ]);
  const usual = buildRows(input({ folding: false }))
    .filter((row) => row.kind === 'line')
    .map(rowKey);
  expect(
    rows
      .filter((row) => row.kind === 'line')
      .map(rowKey)
      .sort(),
  ).toEqual(usual.sort());
});

test('a rendered file has one row in place of its lines, and one that cannot be rendered says why', () => {
  const kinds = (reason: string | null) =>
    buildRows(input({ rendered: () => ({ reason }) }))
      .filter((row) => row.file === 0)
      .map((row) => (row.kind === 'notice' ? `notice ${row.reason}` : row.kind));
  expect(kinds(null)).toEqual(['file', 'rendered']);
  expect(kinds('it is broken').slice(0, 3)).toEqual(['file', 'notice it is broken', 'hunk']);
});
