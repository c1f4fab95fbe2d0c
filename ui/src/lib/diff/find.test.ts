import { expect, it } from 'vitest';
import { countCut, findAll, partlySearched, pattern } from './find';
import { addPage, emptyLines, MAX_LINE_LENGTH } from './lines';
import type { HunkPage } from '../../rpc/types.gen';

function loaded(...lines: string[]) {
  const all = emptyLines(1);
  const part = { file: 0, hunk: 0, header: '@@', old_start: 1, new_start: 1, first_line: 0 };
  addPage(all, {
    parts: [{ ...part, lines, kinds: '+'.repeat(lines.length) }],
  } as unknown as HunkPage);
  return all;
}

const long = 'x'.repeat(MAX_LINE_LENGTH);

it('counts the matches beyond the shown part of a line', () => {
  const all = findAll(loaded('needle', `needle${long}needle`, long), new Map(), pattern('needle'));
  expect(all.map(({ cut }) => cut)).toEqual([false, false, true]);
  expect(countCut(all)).toBe(1);
});

it('takes a match across the end of the shown part as cut', () => {
  const all = findAll(loaded(`${long.slice(3)}needle`), new Map(), pattern('needle'));
  expect(countCut(all)).toBe(1);
});

it('counts the lines of which only the beginning was sent', () => {
  expect(partlySearched(loaded('a', `${long}x… (90000 bytes)`, '… (3 bytes)'))).toBe(1);
});
