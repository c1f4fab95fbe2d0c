import { describe, expect, it } from 'vitest';
import type { HistoryItem } from '../rpc/types.gen';
import { severityCounts, dayOf, removalWarning, matchParts, historyRows, stateOf } from './history';

const item = (more: Partial<HistoryItem> = {}): HistoryItem => ({
  kind: 'review',
  id: 'a',
  place: 'shop',
  repository: '/shop',
  change: 'Staged changes',
  title: '',
  at: '2026-03-05T10:00:00',
  agent: 'codex',
  severities: [0, 2, 0, 1, 0],
  accepted: 1,
  dismissed: 1,
  posted: 0,
  messages: 0,
  ...more,
});
const now = new Date('2026-03-05T12:00:00');

describe('the history', () => {
  it('is grouped by day, with interrupted runs first', () => {
    const run = {
      run_id: 'r',
      place: 'shop',
      change: 'x',
      agent: 'codex',
      started_at: '',
      run_dir: '',
      answers: 2,
    };
    const items = [
      item(),
      item({ id: 'b', at: '2026-03-04T23:59:00' }),
      item({ id: 'c', at: '2026-03-04T01:00:00' }),
    ];
    const keys = historyRows(items, [run], now).map((row) => (row.kind === 'day' ? row.title : row.key));
    expect(keys).toEqual(['Interrupted', 'r:r', 'Today', 'review:a', 'Yesterday', 'review:b', 'review:c']);
    expect(historyRows([], [], now)).toEqual([]);
  });
  it('formats days', () => {
    expect(dayOf('2026-01-02T10:00:00', now)).toBe('Friday, Jan 2');
    expect(dayOf('2024-11-03T10:00:00', now)).toBe('Nov 3, 2024');
    expect(dayOf('nonsense', now)).toBe('Earlier');
  });
  it('summarizes findings, decisions and removals', () => {
    expect(severityCounts(item())).toEqual([
      { severity: 'high', count: 2 },
      { severity: 'low', count: 1 },
    ]);
    expect(stateOf(item())).toBe('1 open, 1 accepted, 1 dismissed');
    expect(removalWarning(item({ posted: 2 }))).toBe(
      'Delete the review of Staged changes with 3 findings, 2 decisions and its run folder? Posted comments stay in GitLab.',
    );
    expect(removalWarning(item({ kind: 'conversation', title: 'Why', messages: 1 }))).toBe(
      'Delete the conversation “Why” with 1 message?',
    );
  });
  it('splits a hit at the matches', () => {
    expect(matchParts('the \u0001refund\u0002 of\n <b>')).toEqual([
      { text: 'the ', found: false },
      { text: 'refund', found: true },
      { text: ' of <b>', found: false },
    ]);
  });
});
