import { describe, expect, it } from 'vitest';
import { patchLines, replacementLines, type PatchLine } from './patch';

const mates = (lines: PatchLine[]) => lines.map(({ kind, text, mate }) => [kind + text, mate?.text ?? null]);

describe('a suggested patch', () => {
  it('sets each replaced line beside the one in its place, for marking what differs', () => {
    expect(mates(replacementLines('a\nif (x < 1)\nb\n', 'a\nif (x > 1)\nmore\nb\n'))).toEqual([
      [' a', null],
      ['-if (x < 1)', 'if (x > 1)'],
      ['+if (x > 1)', 'if (x < 1)'],
      ['+more', null],
      [' b', null],
    ]);
  });
  it('takes no line of a hunk for one of the next', () => {
    const content = '@@ -1 +1,0 @@\n-gone\n@@ -9,0 +8 @@\n+come\n';
    expect(mates(patchLines({ format: 'unified-diff', content }, []))).toEqual([
      ['@@@ -1 +1,0 @@', null],
      ['-gone', null],
      ['@@@ -9,0 +8 @@', null],
      ['+come', null],
    ]);
  });
});
