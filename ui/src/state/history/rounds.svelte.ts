// Compares two reviews of the open change.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { ComparedFinding, ComparedView, HistoryItem } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { openChange } from '../change/open-change.svelte';
import { reopen } from './reopen.svelte';
import { review } from '../review/review.svelte';

class Rounds {
  /** All reviews of the change, the latest first. */
  reviews = $state.raw<HistoryItem[]>([]);
  earlier = $state<string | null>(null);
  later = $state<string | null>(null);
  view = $state.raw<ComparedView | null>(null);
  error = $state.raw<CoreError | null>(null);
  loaded = $state(false);
  #turn = 0;

  /** Compares the shown review with the one before it. The first review is compared with the one after it. */
  async load(): Promise<void> {
    const review_id = review.view?.review_id;
    if (!review_id) return;
    this.loaded = false;
    this.view = null;
    try {
      const { reviews } = await connection.client.call('rounds.list', { review_id });
      this.reviews = reviews;
      this.loaded = true;
      const at = reviews.findIndex((one) => one.id === review_id);
      const before = reviews[at + 1];
      this.later = before ? review_id : (reviews[at - 1]?.id ?? null);
      this.earlier = before ? before.id : review_id;
      await this.compare();
    } catch (thrown) {
      this.error = toCoreError(thrown);
    }
  }

  async compare(): Promise<void> {
    const { earlier: one, later: other } = this;
    const turn = ++this.#turn;
    this.error = null;
    if (!one || !other || one === other) {
      this.view = null;
      return;
    }
    try {
      const view = await connection.client.call('rounds.compare', { one, other });
      if (turn !== this.#turn) return;
      this.view = view;
      // The core returns the two reviews in their order in time.
      this.earlier = view.earlier;
      this.later = view.later;
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown);
    }
  }

  /** Goes to a finding, in the later review if it is part of it. */
  async show(one: ComparedFinding): Promise<void> {
    if (!this.view) return;
    const finding = one.later ?? one.earlier;
    const id = one.later ? this.view.later : this.view.earlier;
    if (finding) await reopen('review', id, openChange.view?.title ?? '', finding.finding.key);
  }
}

export const rounds = new Rounds();
