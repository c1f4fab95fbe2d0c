import { expect, it } from 'vitest';
import type { Decision, FindingView, Severity } from '../../rpc/types.gen';
import { groupFindings, stepOpenFinding, type ListRow } from './findings';

interface Place {
  file?: number | null;
  line?: number | null;
  severity?: Severity;
  decision?: Decision;
}
const finding = (key: string, { file = 0, line = 1, severity = 'high', decision = 'open' }: Place = {}) =>
  ({
    file,
    decision,
    finding: {
      key,
      severity,
      sources: ['a'],
      anchor: { path: `f${file}`, line_start: line, line_end: line },
    },
  }) as unknown as FindingView;
const keys = (rows: ListRow[]) => rows.flatMap((row) => (row.kind === 'finding' ? [row.key] : []));

it('lists findings of one severity in the order of the diff', () => {
  const views = [
    finding('unplaced', { file: null, line: null }),
    finding('second file', { file: 1, line: 2 }),
    finding('later line', { line: 30 }),
    finding('earlier line', { line: 4 }),
    finding('whole file', { line: null }),
    finding('critical', { file: 1, line: 90, severity: 'critical' }),
  ];
  expect(keys(groupFindings(views, 'severity'))).toEqual([
    'critical',
    'whole file',
    'earlier line',
    'later line',
    'second file',
    'unplaced',
  ]);
  expect(keys(groupFindings(views, 'agent')).at(-1)).toBe('unplaced');
  // The order of the track record, which only groups by severity keep.
  expect(keys(groupFindings(views, 'severity', true)).slice(0, 3)).toEqual([
    'critical',
    'unplaced',
    'second file',
  ]);
  expect(keys(groupFindings(views, 'agent', true)).at(-1)).toBe('unplaced');
});

it('steps to the next open finding, and continues at the other end of the list', () => {
  const views = [
    finding('a', { line: 1 }),
    finding('b', { line: 2, decision: 'accepted' }),
    finding('c', { line: 3 }),
    finding('d', { line: 4, decision: 'dismissed' }),
  ];
  const rows = groupFindings(views, 'severity');
  expect(stepOpenFinding(rows, null, 1)).toBe('a');
  expect(stepOpenFinding(rows, 'a', 1)).toBe('c');
  expect(stepOpenFinding(rows, 'c', 1)).toBe('a');
  expect(stepOpenFinding(rows, 'a', -1)).toBe('c');
  expect(stepOpenFinding(rows, null, -1)).toBe('c');
  expect(stepOpenFinding(groupFindings([finding('only')], 'severity'), 'only', 1)).toBeNull();
});
