// The user's texts in place of the agent's, by comment. They survive a restart.
import { drafts } from '../app/drafts';
import { review } from '../review/review.svelte';

/** The key of the summary among the comments. */
export const SUMMARY = 'summary';

interface Texts {
  saved: Record<string, string>;
  typed: Record<string, string>;
}

const NONE: Texts = { saved: {}, typed: {} };

export class CommentTexts {
  /** The texts that replace those of the agent. */
  saved = $state.raw<Record<string, string>>({});
  /** The texts that are being edited. */
  typed = $state.raw<Record<string, string>>({});
  #reviewId = '';

  /** The review that the texts belong to. */
  get reviewId(): string {
    return this.#reviewId;
  }

  /** Shows the texts of a review. */
  open(reviewId: string): void {
    this.#reviewId = reviewId;
    ({ saved: this.saved, typed: this.typed } = drafts.read<Texts>(this.#key, NONE));
  }

  /** Keeps the texts for the same review with updated positions. */
  moveTo(reviewId: string): void {
    if (reviewId === this.#reviewId) return;
    drafts.drop(this.#key);
    this.#reviewId = reviewId;
    this.#keep();
  }

  /** Starts to edit a comment: with the user's text, or else with the agent's. */
  begin(key: string): void {
    this.type(key, this.typed[key] ?? this.saved[key] ?? original(key));
  }

  type(key: string, text: string): void {
    this.typed = { ...this.typed, [key]: text };
    this.#keep();
  }

  cancel(key: string): void {
    this.typed = without(this.typed, key);
    this.#keep();
  }

  /** Replaces the agent's text by the typed one. */
  save(key: string): void {
    const text = this.typed[key] ?? '';
    const others = without(this.saved, key);
    this.saved = text === original(key) ? others : { ...others, [key]: text };
    this.cancel(key);
  }

  /** Puts the agent's text back. */
  restore(key: string): void {
    this.saved = without(this.saved, key);
    this.cancel(key);
  }

  get #key(): string {
    return `post ${this.#reviewId}`;
  }

  #keep(): void {
    drafts.write(this.#key, { saved: this.saved, typed: this.typed } satisfies Texts, NONE);
  }
}

/** Returns the agent's text of a comment. */
function original(key: string): string {
  const text = key === SUMMARY ? review.view?.summary_markdown : review.find(key)?.finding.body_markdown;
  return text ?? '';
}

function without(texts: Record<string, string>, key: string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([one]) => one !== key));
}
