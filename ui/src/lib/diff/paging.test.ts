import { expect, test } from 'vitest';
import { pagedTo } from './paging';

test('keys scroll a list by a page or to its ends', () => {
  const list = { scrollTop: 500, clientHeight: 100, scrollHeight: 2_000 };
  const press = (key: string, shiftKey = false) => pagedTo(list, { key, shiftKey });
  expect([press('PageDown'), press(' '), press(' ', true), press('PageUp')]).toEqual([590, 590, 410, 410]);
  expect([press('Home'), press('End'), press('j')]).toEqual([0, 1_900, null]);
  expect(pagedTo({ ...list, scrollHeight: 50, scrollTop: 0 }, { key: 'End', shiftKey: false })).toBe(0);
});
