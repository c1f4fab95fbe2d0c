// Transfers folded files from one state of a change to another.
import type { ChangeView } from '../../rpc/types.gen';

/** Returns the folded and unfolded files by their index in `now`. Files that no longer exist are left out. */
export function carryFolds(
  folded: ReadonlyMap<number, boolean>,
  before: ChangeView,
  now: ChangeView,
): Map<number, boolean> {
  const indices = new Map(now.files.map((file, index) => [file.path, index]));
  const carried = [...folded].flatMap(([file, is]) => {
    const index = indices.get(before.files[file]?.path ?? '');
    return index === undefined ? [] : [[index, is] as const];
  });
  return new Map(carried);
}
