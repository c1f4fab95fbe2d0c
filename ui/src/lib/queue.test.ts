import { expect, it } from 'vitest';
import { budgetText } from './queue';

it('tells the used budget with the limits that there are', () => {
  const budget = {
    day: '2026-11-25',
    reviews: [3, 20] as [number, number],
    tokens: [1200, 0] as [number, number],
    cents: [0, 0] as [number, number],
    minutes: [4, 60] as [number, number],
    hours: '',
  };
  expect(budgetText(budget)).toBe('Today: 3 of 20 reviews, 1,200 tokens, 0 US cents, 4 of 60 minutes.');
});
