// Opens something of the history again: its repository, its change as it was, its review or conversation.
import type { HistoryOf } from '../../rpc/types.gen';
import { chat } from '../chat/chat.svelte';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { change } from '../change/change.svelte';
import { repos } from '../app/repos.svelte';
import { review } from '../review/review.svelte';

class Reopening {
  /** What is being looked for, for people. */
  title = $state<string | null>(null);
  #giveUp = new AbortController();

  /** Takes the place of what was looked for before. */
  begin(title: string): AbortSignal {
    this.cancel();
    this.#giveUp = new AbortController();
    this.title = title;
    return this.#giveUp.signal;
  }

  end(signal: AbortSignal): void {
    if (signal === this.#giveUp.signal) this.title = null;
  }

  cancel(): void {
    this.#giveUp.abort();
    this.title = null;
  }
}

export const reopening = new Reopening();

/** Opens it, with its change's title while that takes; where a finding is named, goes there. */
export async function reopen(
  kind: HistoryOf,
  id: string,
  title: string,
  finding: string | null = null,
): Promise<void> {
  desk.overlay = null;
  if (kind === 'review' && review.view?.review_id === id) {
    if (finding) desk.select(finding);
    return;
  }
  change.stop();
  const giveUp = reopening.begin(title);
  try {
    const view = await connection.client.call('history.open', { kind, id }, giveUp);
    if (giveUp.aborted) return;
    reopening.end(giveUp);
    if (view.conversation) {
      prefs.values.chatOpen = true;
      chat.nextConversation = view.conversation;
    }
    repos.adopt(view.repo ?? null);
    await change.open(view.target, view.since ?? null, view.review_id ?? null);
    if (openChange.target !== view.target) return;
    openChange.note = view.note ?? null;
    openChange.currentTarget = view.now ?? null;
    openChange.nameAsReviewed();
    if (finding) desk.select(finding);
  } catch (thrown) {
    if (giveUp.aborted) return;
    notices.fail(thrown, `${title} could not be opened again`, () => void reopen(kind, id, title, finding));
  } finally {
    reopening.end(giveUp);
  }
}

/** The change that is shown as it was, as it is now. */
export function openNow(): void {
  if (openChange.currentTarget) void change.open(openChange.currentTarget);
}
