import { expect, test } from 'vitest';
import { addPage, emptyLines, type Line } from './lines';
import { ignoreWhitespace } from './whitespace';

function hunk(...lines: string[]): Line[] {
  const loaded = emptyLines(1);
  const kinds = lines.map((line) => line[0]).join('');
  const part = { file: 0, hunk: 0, header: '', old_start: 1, new_start: 1, first_line: 0, kinds };
  addPage(loaded, { parts: [{ ...part, lines: lines.map((line) => line.slice(1)) }], next: null });
  return loaded.hunks[0]![0]!.lines;
}
const text = (lines: Line[]) =>
  ignoreWhitespace(lines).map(({ line }) => `${line.old ?? ''} ${line.new ?? ''} ${line.kind}${line.text}`);

test('lines that differ only in whitespace are unchanged lines with the new text', () => {
  expect(text(hunk(' a', '-if (x)  {', '-\tb', '+if (x) {', '+    b', ' c'))).toEqual([
    '1 1  a',
    '2 2  if (x) {',
    '3 3      b',
    '4 4  c',
  ]);
});

test('changed, added and removed lines between them stay', () => {
  expect(text(hunk('-a', '-  b', '-c', '+new', '+ b', '+d', '+e'))).toEqual([
    '1  -a',
    ' 1 +new',
    '2 2   b',
    '3  -c',
    ' 3 +d',
    ' 4 +e',
  ]);
});

test('every line of the change is shown or stands behind an unchanged line, once', () => {
  const words = ['a', ' a', 'b', '  b', '', 'c'];
  let seed = 7;
  const random = (below: number) => (seed = (seed * 16_807) % 2_147_483_647) % below;
  for (let round = 0; round < 300; round++) {
    const kinds = ['-', '+', ' '];
    const lines = hunk(...Array.from({ length: random(14) }, () => kinds[random(3)]! + words[random(6)]!));
    const shown = ignoreWhitespace(lines);
    const behind = shown.flatMap(({ of }) => of);
    expect(new Set(behind)).toEqual(new Set(lines));
    expect(behind.length).toBe(lines.length);
    for (const { line, of } of shown) {
      if (of.length === 1) expect(line).toBe(of[0]);
      else
        expect(of.map((one) => one.text.replace(/\s/g, ''))).toEqual(
          [line, line].map((one) => one.text.replace(/\s/g, '')),
        );
    }
  }
});

test('an unchanged line stays the same object', () => {
  const lines = hunk('-a', '+ a');
  expect(ignoreWhitespace(lines)[0]!.line).toBe(ignoreWhitespace(lines)[0]!.line);
});
