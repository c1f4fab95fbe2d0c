import { describe, expect, it } from 'vitest';
import type { CheckedQuote, IntentVerdict, Requirement } from '../../rpc/types.gen';
import { allEvidence, byAttention, countRequirements, quotePlace } from './requirements';

const quote = (line: number): CheckedQuote => ({
  path: 'src/a.rs',
  side: 'new',
  line_start: line,
  line_end: line + 1,
  quote: 'let a = 1;',
});
const requirement = (verdict: IntentVerdict, lines: number[]): Requirement => ({
  requirement: `It is ${verdict}`,
  verdict,
  evidence: lines.map(quote),
  unproven: 0,
  sources: ['codex'],
});
const all = [requirement('met', [1, 5]), requirement('not_found', []), requirement('contradicted', [9])];

describe('requirements', () => {
  it('lists what needs attention first', () => {
    expect(byAttention(all).map((one) => one.verdict)).toEqual(['contradicted', 'not_found', 'met']);
    expect(allEvidence(all).map((one) => one.line_start)).toEqual([9, 1, 5]);
  });
  it('counts each verdict', () => {
    expect(countRequirements(all)).toEqual({ contradicted: 1, not_found: 1, met: 1 });
    expect(countRequirements([])).toEqual({ contradicted: 0, not_found: 0, met: 0 });
  });
  it('names a place', () => {
    expect(quotePlace(quote(3))).toBe('src/a.rs:3–4');
    expect(quotePlace({ ...quote(3), line_end: 3 })).toBe('src/a.rs:3');
  });
});
