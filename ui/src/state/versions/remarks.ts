// Opens the findings and threads that stand beside edits.
import { threadIdOf, threadKey } from '../../lib/diff/card-placement';
import { rowKey } from '../../lib/diff/rows';
import { rows } from '../change/rows.svelte';
import { desk } from '../desk/desk.svelte';

/** Shows a thread in the whole change; one without a place in it, in the summary. */
export function showThread(id: string): void {
  const row = rows.all.find((one) => one.kind === 'card' && threadIdOf(one.id) === id);
  desk.view = row ? 'diff' : 'summary';
  if (row) desk.reveal = { key: rowKey(row) ?? threadKey(id), align: 'center' };
}
