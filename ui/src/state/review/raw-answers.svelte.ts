// The answers of a run as the agents wrote them.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { RawAnswer } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';

class RawAnswers {
  /** The answers that are shown. Null while they are loaded. */
  shown = $state.raw<RawAnswer[] | null>(null);
  error = $state.raw<CoreError | null>(null);

  /** Opens the answers of a review. */
  ofReview(review_id: string): void {
    void this.#open({ review_id, run_id: null });
  }

  /** Opens the answers of a run without a review. */
  ofRun(run_id: string): void {
    void this.#open({ review_id: null, run_id });
  }

  async #open(params: { review_id: string | null; run_id: string | null }): Promise<void> {
    this.shown = null;
    this.error = null;
    desk.overlay = 'answers';
    try {
      this.shown = (await connection.client.call('answer.raw', params)).answers;
    } catch (thrown) {
      this.error = toCoreError(thrown);
    }
  }
}

export const rawAnswers = new RawAnswers();
