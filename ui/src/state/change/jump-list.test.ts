import { expect, it } from 'vitest';
import { JumpList } from './jump-list';

const place = (line: number) => ({ path: 'a.ts', line, side: 'new' as const });

it('goes back and forward between places', () => {
  const list = new JumpList();
  expect(list.back(place(1))).toBeNull();
  list.leave(place(1));
  list.leave(place(2));
  expect(list.back(place(3))).toEqual(place(2));
  expect(list.back(place(2))).toEqual(place(1));
  expect(list.canGoBack).toBe(false);
  expect(list.forward(place(1))).toEqual(place(2));
  expect(list.forward(place(2))).toEqual(place(3));
  expect(list.canGoForward).toBe(false);
});

it('forgets the places ahead after a jump', () => {
  const list = new JumpList();
  list.leave(place(1));
  list.back(place(2));
  list.leave(place(1));
  expect(list.canGoForward).toBe(false);
});
