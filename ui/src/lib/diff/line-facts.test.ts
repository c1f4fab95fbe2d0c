import { describe, expect, it } from 'vitest';
import type { Facts, TestCoverage } from '../../rpc/types.gen';
import { coverageFact, factsByLine, failedLines, lineState } from './line-facts';

const coverage: TestCoverage = {
  path: 'a.py',
  runs: [
    { start: 2, end: 4, state: 'covered' },
    { start: 5, end: 5, state: 'partial' },
    { start: 9, end: 12, state: 'uncovered' },
  ],
  stale: false,
  sources: [0],
};

describe('facts about lines', () => {
  it('finds the state of each measured line', () => {
    const states = [1, 2, 4, 5, 6, 8, 9, 12, 13].map((line) => lineState(coverage, line));
    expect(states).toEqual([
      null,
      'covered',
      'covered',
      'partial',
      null,
      null,
      'uncovered',
      'uncovered',
      null,
    ]);
    expect(lineState({ ...coverage, runs: [] }, 1)).toBeNull();
  });

  it('says when the coverage is stale', () => {
    expect(coverageFact(coverage, 9)?.kind).toBe('uncovered');
    expect(coverageFact({ ...coverage, stale: true }, 9)?.title).toMatch(/stale/i);
    expect(coverageFact(undefined, 9)).toBeNull();
  });

  it('shows a failed test once, and marks every line that it names', () => {
    const places = [
      { path: 'test_a.py', line: 3 },
      { path: 'a.py', line: 9 },
    ];
    const failure = { name: 'adds', suite: '', message: '', details: '', places, stale: false, source: 0 };
    const finding = {
      tool: null,
      rule: 'E1',
      message: 'm',
      severity: 'minor' as const,
      path: 'a.py',
      line_start: 2,
      line_end: 4,
      stale: false,
      source: 0,
    };
    const facts = {
      failures: [failure, { ...failure, stale: true, places: [] }],
      findings: [finding],
    } as unknown as Facts;
    const cards = factsByLine(facts);
    expect(cards.get('test_a.py')?.get(3)?.failures).toEqual([failure]);
    expect([...(cards.get('a.py')?.keys() ?? [])]).toEqual([4]);
    expect(failedLines(facts).get('a.py')?.get(9)).toBe('adds');
  });
});
