// Keyboard navigation between the threads of the merge request.
import { actionTexts } from '../../lib/texts/actions';
import { tick } from 'svelte';
import { threadIdOf } from '../../lib/diff/card-placement';
import { rowKey } from '../../lib/diff/rows';
import { desk } from '../desk/desk.svelte';
import { mergeRequest } from '../posting/merge-request.svelte';
import { rows } from '../change/rows.svelte';
import type { Action } from './view-actions';

/** The maximum time until a list has scrolled to a row, in milliseconds. */
const LONGEST_MS = 600;

let at: string | null = null;

/** Goes to the next or previous thread in the diff. Starts from the top row if no thread was current. */
async function step(by: 1 | -1): Promise<void> {
  const threads = rows.all.flatMap((row, index) => {
    const id = row.kind === 'card' ? threadIdOf(row.id) : null;
    return id === null ? [] : [{ id, key: rowKey(row), index }];
  });
  const known = threads.findIndex((thread) => thread.id === at);
  const below = threads.findIndex((thread) => thread.index >= desk.topRow);
  const from = known >= 0 ? known + by : below < 0 ? threads.length - 1 : by > 0 ? below : below - 1;
  const next = threads[Math.min(Math.max(from, 0), threads.length - 1)];
  if (!next) return;
  at = next.id;
  desk.view = 'diff';
  desk.reveal = { key: next.key, align: 'center' };
  const until = performance.now() + LONGEST_MS;
  for (let card = null; !card && performance.now() < until;) {
    await tick();
    await new Promise((resolve) => requestAnimationFrame(resolve));
    card = document.querySelector<HTMLElement>(`[data-thread="${CSS.escape(next.id)}"]`);
    card?.focus({ preventScroll: true });
  }
}

const can = () => mergeRequest.shown.length > 0;

export const threadActions: Action[] = [
  {
    id: 'next-thread',
    title: actionTexts.change.nextThread,
    group: 'change',
    keys: ['}'],
    can,
    run: () => void step(1),
  },
  {
    id: 'previous-thread',
    title: actionTexts.change.previousThread,
    group: 'change',
    keys: ['{'],
    can,
    run: () => void step(-1),
  },
];
