import { expect, it } from 'vitest';
import type { RedactionMatch } from '../rpc/types.gen';
import { groupMaskedValues } from './masked-values';

const match = (match_sha256: string, path: string, line_hint: number | null): RedactionMatch => ({
  match_sha256,
  path,
  line_hint,
  pattern_name: 'keyed-value',
  match_length: 9,
  reason: { kind: 'key', word: 'password' },
});

const reason = { kind: 'key', word: 'password' };

it('lists each value once, with each place once', () => {
  const matches = [
    match('a', 'x.py', 3),
    match('b', 'path', null),
    match('a', 'y.py', 1),
    match('a', 'x.py', 3),
  ];
  expect(groupMaskedValues(matches)).toEqual([
    {
      value: 'a',
      rule: 'keyed-value',
      reason,
      places: [
        { path: 'x.py', line: 3, text: 'x.py:3' },
        { path: 'y.py', line: 1, text: 'y.py:1' },
      ],
    },
    { value: 'b', rule: 'keyed-value', reason, places: [{ path: 'path', line: null, text: 'path' }] },
  ]);
});
