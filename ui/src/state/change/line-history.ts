// Loads the history of the selected line.
import type { LineHistoryView, Side } from '../../rpc/types.gen';
import { toCoreError } from '../../rpc/errors';
import { connection } from '../app/connection.svelte';
import { cursor } from './cursor.svelte';
import { mergeRequest } from '../posting/merge-request.svelte';
import { openChange } from './open-change.svelte';

/** The place whose history is shown. An unchanged line has the number of the old side, which is committed in any case. */
export interface HistoryPlace {
  file: number;
  path: string;
  side: Side;
  line: number;
}

export function historyPlace(): HistoryPlace | null {
  const line = cursor.lines.at(-1);
  const view = openChange.view?.files[line?.file ?? -1];
  if (!line || !view) return null;
  if (line.old !== null)
    return { file: line.file, path: view.old_path ?? view.path, side: 'old', line: line.old };
  return line.new === null ? null : { file: line.file, path: view.path, side: 'new', line: line.new };
}

export async function lineHistory({ file, side, line }: HistoryPlace): Promise<LineHistoryView> {
  try {
    return await openChange.call((change_id) =>
      connection.client.call('line.history', { change_id, file, side, line }),
    );
  } catch (thrown) {
    throw toCoreError(thrown);
  }
}

/** Returns the address of a merge request that a message names. Null if its server is unknown. */
export function mergeRequestAddress(name: string): string | null {
  const target = openChange.view?.target;
  if (target?.kind !== 'merge_request' || !mergeRequest.view) return null;
  const [project, iid] = name.split('!');
  const path = project || target.project;
  return iid && /^\d+$/.test(iid)
    ? `${target.base.replace(/\/$/, '')}/${path}/-/merge_requests/${iid}`
    : null;
}
