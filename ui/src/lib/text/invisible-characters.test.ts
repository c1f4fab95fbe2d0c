import { describe, expect, it } from 'vitest';
import { codePoint, splitInvisible, hasInvisible, escapeInvisible } from './invisible-characters';

describe('invisible and bidirectional characters', () => {
  it('are replaced by their code points', () => {
    expect(escapeInvisible('exe\u202eyp.cod.py')).toBe('exe<U+202E>yp.cod.py');
    expect(escapeInvisible('a\u200bb\u2066c\u2069\u009bd\u{e0041}')).toBe(
      'a<U+200B>b<U+2066>c<U+2069><U+009B>d<U+E0041>',
    );
    for (const plain of ['naïve', 'שלום', '日本', 'a\tb\nc\r', '👩‍💻 ok ✔️'])
      expect(escapeInvisible(plain)).toBe(plain);
  });

  it('are split from code, including joiners', () => {
    expect(splitInvisible('is\u200dAdmin\u202e;')).toEqual(['is', '\u200d', 'Admin', '\u202e', ';']);
    expect(hasInvisible('const a = "é日👍";\t')).toBe(false);
    expect(hasInvisible('/* \u2066 */')).toBe(true);
    expect(codePoint('\u{e0041}')).toBe('U+E0041');
  });

  it('are not the joiners between the parts of an emoji', () => {
    for (const emoji of ['👩‍💻', '👩🏽‍💻', '🏳️‍🌈', '👨‍👩‍👧‍👦', '❤️‍🔥'])
      expect(hasInvisible(`const a = "${emoji}";`)).toBe(false);
    for (const joined of ['a\u200db', '👩\u200da', 'a\u200d👩', '👩\u200d\u200d💻', '\u200d', '👩\u200c💻'])
      expect(hasInvisible(joined)).toBe(true);
  });
});
