import { expect, test } from 'vitest';
import type { CommitEntry } from '../rpc/types.gen';
import { isMessagePath, withFixups } from './commits';

const commit = (number: number, fixes: number | null = null): CommitEntry => ({
  number,
  id: String(number).repeat(40),
  message: `Commit ${number}`,
  message_path: `message of commit ${String(number).repeat(12)}`,
  author: 'Ada',
  time: 0,
  fixes,
});

test('a fixup stands below the commit that it fixes', () => {
  const rows = withFixups([commit(1), commit(2), commit(3, 1), commit(4, 1), commit(5)]);
  expect(rows.map((row) => row.commit.number)).toEqual([1, 3, 4, 2, 5]);
  expect(rows.map((row) => row.index)).toEqual([0, 2, 3, 1, 4]);
  expect(rows[0]!.fixedBy).toEqual([3, 4]);
  expect(rows.map((row) => row.fixup)).toEqual([false, true, true, false, false]);
});

test('only the path of a message is one', () => {
  expect(isMessagePath(commit(1).message_path)).toBe(true);
  expect(isMessagePath('src/message of commit 1')).toBe(false);
});
