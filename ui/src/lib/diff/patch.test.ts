import { describe, expect, it } from 'vitest';
import { patchLines, replacementLines, type PatchLine } from './patch';

const mates = (lines: PatchLine[]) => lines.map(({ kind, text, mate }) => [kind + text, mate?.text ?? null]);

describe('a suggested patch', () => {
  it('pairs replaced lines for the word diff', () => {
    expect(mates(replacementLines('a\nif (x < 1)\nb\n', 'a\nif (x > 1)\nmore\nb\n'))).toEqual([
      [' a', null],
      ['-if (x < 1)', 'if (x > 1)'],
      ['+if (x > 1)', 'if (x < 1)'],
      ['+more', null],
      [' b', null],
    ]);
  });
  it('does not pair lines across hunks', () => {
    const content = '@@ -1 +1,0 @@\n-gone\n@@ -9,0 +8 @@\n+come\n';
    expect(mates(patchLines({ format: 'unified-diff', content }, []))).toEqual([
      ['@@@ -1 +1,0 @@', null],
      ['-gone', null],
      ['@@@ -9,0 +8 @@', null],
      ['+come', null],
    ]);
  });
});
