// The finding form: a new finding on selected lines, or an edit of an existing one. Unsaved text is saved until it is saved or discarded.
import { isMessagePath } from '../../lib/commits';
import {
  unsavedFindings,
  isEdited,
  emptyWords,
  hasText,
  savedWords,
  wordsOf,
  type LineRange,
} from '../../lib/findings/finding-words';
import type { CardAnchor } from '../../lib/diff/card-placement';
import { triageTexts } from '../../lib/texts/triage';
import type { ReviewView } from '../../rpc/types.gen';
import { desk } from '../desk/desk.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { review } from '../review/review.svelte';
import { addFinding, rewriteFinding } from './edit-finding';

/** The id of the card of a new finding. */
export const DRAFT = 'draft';

/** Returns the key of an unsaved edit. */
export const editKey = (reviewId: string | undefined, key: string): string => `edit ${reviewId} ${key}`;

class FindingEditor {
  /** The place of a new finding. */
  place = $state.raw<LineRange | null>(null);
  /** The finding that is being edited. */
  editing = $state<string | null>(null);
  working = $state(false);
  /** Unsaved findings and edits of this change. */
  #all = $derived.by((): UnsavedFinding[] => {
    const files = new Set(openChange.view?.files.map((file) => file.path));
    const own = unsavedFindings(prefs.values.unsavedFindings, this.ownPrefix)
      .filter(({ place, words }) => (files.has(place.path) || isMessagePath(place.path)) && hasText(words))
      .map(({ key, place }) => ({ key, place }));
    const edits = review.findings.flatMap((view) => {
      const key = editKey(review.view?.review_id, view.finding.key);
      const words = prefs.values.unsavedFindings[key];
      return words && isEdited(words, view) ? [{ key, edit: view.finding.key }] : [];
    });
    return [...own, ...edits];
  });
  /** Those whose form is not open. */
  unsaved = $derived(this.#all.filter(({ key }) => !this.open || key !== this.key));

  /** The anchor of the form in the diff. */
  anchors = $derived.by((): CardAnchor[] => {
    const { place } = this;
    if (!place) return [];
    const file = openChange.view?.files.findIndex((one) => one.path === place.path) ?? -1;
    return [{ id: DRAFT, file, side: place.side, line: place.line_end }];
  });

  /** Opens the form for a new finding, whose lines have the text `quote`. An existing draft is continued. */
  begin(place: LineRange, quote?: string): void {
    this.close();
    this.place = place;
    const quoted = quote === undefined ? {} : { quote };
    prefs.values.unsavedFindings[this.key] ??= { ...emptyWords, ...place, ...quoted };
  }

  /** Moves an unsaved new finding to another first line. */
  move(key: string, from: LineRange, line_start: number): void {
    const unsaved = prefs.values.unsavedFindings;
    const words = unsaved[key];
    if (!words) return;
    delete words.stale;
    if (line_start === from.line_start) return;
    const place = { ...from, line_start, line_end: line_start + from.line_end - from.line_start };
    const wasOpen = this.open && this.key === key;
    delete unsaved[key];
    unsaved[this.#draftKey(place)] ??= { ...words, line_start, line_end: place.line_end };
    if (wasOpen) this.place = place;
  }

  edit(id: string): void {
    const view = review.find(id);
    if (!view) return;
    this.close();
    this.editing = id;
    prefs.values.unsavedFindings[this.key] ??= wordsOf(view);
  }

  get key(): string {
    if (this.editing) return editKey(review.view?.review_id, this.editing);
    return this.#draftKey(this.place ?? { path: '', side: 'new', line_start: 0, line_end: 0 });
  }

  #draftKey({ path, side, line_end }: LineRange): string {
    return `${this.ownPrefix}${path} ${side} ${line_end}`;
  }

  /** The beginning of the keys of the change's unsaved new findings. */
  get ownPrefix(): string {
    return `own ${openChange.repo?.path} ${openChange.view?.title} `;
  }

  /** Whether the form is open. */
  get open(): boolean {
    return this.place !== null || this.editing !== null;
  }

  /** The number of unsaved findings and edits, with the one in the open form. A posting does not contain them. */
  get unposted(): number {
    return this.#all.length;
  }

  /** Opens the first unsaved finding or edit. If its form is open, shows that. */
  resume(): void {
    const first = this.#all.find(({ key }) => this.open && key === this.key) ?? this.unsaved[0];
    if (!first) return;
    if (first.edit) {
      desk.select(first.edit);
      return this.edit(first.edit);
    }
    if (!first.place) return;
    this.begin(first.place);
    if (isMessagePath(first.place.path)) {
      desk.view = 'commits';
      return;
    }
    desk.view = 'diff';
    desk.reveal = { key: `c${DRAFT}`, align: 'center' };
  }

  /** Closes the form. The draft stays. */
  close(): void {
    const words = prefs.values.unsavedFindings[this.key];
    const view = review.find(this.editing);
    if (words && !(view ? isEdited(words, view) : hasText(words)))
      delete prefs.values.unsavedFindings[this.key];
    this.place = null;
    this.editing = null;
  }

  /** Keeps the unsaved edits of findings that are not in the review shown now: they become unsaved new findings. */
  keepEditsOf(before: ReviewView): void {
    const unsaved = prefs.values.unsavedFindings;
    for (const view of before.findings) {
      const { key } = view.finding;
      if (review.find(key)) continue;
      const words = unsaved[editKey(before.review_id, key)];
      delete unsaved[editKey(before.review_id, key)];
      const wasOpen = this.editing === key;
      if (wasOpen) this.editing = null;
      if (!words || !isEdited(words, view)) continue;
      const { path, side, line_start, line_end } = words;
      const place = { path, side, line_start, line_end };
      unsaved[this.#draftKey(place)] = words;
      if (!wasOpen) continue;
      this.place = place;
      notices.info(triageTexts.error.findingGone);
    }
  }

  discard(): void {
    delete prefs.values.unsavedFindings[this.key];
    this.close();
  }

  /** Saves the form. Resolves with the key of the finding, or null if it was not saved. */
  async save(): Promise<string | null> {
    const words = prefs.values.unsavedFindings[this.key];
    if (!words) return null;
    const saved = savedWords(words);
    this.working = true;
    try {
      const { editing, key } = this;
      const id = editing ? await rewriteFinding(editing, saved) : await addFinding(saved);
      delete prefs.values.unsavedFindings[key];
      if (this.key === key) this.close();
      else if (this.editing) notices.info(triageTexts.error.replaced);
      return id;
    } catch (thrown) {
      notices.fail(thrown, this.editing ? triageTexts.error.notChanged : triageTexts.error.notAdded);
      return null;
    } finally {
      this.working = false;
    }
  }
}

/** An unsaved new finding, or an unsaved edit. */
interface UnsavedFinding {
  key: string;
  place?: LineRange;
  edit?: string;
}

export const findingEditor = new FindingEditor();
