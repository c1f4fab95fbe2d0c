import { expect, it } from 'vitest';
import { addPage, lineEndingChanged, emptyLines, textOf } from './lines';

it('reports changed line endings only', () => {
  const loaded = emptyLines(1);
  const part = { file: 0, hunk: 0, first_line: 0, header: '@@', old_start: 1, new_start: 1 };
  addPage(loaded, { parts: [{ ...part, kinds: '-+ ', lines: ['a', 'a\r', 'b\r'] }], next: null });
  const lines = loaded.hunks[0]![0]!.lines;
  expect(lines.map((line) => [line.text, line.cr, lineEndingChanged(line)])).toEqual([
    ['a', false, true],
    ['a', true, true],
    ['b', true, false],
  ]);
});

it('reads the length of a partial line from its text', () => {
  const long = 'x'.repeat(20_000);
  expect(textOf(`${long}… (300008 bytes)`)).toMatchObject({ text: long, bytes: 300_008 });
  expect(textOf('// … (12 bytes)')).toMatchObject({ text: '// … (12 bytes)', bytes: null });
});
