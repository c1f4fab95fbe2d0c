import { describe, expect, it } from 'vitest';
import { anchoredTop, rangeOf, shiftOffsets, offsetsOf } from './virtual-list';

describe('moved', () => {
  it('equals a complete recalculation', () => {
    const heights = Array.from({ length: 50 }, (_, at) => 10 + (at % 3));
    const offsets = offsetsOf(heights.length, (at) => heights[at]!);
    const changed = [
      { index: 49, height: 1 },
      { index: 0, height: 99 },
      { index: 7, height: 5 },
      { index: 8, height: 80 },
    ];
    const next = shiftOffsets(offsets, changed);
    for (const { index, height } of changed) heights[index] = height;
    expect([...next]).toEqual([...offsetsOf(heights.length, (at) => heights[at]!)]);
  });
});

describe('the anchor', () => {
  const layout = (rows: string[]) => ({ rows, offsets: offsetsOf(rows.length, () => 10) });
  const anchored = (before: string[], now: string[], top: number) =>
    anchoredTop(layout(before), layout(now), top, (row) => row);

  it('keeps the row at the top in its place', () => {
    expect(anchored(['a', 'b', 'c'], ['x', 'y', 'a', 'b', 'c'], 13)).toBe(33);
  });

  it('takes the next row that remains', () => {
    expect(anchored(['a', 'b', 'c'], ['a', 'c'], 13)).toBe(10);
    expect(anchored(['a', 'b'], ['x'], 13)).toBeNull();
  });
});

describe('the drawn range', () => {
  const offsets = offsetsOf(100, () => 10);

  it('goes beyond the view by px and by rows', () => {
    expect(rangeOf(offsets, 200, 100, 0, 0)).toEqual({ from: 20, to: 31 });
    expect(rangeOf(offsets, 200, 100, 50, 2)).toEqual({ from: 13, to: 38 });
    expect(rangeOf(offsets, 0, 100, 0, 2)).toEqual({ from: 0, to: 13 });
    expect(rangeOf(offsets, 900, 100, 0, 2).to).toBe(100);
  });

  it('contains the next rows after one that is higher than the view', () => {
    const high = offsetsOf(5, (index) => (index === 1 ? 9_000 : 10));
    expect(rangeOf(high, 10, 100, 50, 2)).toEqual({ from: 0, to: 4 });
  });
});
