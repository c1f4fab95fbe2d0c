import { describe, expect, it } from 'vitest';
import { contextLines, hiddenCount, hiddenRange, linesAround, noGap } from './gaps';
import { addPage, emptyLines } from './lines';

const page = (parts: [old: number, now: number, kinds: string][]) => ({
  parts: parts.map(([old_start, new_start, kinds], hunk) => ({
    file: 0,
    hunk,
    first_line: 0,
    header: '@@',
    old_start,
    new_start,
    kinds,
    lines: [...kinds].map((kind) => `line ${kind}`),
  })),
  next: null,
});
const hunksOf = (parts: [number, number, string][]) => {
  const loaded = emptyLines(1);
  addPage(loaded, page(parts));
  return loaded.hunks[0]!;
};

const view = { first: 13, lines: ['a', 'b'], colours: { lines: [], classes: [] }, total: 60 };

describe('gaps', () => {
  it('return lines around a place only if all are loaded', () => {
    const loaded = emptyLines(1);
    addPage(loaded, page([[10, 10, ' -+ ']]));
    expect(linesAround(0, loaded, new Map(), 10, 12)).toEqual(['line  ', 'line +', 'line  ']);
    expect(linesAround(0, loaded, new Map(), 9, 10)).toBeNull();
    const below = contextLines(0, { ...view, first: 9, lines: ['nine'] }, 0);
    expect(linesAround(0, loaded, new Map([['0.0', { above: [], below }]]), 9, 10)).toEqual([
      'nine',
      'line  ',
    ]);
  });

  it('are before, between and after hunks', () => {
    const hunks = hunksOf([
      [10, 10, ' -++ '],
      [50, 51, ' + '],
    ]);
    expect(hiddenRange(hunks, 0, noGap, null)).toEqual({ from: 1, to: 9, oldOff: 0 });
    expect(hiddenRange(hunks, 1, noGap, null)).toEqual({ from: 14, to: 50, oldOff: -1 });
    expect(hiddenRange(hunks, 2, noGap, null)).toEqual({ from: 54, to: null, oldOff: -2 });
    expect(hiddenCount(hiddenRange(hunks, 2, noGap, 60))).toBe(7);
  });
  it('begin after a hunk without lines on one side', () => {
    const hunks = hunksOf([[5, 4, '--']]);
    expect(hiddenRange(hunks, 0, noGap, null)).toEqual({ from: 1, to: 4, oldOff: 0 });
    expect(hiddenRange(hunks, 1, noGap, null)).toEqual({ from: 5, to: null, oldOff: 2 });
  });
  it('shrink by the loaded lines', () => {
    const hunks = hunksOf([
      [10, 10, ' + '],
      [50, 51, ' + '],
    ]);
    const above = contextLines(0, view, -1);
    expect(above.map((line) => [line.old, line.new])).toEqual([
      [12, 13],
      [13, 14],
    ]);
    const below = contextLines(0, { ...view, first: 49 }, -1);
    expect(hiddenRange(hunks, 1, { above, below }, null)).toEqual({ from: 15, to: 48, oldOff: -1 });
  });
});
