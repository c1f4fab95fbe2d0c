import { expect, it } from 'vitest';
import type { InboxRow } from '../rpc/types.gen';
import { filterInbox, listInbox, nextRow, snoozeEnd, stepRow } from './inbox';

const row = (key: string, more: Partial<InboxRow> = {}): InboxRow => ({
  key,
  kind: 'merge_request',
  group: 'your_turn',
  reason: { code: 'review_requested', text: 'review requested 2 days ago' },
  hidden: false,
  target: { kind: 'merge_request', base: 'https://gitlab.example.com', project: 'shop/api', iid: 7 },
  host: 'https://gitlab.example.com',
  project: 'shop/api',
  iid: 7,
  title: 'Book refunds',
  author: 'alice',
  role: 'reviewer',
  labels: ['backend'],
  lines: null,
  too_large: false,
  approved_by: [],
  draft: false,
  conflicts: false,
  needs_rebase: false,
  open_threads: 0,
  ...more,
});
const rows = [
  row('a'),
  row('b', { author: 'bob', labels: ['frontend'], title: 'Show totals' }),
  row('c', { group: 'waiting', hidden: true, mark: 'snoozed' }),
  row('d', { group: 'done', project: 'infra/ci', mark: 'done' }),
];
const keys = (filter: string) => filterInbox(rows, filter).map((one) => one.key);

it('filters by words and by fields', () => {
  expect(keys('')).toEqual(['a', 'b', 'd']);
  expect(keys('totals')).toEqual(['b']);
  expect(keys('author:ali label:back')).toEqual(['a', 'd']);
  expect(keys('project:infra')).toEqual(['d']);
  expect(keys('state:your-turn author:bob')).toEqual(['b']);
  expect(keys('shop/api!7 refunds')).toEqual(['a']);
  expect(keys('host:example.org')).toEqual([]);
});

it('lists hidden rows only if the filter names their state', () => {
  expect(keys('state:snoozed')).toEqual(['c']);
  expect(keys('state:muted')).toEqual([]);
});

it('lists groups with their counts, without empty ones', () => {
  const listed = listInbox(filterInbox(rows, ''));
  expect(listed.map((one) => one.key)).toEqual(['group:your_turn', 'a', 'b', 'group:done', 'd']);
  expect(stepRow(listed, null, 1)).toBe('a');
  expect(stepRow(listed, 'b', 1)).toBe('d');
  expect(stepRow(listed, 'a', -1)).toBe('a');
});

it('finds the next row that waits for the reader', () => {
  expect(nextRow(rows, 'a')?.key).toBe('b');
  expect(nextRow(rows, 'b')?.key).toBe('a');
  expect(nextRow(rows, 'gone')?.key).toBe('a');
  expect(nextRow([row('a')], 'a')).toBeNull();
});

it('snoozes until the morning of a later day', () => {
  const sunday = new Date(2026, 10, 29, 22);
  expect(new Date(snoozeEnd('tomorrow', sunday)).getDate()).toBe(30);
  expect(new Date(snoozeEnd('week', sunday)).getDate()).toBe(30);
  const monday = new Date(2026, 10, 30, 8);
  expect(new Date(snoozeEnd('week', monday)).getDate()).toBe(7);
});
