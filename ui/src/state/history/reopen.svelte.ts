// Reopens an item of the history: its repository, its change as reviewed, and its review or conversation.
import type { EntryKind } from '../../rpc/types.gen';
import { chat } from '../chat/chat.svelte';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { change } from '../change/change.svelte';
import { repos } from '../app/repos.svelte';
import { review } from '../review/review.svelte';
import { historyTexts } from '../../lib/texts/history';

class Reopening {
  /** The title of the item that is being opened. */
  title = $state<string | null>(null);
  #controller = new AbortController();

  /** Starts to open an item. Cancels the previous one. */
  begin(title: string): AbortSignal {
    this.cancel();
    this.#controller = new AbortController();
    this.title = title;
    return this.#controller.signal;
  }

  end(signal: AbortSignal): void {
    if (signal === this.#controller.signal) this.title = null;
  }

  cancel(): void {
    this.#controller.abort();
    this.title = null;
  }
}

export const reopening = new Reopening();

/** Opens an item, and then the named finding. Shows the title while that takes. */
export async function reopen(
  kind: EntryKind,
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
  const signal = reopening.begin(title);
  try {
    const view = await connection.client.call('history.open', { kind, id }, signal);
    if (signal.aborted) return;
    reopening.end(signal);
    if (view.conversation) {
      prefs.values.chatOpen = true;
      chat.nextConversation = view.conversation;
    }
    const repo = repos.adopt(view.repo ?? null);
    await change.open(view.target, view.since ?? null, view.review_id ?? null, { repo });
    if (openChange.target !== view.target) return;
    openChange.note = view.note ?? null;
    openChange.currentTarget = view.now ?? null;
    openChange.nameAsReviewed();
    if (finding) desk.select(finding);
  } catch (thrown) {
    if (signal.aborted) return;
    notices.fail(thrown, historyTexts.error.notReopened(title), () => void reopen(kind, id, title, finding));
  } finally {
    reopening.end(signal);
  }
}

/** Opens the current state of a change that is shown as reviewed. */
export function openNow(): void {
  if (openChange.currentTarget) void change.open(openChange.currentTarget);
}
