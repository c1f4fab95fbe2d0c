import { expect, test } from 'vitest';
import type { Row } from './rows';
import { markedRows, rulerMarks } from './ruler';

const rows: Row[] = [
  { kind: 'file', file: 0, part: 0 },
  { kind: 'card', file: 0, id: 'a' },
  { kind: 'file', file: 1, part: 0 },
  { kind: 'card', file: 1, id: 'b' },
];

test('marks are shares of the height of the diff', () => {
  const ofCard = (id: string) => (id === 'a' ? { kind: 'high', title: 'A' } : null);
  const marked = markedRows(rows, ofCard, (file) => file === 1, new Set());
  expect(rulerMarks(marked, Float64Array.of(0, 10, 50, 60, 100))).toEqual([
    { key: 'ca', kind: 'high', title: 'A', from: 0.1, to: 0.1 },
    { key: 'f1', kind: 'viewed', title: '', from: 0.5, to: 1 },
  ]);
});

test('the end of a large diff has marks too, and marks that would cover each other are one', () => {
  const many = Array.from({ length: 5_000 }, (_, at): Row => ({ kind: 'card', file: 0, id: `${at}` }));
  const marked = markedRows(
    many,
    () => ({ kind: 'low', title: '' }),
    () => false,
    new Set(),
  );
  const marks = rulerMarks(
    marked,
    Float64Array.from({ length: 5_001 }, (_, at) => at),
  );
  expect(marks.length).toBeLessThanOrEqual(500);
  expect(marks.at(-1)!.from).toBeGreaterThan(0.99);
});

test('viewed files that follow each other are one mark', () => {
  const marked = markedRows(
    rows,
    () => null,
    () => true,
    new Set(),
  );
  expect(rulerMarks(marked, Float64Array.of(0, 10, 50, 60, 100))).toEqual([
    { key: 'f0', kind: 'viewed', title: '', from: 0, to: 1 },
  ]);
});

test('an empty diff has no marks', () => {
  expect(
    rulerMarks(
      markedRows(
        [],
        () => null,
        () => true,
        new Set(),
      ),
      new Float64Array(1),
    ),
  ).toEqual([]);
});
