import { expect, test } from 'vitest';
import type { Budget, Limits } from '../rpc/types.gen';
import { costOfFiles, costText, limitsText, percent } from './budget';

const limits: Limits = {
  strategy: 'truncate',
  max_diff_chars: 1_000,
  max_diff_tokens: 0,
  max_files: 2,
  max_hunks_per_file: 0,
  context_lines: 3,
  context: 'lines',
};
/** A token costs $0.001 and an answer $0.5. */
const budget: Budget = {
  lines: 300,
  limits,
  overhead: 100,
  chars: 3_000,
  options: [
    { choice: 'split', limits, prompts: 3, tokens: 900, lines: 300, cost_usd: 0.9 + 1.5 },
    { choice: 'whole', limits, prompts: 1, tokens: 700, lines: 300, cost_usd: 0.7 + 0.5 },
    { choice: 'truncate', limits, prompts: 1, tokens: 300, lines: 3, cost_usd: 0.3 + 0.5 },
  ],
  file_tokens: [200, 200, 200],
  file_chars: [1_000, 1_000, 1_000],
};

test('a share is never rounded to all or nothing', () => {
  expect([
    percent(0, 10),
    percent(1, 1_000),
    percent(15, 1_000),
    percent(999, 1_000),
    percent(10, 10),
  ]).toEqual(['0%', 'under 1%', '1%', '99%', '100%']);
});

test('the cost of some files is computed from their sizes and the prices of the options', () => {
  const one = costOfFiles(budget, [0]);
  expect([one.prompts, one.tokens]).toEqual([1, 300]);
  expect(one.dollars).toBeCloseTo(0.8);
  const all = costOfFiles(budget, [0, 1, 2]);
  expect([all.prompts, all.tokens]).toEqual([3, 900]);
  expect(all.dollars).toBeCloseTo(2.4);
});

test('without a price, only requests and tokens are shown', () => {
  const unpriced = { ...budget, options: budget.options.map((option) => ({ ...option, cost_usd: null })) };
  expect(costOfFiles(unpriced, [0]).dollars).toBeNull();
  expect(costText({ prompts: 3, tokens: 41_000, dollars: null }, 1)).toBe('3 requests, 41k tokens');
  expect(costText({ prompts: 1, tokens: 900, dollars: 0.5 }, 2)).toBe('2 requests, 1.8k tokens, about $1.00');
});

test('limits that are off are not named', () => {
  expect(limitsText(limits)).toBe('1,000 characters, 2 files');
});
