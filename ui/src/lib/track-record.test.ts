import { expect, it } from 'vitest';
import type { AgentRecord, Tally } from '../rpc/types.gen';
import { recordRows, shareText, tallyText } from './track-record';

const few: Tally = { accepted: 3, dismissed: 1, posted: 2, resolved: 1, accepted_share: null };
const many: Tally = { ...few, accepted: 8, dismissed: 2, accepted_share: { low: 0.4902, high: 0.9433 } };

it('gives a share as an interval, and only if there is one', () => {
  expect(shareText(few)).toBeNull();
  expect(shareText(many)).toBe('49–94% accepted (10 decisions)');
  expect(tallyText(few)).toBe(
    '3 accepted, 1 dismissed (a share needs 10 decisions), 2 posted, 1 resolved by an edit',
  );
  expect(tallyText(many)).toBe('49–94% accepted (10 decisions), 2 posted, 1 resolved by an edit');
});

it('lists the models, categories and severities of an agent', () => {
  const record: AgentRecord = {
    agent: 'one',
    model: null,
    total: many,
    categories: [{ category: 'style', tally: few }],
    severities: [{ severity: 'high', tally: few }],
    reasons: [],
  };
  const models = [
    { ...record, model: 'large', total: few },
    { ...record, agent: 'two', model: 'small' },
  ];
  expect(recordRows(record, models).map(([name]) => name)).toEqual([
    'All findings',
    'Model large',
    'style',
    'Severity high',
  ]);
});
