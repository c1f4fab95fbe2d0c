import { describe, expect, it } from 'vitest';
import { announcement, type ReadingState } from './announcement';

const start: ReadingState = { of: 'one', finding: null, file: null, lines: null, decisions: new Map() };
const finding = (key: string) => ({ key, title: `Title ${key}`, place: `a.ts:${key}` });
const line = (at: number, to = at) => ({
  path: 'a.ts',
  side: 'new' as const,
  from: at,
  to,
  kind: '+' as const,
  text: '  call();',
});

describe('the announcement of a key', () => {
  it('names the selected finding', () => {
    expect(announcement(start, { ...start, finding: finding('1') })).toBe('Title 1, a.ts:1');
  });

  it('says a decision before the next finding', () => {
    const before = { ...start, finding: finding('1'), decisions: new Map([['1', 'open' as const]]) };
    const now = { ...start, finding: finding('2'), decisions: new Map([['1', 'accepted' as const]]) };
    expect(announcement(before, now)).toBe('Accepted. Title 2, a.ts:2');
    expect(announcement(now, { ...before, finding: finding('1') })).toBe('Reopened. Title 1, a.ts:1');
  });

  it('counts decisions that were made together', () => {
    const all = (decision: 'open' | 'dismissed') => new Map(['1', '2'].map((key) => [key, decision]));
    expect(
      announcement({ ...start, decisions: all('open') }, { ...start, decisions: all('dismissed') }),
    ).toBe('Dismissed: 2 findings.');
  });

  it('reads a line, with its file only where that is another one', () => {
    const first = { ...start, lines: line(3) };
    expect(announcement(start, first)).toBe('a.ts, line 3, added: call();');
    expect(announcement(first, { ...start, lines: line(4) })).toBe('line 4, added: call();');
    expect(announcement(first, { ...start, lines: line(3, 5) })).toBe('lines 3 to 5');
  });

  it('names a file with its number', () => {
    const file = { path: 'b.ts', number: 2, count: 18 };
    expect(announcement(start, { ...start, file })).toBe('b.ts, file 2 of 18');
  });

  it('is silent at the start, after another change or review, and when nothing changes', () => {
    const now = { ...start, finding: finding('1') };
    expect(announcement(null, now)).toBe('');
    expect(announcement(start, { ...now, of: 'two' })).toBe('');
    expect(announcement(now, { ...now })).toBe('');
    // A finding that the new state of the review adds is no decision.
    expect(announcement(start, { ...start, decisions: new Map([['1', 'open']]) })).toBe('');
  });
});
