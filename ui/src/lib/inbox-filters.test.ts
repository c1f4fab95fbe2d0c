import { expect, it } from 'vitest';
import { readFilters, withFilter } from './inbox-filters';

it('reads saved filters and leaves out what is none', () => {
  expect(readFilters(null)).toEqual([]);
  expect(readFilters('{')).toEqual([]);
  expect(readFilters('{"a":1}')).toEqual([]);
  const saved = [{ name: 'Mine', filter: 'state:author' }, { name: '' }, null, 3];
  expect(readFilters(JSON.stringify(saved))).toEqual([saved[0]]);
});

it('replaces a filter of the same name and keeps at most nine', () => {
  let all = withFilter([], { name: 'a', filter: '1' });
  all = withFilter(all, { name: 'b', filter: '2' });
  all = withFilter(all, { name: 'a', filter: '3' });
  expect(all.map((one) => `${one.name}=${one.filter}`)).toEqual(['a=3', 'b=2']);
  for (let at = 0; at < 20; at++) all = withFilter(all, { name: `n${at}`, filter: 'x' });
  expect(all).toHaveLength(9);
});
