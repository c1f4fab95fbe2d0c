// Findings that the reviewer writes: one's own on any lines, and edits of others. What was typed is kept until it is kept or thrown away.
import { begunHere, differs, noWords, says, wordsOf, type Place } from '../../lib/findings/finding-words';
import type { Placed } from '../../lib/diff/card-placement';
import { desk } from '../desk/desk.svelte';
import { notices } from '../app/notices.svelte';
import { opened } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { review } from '../review/review.svelte';
import { addFinding, rewriteFinding } from './edit-finding';

/** The name under which one's own finding stands between the lines while it is written. */
export const DRAFT = 'draft';

class Writing {
  /** Where one's own finding is being written. */
  place = $state.raw<Place | null>(null);
  /** The finding that is being edited. */
  editing = $state<string | null>(null);
  working = $state(false);
  /** What was begun in this change and is neither kept nor open: places of one's own findings, and edited findings. */
  begun = $derived.by((): Begun[] => {
    const files = new Set(opened.view?.files.map((file) => file.path));
    const own = begunHere(prefs.kept.words, this.#ownPrefix)
      .filter(({ place, words }) => files.has(place.path) && says(words))
      .map(({ key, place }) => ({ key, place }));
    const edits = review.findings.flatMap((view) => {
      const key = this.#editKey(view.finding.id);
      const words = prefs.kept.words[key];
      return words && differs(words, view) ? [{ key, edit: view.finding.id }] : [];
    });
    return [...own, ...edits].filter(({ key }) => !this.open || key !== this.key);
  });

  /** Where the form stands between the lines. */
  placed = $derived.by((): Placed[] => {
    const { place } = this;
    if (!place) return [];
    const file = opened.view?.files.findIndex((one) => one.path === place.path) ?? -1;
    return [{ id: DRAFT, file, side: place.side, line: place.line_end }];
  });

  /** Begins a finding, or goes on with the one that was begun there. */
  begin(place: Place): void {
    this.close();
    this.place = place;
    prefs.kept.words[this.key] ??= { ...noWords, ...place };
  }

  edit(id: string): void {
    const view = review.find(id);
    if (!view) return;
    this.close();
    this.editing = id;
    prefs.kept.words[this.key] ??= wordsOf(view);
  }

  get key(): string {
    if (this.editing) return this.#editKey(this.editing);
    const { path, side, line_end } = this.place ?? { path: '', side: 'new', line_end: 0 };
    return `${this.#ownPrefix}${path} ${side} ${line_end}`;
  }

  #editKey = (id: string): string => `edit ${review.view?.review_id} ${id}`;

  get #ownPrefix(): string {
    return `own ${opened.repo?.path} ${opened.view?.title} `;
  }

  /** Whether the form stands somewhere. */
  get open(): boolean {
    return this.place !== null || this.editing !== null;
  }

  /** Goes on with what was begun first. */
  goOn(): void {
    const [first] = this.begun;
    if (!first) return;
    if (first.edit) {
      desk.select(first.edit);
      return this.edit(first.edit);
    }
    if (!first.place) return;
    this.begin(first.place);
    desk.place = 'diff';
    desk.reveal = { key: `c${DRAFT}`, align: 'center' };
  }

  /** Puts the form away; the words stay for the next time. */
  close(): void {
    const words = prefs.kept.words[this.key];
    const view = review.find(this.editing);
    if (words && !(view ? differs(words, view) : says(words))) delete prefs.kept.words[this.key];
    this.place = null;
    this.editing = null;
  }

  discard(): void {
    delete prefs.kept.words[this.key];
    this.close();
  }

  /** Keeps what is in the form. Whether it stands. */
  async save(): Promise<string | null> {
    const words = prefs.kept.words[this.key];
    if (!words) return null;
    const kept = { ...words, line_end: Math.max(words.line_start, words.line_end) };
    this.working = true;
    try {
      const { editing, key } = this;
      const id = editing ? await rewriteFinding(editing, kept) : await addFinding(kept);
      delete prefs.kept.words[key];
      if (this.key === key) this.close();
      else if (this.editing)
        notices.tell('Another review came meanwhile. Your words wait in its finding: keep them there, too.');
      return id;
    } catch (thrown) {
      notices.fail(thrown, this.editing ? 'The finding was not changed' : 'The finding was not added');
      return null;
    } finally {
      this.working = false;
    }
  }
}

/** A finding of one's own that was begun, or an edit of another. */
interface Begun {
  key: string;
  place?: Place;
  edit?: string;
}

export const writing = new Writing();
