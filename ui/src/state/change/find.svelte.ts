// Text search in the change.
import { countCut, findAll, matchSpans, partlySearched, pattern, type Match } from '../../lib/diff/find';
import type { Line } from '../../lib/diff/lines';
import { keyOfLine } from '../../lib/diff/rows';
import type { Mark } from '../../lib/diff/segments';
import { change } from './change.svelte';
import { fileFolds } from './file-folds.svelte';
import { expandedContext } from './context-lines.svelte';
import { desk } from '../desk/desk.svelte';
import { prefs } from '../app/prefs.svelte';
import { reading } from './reading.svelte';
import { rendered } from './rendered.svelte';
import { viewed } from './viewed.svelte';

class Find {
  open = $state(false);
  typed = $state('');
  /** The index of the current match. */
  at = $state(0);
  box: HTMLInputElement | null = null;
  #wanted = $derived(this.open ? pattern(this.typed) : null);
  places = $derived.by((): Match[] => {
    void change.version;
    return findAll(change.loaded, expandedContext.gaps, this.#wanted);
  });
  /** The number of matches that cut lines do not show, and of lines that are searched only in part. */
  limits = $derived.by(() => {
    void change.version;
    const partly = this.#wanted ? partlySearched(change.loaded) : 0;
    return { cut: countCut(this.places), partly };
  });
  current = $derived<Match | undefined>(this.places[Math.min(this.at, this.places.length - 1)]);

  /** Returns the marks of a line. Null without a search. */
  marksOf = $derived.by(() => {
    const [wanted, current] = [this.#wanted, this.current];
    if (!wanted) return null;
    return (line: Line): Mark[] => {
      const spans = matchSpans(line.text, wanted);
      if (spans.length === 0) return [];
      const here = current?.line === line ? [{ name: 'here', spans: [spans[current.at]!] }] : [];
      return [{ name: 'found', spans }, ...here];
    };
  });

  show(): void {
    desk.view = 'diff';
    this.open = true;
    // Selected text is the most likely search text.
    const selected = window.getSelection()?.toString() ?? '';
    if (selected && !selected.includes('\n') && selected.length < 200) this.typed = selected;
    queueMicrotask(() => this.box?.select());
  }

  close(): void {
    this.open = false;
  }

  /** Sets the search text, and goes to the first match at or after the current file. */
  type(text: string): void {
    this.typed = text;
    const first = this.places.findIndex((found) => found.line.file >= desk.topFile);
    this.at = Math.max(first, 0);
    this.#reveal();
  }

  step(by: 1 | -1): void {
    const count = this.places.length;
    if (count === 0) return;
    this.at = (this.at + by + count) % count;
    this.#reveal();
  }

  #reveal(): void {
    const line = this.current?.line;
    if (!line) return;
    if (fileFolds.isFolded(line.file)) fileFolds.set(line.file, false);
    if (line.hunk >= 0) viewed.fold(line.file, line.hunk, false);
    rendered.showText(line.file);
    reading.reveal(line);
    desk.reveal = { key: keyOfLine(line, prefs.values.mode), align: 'center' };
  }
}

export const find = new Find();
