import { describe, expect, it } from 'vitest';
import type { Reading } from '../../rpc/types.gen';
import { deliveryOf, openedBy } from './reading-evidence';

const hunk = (start: number, changed: number, delivered: number, prompts: number[]) => ({
  old_start: start,
  new_start: start,
  changed,
  delivered,
  prompts,
});
const reading = {
  files: [
    { path: 'a.rs', prompts: [1, 2], hunks: [hunk(1, 3, 3, [1, 2]), hunk(9, 4, 1, [2])] },
    { path: 'b.rs', hunks: [hunk(1, 2, 0, [])] },
    { path: 'c.rs', hunks: [hunk(1, 2, 0, [])] },
  ],
  agents: [
    { agent: 'one', opened: ['a.rs', 'c.rs'] },
    { agent: 'two', opened: ['a.rs'] },
  ],
} as unknown as Reading;

describe('evidence of reading', () => {
  it('names the agents that opened a file', () => {
    const by = (path: string) => openedBy(reading, path, (name) => name.toUpperCase());
    expect([by('a.rs'), by('b.rs'), by('c.rs')]).toEqual(['opened by ONE and TWO', null, 'opened by ONE']);
    expect(openedBy(null, 'a.rs', (name) => name)).toBeNull();
  });

  it('names the prompts of a hunk, or what was not delivered', () => {
    const of = (path: string, start: number) => deliveryOf(reading, path, { old: start, new: start });
    expect(of('a.rs', 1)).toBe('in prompts 1 and 2 of 2');
    expect(of('a.rs', 9)).toBe('1 of 4 changed lines delivered');
    expect(of('b.rs', 1)).toBe('not read');
    expect(of('c.rs', 1)).toBe('not delivered, file opened');
    expect([of('a.rs', 5), of('none.rs', 1)]).toEqual([null, null]);
  });

  it('says nothing about hunks of the only prompt', () => {
    const one = {
      files: [{ path: 'a.rs', prompts: [1], hunks: [hunk(1, 3, 3, [1])] }],
    } as unknown as Reading;
    expect(deliveryOf(one, 'a.rs', { old: 1, new: 1 })).toBeNull();
  });
});
