// The form for the reason of a dismissal: its finding, its text, and the other findings that the reason applies to.
import { drafts } from '../app/drafts';
import { undo, type Step } from '../app/undo.svelte';
import { review } from '../review/review.svelte';

interface UnsavedReason {
  typed: string;
  /** The findings that were dismissed together. The reason applies to all of them. */
  ids: string[];
}

class DismissalReason {
  /** The finding at which the form is shown. */
  findingId = $state<string | null>(null);
  typed = $state('');
  ids = $state.raw<string[]>([]);

  /** The dismissal that the form was opened for. */
  #dismissal: Step | null = null;

  /** Opens the form with its draft. `alike` contains findings that were dismissed together; otherwise the draft's findings apply. */
  open(id: string, alike?: readonly string[], dismissal: Step | null = null): void {
    this.#dismissal = dismissal;
    const left = drafts.read<UnsavedReason>(this.#key(id), {
      typed: review.find(id)?.reason ?? '',
      ids: [id],
    });
    this.findingId = id;
    this.typed = left.typed;
    this.ids = alike && alike.length > 1 ? [...alike] : left.ids;
  }

  /** Closes the form. The draft stays. */
  close(): void {
    this.findingId = null;
  }

  type(typed: string): void {
    if (!this.findingId) return;
    this.typed = typed;
    const edited = typed.trim() !== '' && typed !== (review.find(this.findingId)?.reason ?? '');
    if (edited)
      drafts.write(this.#key(this.findingId), { typed, ids: this.ids } satisfies UnsavedReason, null);
    else drafts.drop(this.#key(this.findingId));
  }

  save(reason: string | null): void {
    if (!this.findingId) return;
    drafts.drop(this.#key(this.findingId));
    const { targets } = this;
    this.close();
    void review.decide(targets, 'dismissed', reason);
    // One undo takes back the dismissal with its reason.
    undo.join(this.#dismissal);
    this.#dismissal = null;
  }

  /** The findings that the reason applies to. Those that are no longer dismissed are left out. */
  get targets(): string[] {
    return this.ids.filter((one) => one === this.findingId || review.find(one)?.decision === 'dismissed');
  }

  /** Moves the unsaved reason of a finding to another review of the same change. */
  moveDraft(key: string, from: string, to: string): void {
    const earlier = this.#key(key, from);
    if (!drafts.has(earlier)) return;
    drafts.write(this.#key(key, to), drafts.read<UnsavedReason>(earlier, { typed: '', ids: [] }), null);
    drafts.drop(earlier);
  }

  hasDraft = (id: string): boolean => drafts.has(this.#key(id));

  #key = (key: string, reviewId = review.view?.review_id): string => `reason ${reviewId} ${key}`;
}

export const dismissalReason = new DismissalReason();
