// Why findings are dismissed: the box at one of them, what is typed there, and which others the reason is for.
import { drafts } from '../app/drafts';
import { review } from '../review/review.svelte';

interface Begun {
  typed: string;
  /** Findings that were dismissed at once: the reason is for all of them. */
  ids: string[];
}

class Reasons {
  /** The finding at which the box stands. */
  at = $state<string | null>(null);
  typed = $state('');
  ids = $state.raw<string[]>([]);

  /** Opens the box, with what was typed there before; together with others, or as it was left. */
  open(id: string, alike?: readonly string[]): void {
    const left = drafts.read<Begun>(this.#key(id), { typed: review.find(id)?.reason ?? '', ids: [id] });
    this.at = id;
    this.typed = left.typed;
    this.ids = alike && alike.length > 1 ? [...alike] : left.ids;
  }

  /** Puts the box away; the words stay for the next time. */
  close(): void {
    this.at = null;
  }

  type(typed: string): void {
    if (!this.at) return;
    this.typed = typed;
    const said = typed.trim() !== '' && typed !== (review.find(this.at)?.reason ?? '');
    if (said) drafts.write(this.#key(this.at), { typed, ids: this.ids } satisfies Begun, null);
    else drafts.drop(this.#key(this.at));
  }

  keep(reason: string | null): void {
    if (!this.at) return;
    drafts.drop(this.#key(this.at));
    const { meant } = this;
    this.close();
    void review.decide(meant, 'dismissed', reason);
  }

  /** Those that the reason is for: what was brought back meanwhile has none to be dismissed. */
  get meant(): string[] {
    return this.ids.filter((one) => one === this.at || review.find(one)?.decision === 'dismissed');
  }

  /** What was begun at a finding of a review goes to the one of another review that it became. */
  hand(of: string, id: string, now: string, became: ReadonlyMap<string, string>): void {
    const key = `reason ${of} ${id}`;
    if (!drafts.has(key)) return;
    const left = drafts.read<Begun>(key, { typed: '', ids: [] });
    drafts.drop(key);
    const ids = left.ids.flatMap((one) => became.get(one) ?? []);
    drafts.write(`reason ${now} ${became.get(id)}`, { ...left, ids } satisfies Begun, null);
  }

  begun = (id: string): boolean => drafts.has(this.#key(id));

  #key = (id: string): string => `reason ${review.view?.review_id} ${id}`;
}

export const reasons = new Reasons();
