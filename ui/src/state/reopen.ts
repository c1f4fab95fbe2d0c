// Opens something of the history again: its repository, its change as it was, its review or conversation.
import type { HistoryOf } from '../rpc/types.gen';
import { chat } from './chat.svelte';
import { connection } from './connection.svelte';
import { desk } from './desk.svelte';
import { notices } from './notices.svelte';
import { opened } from './opened.svelte';
import { prefs } from './prefs.svelte';
import { change } from './change.svelte';
import { repos } from './repos.svelte';
import { review } from './review.svelte';

/** Whether it is on the desk now. With a finding, that one is chosen. */
export async function reopen(kind: HistoryOf, id: string, finding: string | null = null): Promise<boolean> {
  if (kind === 'review' && review.view?.review_id === id) {
    desk.overlay = null;
    if (finding) desk.select(finding);
    return true;
  }
  try {
    const view = await connection.client.call('history.open', { kind, id });
    desk.overlay = null;
    if (view.conversation) {
      prefs.kept.chatOpen = true;
      chat.wanted = view.conversation;
    }
    repos.adopt(view.repo ?? null);
    await change.open(view.target, view.since ?? null, view.review_id ?? null);
    opened.note = view.note ?? null;
    opened.now = view.now ?? null;
    opened.nameAsReviewed();
    if (finding) desk.select(finding);
    return change.error === null;
  } catch (thrown) {
    notices.fail(thrown, 'It could not be opened again', () => void reopen(kind, id, finding));
    return false;
  }
}

/** The change that is shown as it was, as it is now. */
export function openNow(): void {
  if (opened.now) void change.open(opened.now);
}
