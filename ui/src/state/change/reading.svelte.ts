// Folded lines and the reading order of the open change.
import { afterPaint } from '../../lib/after-paint';
import type { Line } from '../../lib/diff/lines';
import { countFolded, foldOfLine, foldsByHunk, type LineFold } from '../../lib/diff/noise';
import { fileOrder, sectionsOf } from '../../lib/diff/reading-order';
import { readingTexts } from '../../lib/texts/reading';
import type { ShownReading, UnreadReason } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { prefs } from '../app/prefs.svelte';
import { change } from './change.svelte';
import { openChange } from './open-change.svelte';

class ReadingState {
  view = $state.raw<ShownReading | null>(null);
  /** Folds that the user has opened or closed. Other folds are open if a card is between their lines. */
  #chosen = $state.raw<ReadonlyMap<string, boolean>>(new Map());
  #of = '';

  folds = $derived(foldsByHunk(this.view ?? { folds: [] }));
  /** The number of lines that can be folded, by reason. */
  counts = $derived(countFolded(this.folds));
  total = $derived([...this.counts.values()].reduce((sum, lines) => sum + lines, 0));
  #sections = $derived(sectionsOf(this.view ?? { chapters: [] }));

  constructor() {
    change.onShown(() => this.#adopt());
  }

  /** Whether lines are folded. */
  get folding(): boolean {
    return prefs.values.foldLines;
  }

  /** The sections in reading order. Null in the usual order, and until all lines are loaded. */
  get sections() {
    const there = prefs.values.readingOrder && change.complete && this.#sections.length > 0;
    return there ? this.#sections : null;
  }

  /** The files in the order in which they are shown. */
  get files(): number[] {
    return this.sections ? fileOrder(this.sections) : (openChange.view?.files ?? []).map((_, file) => file);
  }

  #adopt(): void {
    const fingerprint = openChange.view?.fingerprint ?? '';
    if (fingerprint === this.#of) return;
    this.#of = fingerprint;
    this.view = null;
    this.#chosen = new Map();
    afterPaint(() => void this.#load(fingerprint));
  }

  async #load(fingerprint: string): Promise<void> {
    if (this.#of !== fingerprint || fingerprint === '') return;
    try {
      const view = await openChange.call((change_id) =>
        connection.client.call('change.reading', { change_id }),
      );
      if (this.#of === fingerprint) this.view = view;
    } catch (thrown) {
      if (this.#of === fingerprint) notices.fail(thrown, readingTexts.message.notLoaded);
    }
  }

  isOpen(fold: LineFold, hasCards: boolean): boolean {
    return this.#chosen.get(fold.key) ?? hasCards;
  }

  set(fold: LineFold, open: boolean): void {
    // The map is replaced, not changed. The assignment triggers reactivity.
    // eslint-disable-next-line svelte/prefer-svelte-reactivity
    this.#chosen = new Map(this.#chosen).set(fold.key, open);
  }

  foldOf(line: Pick<Line, 'file' | 'hunk' | 'index'>): LineFold | null {
    return foldOfLine(this.folds, line);
  }

  /** Opens the fold of a line. */
  reveal(line: Line): void {
    const fold = this.foldOf(line);
    if (fold && this.#chosen.get(fold.key) !== true) this.set(fold, true);
  }

  /** Folds all lines again, or shows all. */
  toggleAll(): void {
    prefs.values.foldLines = !prefs.values.foldLines;
    this.#chosen = new Map();
  }

  toggleOrder(): void {
    prefs.values.readingOrder = !prefs.values.readingOrder;
  }

  /** Whether the core computed nothing, because the change is too large. */
  get tooLarge(): boolean {
    return this.view?.too_large === true;
  }

  /** Returns the reason why a file is not read as code. */
  unreadReason(file: number): UnreadReason | null {
    return this.view?.unread.find((one) => one.file === file)?.reason ?? null;
  }

  /** Returns a path for display. */
  pathOf(file: number): string {
    return openChange.view?.files[file]?.path ?? '';
  }
}

export const reading = new ReadingState();
