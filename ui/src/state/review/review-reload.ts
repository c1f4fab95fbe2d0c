// Loads the review of the open change again, because a run or another page changed it.
import { connection } from '../app/connection.svelte';
import { writeCount, writesSettled } from '../app/write-queue';
import { openChange } from '../change/open-change.svelte';
import { desk } from '../desk/desk.svelte';
import { review } from './review.svelte';

class ReviewReload {
  #asked = 0;
  #latest = false;
  #loading: Promise<void> | null = null;

  /** Loads the shown review again. With `latest`, shows the latest review of the change in place of an earlier one. */
  load(latest = false): Promise<void> {
    this.#asked += 1;
    this.#latest ||= latest;
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    return this.#loading;
  }

  async #load(): Promise<void> {
    for (let done = 0; done !== this.#asked;) {
      done = this.#asked;
      const latest = this.#latest;
      this.#latest = false;
      await writesSettled();
      const key = openChange.view?.review_key;
      const [before, writes] = [review.view, writeCount()];
      if (!key) return;
      try {
        const { review: view, interrupted } = await openChange.call((change_id) =>
          connection.client.call('review.current', { change_id, latest }),
        );
        // Another change comes with its own review.
        if (openChange.view?.review_key !== key) continue;
        if (review.view !== before || writeCount() !== writes) {
          // The user decided or edited meanwhile, so the answer may be old, or newer than an edit that cannot be undone yet.
          this.#latest ||= latest;
          this.#asked += 1;
          continue;
        }
        if (latest) openChange.pinnedReview = null;
        review.adopt(view ?? null, latest ? interrupted : review.interrupted);
        desk.keepKnown((id) => review.find(id) !== undefined);
      } catch {
        // The shown review stays. The next event, or `R`, loads it again.
      }
    }
  }
}

export const reviewReload = new ReviewReload();
