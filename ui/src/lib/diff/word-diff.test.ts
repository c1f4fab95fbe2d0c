import { describe, expect, it } from 'vitest';
import { differingWords } from './word-diff';
import { segmentsOf } from './segments';

const shown = (text: string, mate: string) => {
  let at = 0;
  let out = '';
  for (const [from, to] of differingWords(text, mate)) {
    out += `${text.slice(at, from)}[${text.slice(from, to)}]`;
    at = to;
  }
  return out + text.slice(at);
};

describe('word diff', () => {
  it('marks each changed word, not the words between them', () => {
    expect(shown('let total = sum(new_items, 2);', 'let total = sum(items, 1);')).toBe(
      'let total = sum([new_items], [2]);',
    );
    expect(shown('fn getNames(a: A)', 'fn getName(a: A)')).toBe('fn [getNames](a: A)');
  });
  it('marks added and removed words', () => {
    expect(shown('call(a, b, c)', 'call(a, c)')).toBe('call(a, [b, ]c)');
    expect(shown('call(a, c)', 'call(a, b, c)')).toBe('call(a, c)');
  });
  it('marks nothing in equal or very different lines', () => {
    expect(differingWords('return null;', 'const everything = other(thing, here)')).toEqual([]);
    expect(differingWords('same', 'same')).toEqual([]);
  });
  it('keeps an emoji with joined parts together', () => {
    const [from, to] = differingWords('const who = "👩‍💻"; // one', 'const who = "👨‍💻"; // one')[0]!;
    expect('const who = "👩‍💻"; // one'.slice(from, to)).toBe('👩‍💻');
  });

  it('compares the ends of very long lines', () => {
    const long = 'word '.repeat(400);
    expect(shown(`${long}x`, `${long}y`)).toBe(`${long}[x]`);
  });
});

describe('segments', () => {
  it('split at colours and at marks', () => {
    const marks = [
      { name: 'differs', spans: [[2, 6]] as const },
      { name: 'found', spans: [[5, 8]] as const },
    ];
    const segments = segmentsOf('let value', [3, 1, 1, 0], ['', 'keyword'], marks);
    expect(segments.map((one) => `${one.text}|${one.type}|${one.marks}`)).toEqual([
      'le|keyword|',
      't|keyword|differs',
      ' ||differs',
      'v||differs',
      'a||differs found',
      'lu||found',
      'e||',
    ]);
  });
});
