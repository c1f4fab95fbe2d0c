import { expect, test } from 'vitest';
import { findQuote } from './follow-draft';

const lines = (...texts: [number, string][]) => texts.map(([number, text]) => ({ number, text }));

test('a quote is found where it was, or at its only other place', () => {
  const file = lines([1, 'a'], [2, 'b'], [3, 'c'], [7, 'b'], [8, 'd']);
  expect(findQuote(file, 'b', 7)).toBe(7);
  expect(findQuote(file, 'b\nc', 40)).toBe(2);
  expect(findQuote(file, 'b', 40)).toBeNull();
  expect(findQuote(file, 'gone', 1)).toBeNull();
});

test('lines that do not follow each other are no place', () => {
  expect(findQuote(lines([3, 'c'], [7, 'b']), 'c\nb', 3)).toBeNull();
});
