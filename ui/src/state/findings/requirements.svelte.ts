// Goes through the evidence of the requirements.
import { allEvidence } from '../../lib/findings/requirements';
import type { CheckedQuote } from '../../rpc/types.gen';
import { revealPlace, isOnSide, showPlace } from '../change/places';
import { desk } from '../desk/desk.svelte';
import { review } from '../review/review.svelte';

class Requirements {
  /** The evidence that was shown last. */
  #at = -1;
  /** The review that it belongs to. */
  #of = '';

  readonly all = $derived(review.view?.intent ?? []);
  readonly evidence = $derived(allEvidence(this.all));

  /** Shows the lines of a quote in the diff. */
  show(quote: CheckedQuote): void {
    this.#of = review.view?.review_id ?? '';
    this.#at = this.evidence.indexOf(quote);
    this.reveal(quote);
  }

  /** Shows the next evidence; after the last one, the first. */
  showNext(): void {
    const of = review.view?.review_id ?? '';
    if (of !== this.#of) [this.#of, this.#at] = [of, -1];
    this.#at = (this.#at + 1) % Math.max(this.evidence.length, 1);
    const quote = this.evidence[this.#at];
    if (quote) this.reveal(quote);
  }

  /** Shows the first line of quoted code. */
  reveal(quote: CheckedQuote): void {
    desk.view = 'diff';
    if (isOnSide(quote.path, quote.side)) void revealPlace(quote.path, quote.line_start, quote.side);
    else showPlace(quote.path, quote.line_start);
  }
}

export const requirements = new Requirements();
