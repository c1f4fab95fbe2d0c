import { expect, it } from 'vitest';
import { agreementText, runsText } from './stability';

it('counts the runs that found a finding', () => {
  expect(runsText([{ agent: 'one', found: 3, of: 3 }])).toBe('3 of 3 runs');
  expect(runsText([{ agent: 'one', found: 2, of: 2, failed: 1 }])).toBe('2 of 2 runs, one run failed');
  const two = [
    { agent: 'one', found: 1, of: 1, failed: 2 },
    { agent: 'two', found: 1, of: 3 },
  ];
  expect(runsText(two)).toBe('one: 1 of 1 run, 2 runs failed; two: 1 of 3 runs');
});

it('describes the agreement of the runs', () => {
  const runs = { answered: 2, failed: ['stopped'], findings: 4, in_every_run: 1, agreement: 4 / 9 };
  expect(agreementText(runs)).toBe(
    '2 of 3 runs answered, 1 of 4 findings in every run, pairwise agreement 44%',
  );
  expect(agreementText({ ...runs, answered: 1, agreement: null })).toBe('1 of 2 runs answered');
});
