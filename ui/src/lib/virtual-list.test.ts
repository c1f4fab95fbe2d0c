import { describe, expect, it } from 'vitest';
import { shiftOffsets, offsetsOf } from './virtual-list';

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
