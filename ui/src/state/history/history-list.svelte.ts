// The history list: paging, search and removal.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { HistoryItem, EntryKind, HistoryPlaceView, InterruptedItem } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { review } from '../review/review.svelte';
import { change } from '../change/change.svelte';
import { chat } from '../chat/chat.svelte';
import { historyTexts } from '../../lib/texts/history';

const SEARCH_AFTER_MS = 120;

class HistoryList {
  words = $state('');
  place = $state<string | null>(null);
  kind = $state<EntryKind | null>(null);
  items = $state.raw<HistoryItem[]>([]);
  interrupted = $state.raw<InterruptedItem[]>([]);
  places = $state.raw<HistoryPlaceView[]>([]);
  more = $state(false);
  loaded = $state(false);
  error = $state.raw<CoreError | null>(null);
  #next: { at: string; id: string } | null = null;
  #turn = 0;
  #loading = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Searches. With `soon`, waits until typing pauses. */
  search(soon = false): void {
    clearTimeout(this.#timer);
    if (soon) this.#timer = setTimeout(() => void this.load(), SEARCH_AFTER_MS);
    else void this.load();
  }

  async load(): Promise<void> {
    const turn = ++this.#turn;
    this.#loading = true;
    try {
      const page = await this.#page(null);
      if (turn !== this.#turn) return;
      this.items = page.items;
      this.interrupted = page.interrupted;
      this.places = page.places;
      this.#took(page.next ?? null);
      this.error = null;
      this.loaded = true;
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown);
    } finally {
      if (turn === this.#turn) this.#loading = false;
    }
  }

  /** Loads the next page when the end of the list comes into view. */
  async loadMore(): Promise<void> {
    const after = this.#next;
    if (!after || this.#loading) return;
    const turn = this.#turn;
    this.#loading = true;
    try {
      const page = await this.#page(after);
      if (turn !== this.#turn) return;
      this.items = [...this.items, ...page.items];
      this.#took(page.next ?? null);
    } catch (thrown) {
      if (turn === this.#turn) notices.fail(thrown, historyTexts.error.moreNotLoaded);
    } finally {
      if (turn === this.#turn) this.#loading = false;
    }
  }

  /** Removes a review, a conversation or an interrupted run permanently. */
  async remove(kind: EntryKind, id: string): Promise<void> {
    try {
      await connection.client.call('history.remove', { kind, id });
      this.items = this.items.filter((item) => item.kind !== kind || item.id !== id);
      if (kind === 'run') this.interrupted = this.interrupted.filter((run) => run.run_id !== id);
      if (kind === 'run') review.interrupted = review.interrupted.filter((run) => run.run_id !== id);
      if (kind === 'conversation') chat.removed(id);
      // A removed review must no longer be shown as a saved one.
      if (kind === 'review' && review.view?.review_id === id) void change.refresh();
    } catch (thrown) {
      notices.fail(thrown, historyTexts.error.notRemoved);
    }
  }

  #page(after: { at: string; id: string } | null) {
    const { words, place, kind } = this;
    return connection.client.call('history.list', { words, place, kind, after });
  }

  #took(next: { at: string; id: string } | null): void {
    this.#next = next;
    this.more = next !== null;
  }
}

export const historyList = new HistoryList();
