// The view state of the desk: the current view, the open overlay, selections.
import { SvelteSet } from 'svelte/reactivity';
import { isMessagePath } from '../../lib/commits';
import { fileKey } from '../../lib/diff/reading-order';
import { filterFindings, groupFindings, stepFinding, stepOpenFinding } from '../../lib/findings/findings';
import type { Align } from '../../lib/virtual-list';
import type { OpinionVerdict, Severity } from '../../rpc/types.gen';
import { prefs } from '../app/prefs.svelte';
import { review } from '../review/review.svelte';

export type DeskView = 'overview' | 'diff' | 'since' | 'commits' | 'summary' | 'prompt';
/** The sheets of the history. */
export type BackSheet = 'history' | 'rounds' | 'resume' | 'answers';
/** The sheets of the conversation. */
export type ChatSheet = 'assembled' | 'commit' | 'finding';
/** The open overlay. Only one is open at a time. */
export type Overlay =
  | 'repo'
  | 'change'
  | 'agents'
  | 'budget'
  | 'palette'
  | 'jump'
  | 'navigation'
  | 'keys'
  | 'post'
  | 'settings'
  | 'about'
  | 'facts'
  | 'line-history'
  | 'opinion'
  | BackSheet
  | ChatSheet
  | null;

class Desk {
  view = $state<DeskView>('diff');
  overlay = $state<Overlay>(null);
  /** The selected finding. */
  selected = $state<string | null>(null);
  filter = $state('');
  /** The severities that are listed. Empty means all. */
  severities = new SvelteSet<Severity>();
  /** The verdicts of second opinions that are listed. Empty means all findings. */
  opinions = new SvelteSet<OpinionVerdict>();
  /** Whether only undecided findings are listed. */
  onlyOpen = $state(false);
  /** Whether findings on lines that were there before are hidden. */
  onlyNew = $state(false);
  /** Findings that are selected together with the current one. */
  chosen = new SvelteSet<string>();
  /** An address that waits for the user's confirmation. */
  link = $state<string | null>(null);
  /** The index of the row at the top of the diff. */
  topRow = 0;
  /** The indices of the first and the last drawn row. */
  visibleRows: readonly [number, number] = [0, -1];
  /** The hunk at the top of the diff. -1 for context lines outside of the hunks. */
  topHunk = 0;
  /** The file at the top of the diff. */
  topFile = $state(0);
  /** The file that was requested last. It counts as the current file until the user scrolls, even if it cannot be scrolled to the top. */
  requestedFile: number | null = null;
  #reveal = $state.raw<{ key: string; align: Align } | null>(null);
  /** Whether the review is being printed. */
  printing = $state(false);
  /** Whether the list of snippets is open. */
  snippetsOpen = $state(false);
  /** The number of the answer that becomes a finding. */
  findingFrom = 0;
  filterBox: HTMLInputElement | null = null;

  /** The row to scroll into view. Each request is a new object. */
  get reveal(): { key: string; align: Align } | null {
    return this.#reveal;
  }
  set reveal(to: { key: string; align: Align } | null) {
    this.requestedFile = null;
    this.#reveal = to;
  }

  filtered = $derived(
    filterFindings(review.findings, this.filter).filter(
      (view) =>
        (this.severities.size === 0 || this.severities.has(view.finding.severity)) &&
        (this.opinions.size === 0 || (view.opinion != null && this.opinions.has(view.opinion.verdict))) &&
        (!this.onlyNew || !view.finding.unedited_since) &&
        (!this.onlyOpen || view.decision === 'open' || view.finding.key === this.selected),
    ),
  );
  rows = $derived(groupFindings(this.filtered, prefs.values.grouping, review.view?.by_record));

  /** Resets the selection and the filter for another change. */
  reset(): void {
    this.selected = null;
    this.clearFilter();
    this.chosen.clear();
    this.topFile = 0;
    if (['summary', 'since', 'commits'].includes(this.view)) this.view = 'diff';
  }

  /** Removes findings that no longer exist from the selection. */
  keepKnown(known: (id: string) => boolean): void {
    if (this.selected && !known(this.selected)) this.selected = null;
    for (const id of [...this.chosen]) if (!known(id)) this.chosen.delete(id);
  }

  clearFilter(): void {
    this.filter = '';
    this.severities.clear();
    this.opinions.clear();
    this.onlyOpen = false;
    this.onlyNew = false;
  }

  /** The findings that an action applies to: the selected ones that are listed, or else the current one. */
  get targetIds(): string[] {
    if (this.chosen.size > 0)
      return this.filtered.flatMap(({ finding: { key } }) => (this.chosen.has(key) ? key : []));
    return this.selected ? [this.selected] : [];
  }

  /** Adds a finding to the selection, or removes it. */
  choose(id: string): void {
    if (this.chosen.size === 0 && this.selected && this.selected !== id) this.chosen.add(this.selected);
    if (!this.chosen.delete(id)) this.chosen.add(id);
    this.selected = id;
  }

  /** Selects all findings from the current one to this one. */
  chooseTo(id: string): void {
    const ids = this.rows.flatMap((row) => (row.kind === 'finding' ? [row.view.finding.key] : []));
    const [from, to] = [ids.indexOf(this.selected ?? id), ids.indexOf(id)];
    for (const one of ids.slice(Math.min(from, to), Math.max(from, to) + 1)) this.chosen.add(one);
    this.selected = id;
  }

  chooseAll(): void {
    for (const { finding } of this.filtered) this.chosen.add(finding.key);
  }

  /** Goes to the next finding and adds it to the selection. */
  extendSelection(by: 1 | -1): void {
    const id = stepFinding(this.rows, this.selected, by);
    if (!id) return;
    if (this.selected) this.chosen.add(this.selected);
    this.chosen.add(id);
    this.#show(id);
  }

  select(id: string | null): void {
    this.chosen.clear();
    this.#show(id);
  }

  /** Called after a finding is selected. */
  onSelected: () => void = () => {};

  #show(id: string | null): void {
    this.selected = id;
    const view = review.find(id);
    if (!view) return;
    this.onSelected();
    if (isMessagePath(view.finding.anchor.path)) this.view = 'commits';
    else this.view = view.file == null ? 'summary' : 'diff';
    this.reveal = { key: `c${id}`, align: 'center' };
  }

  step(by: 1 | -1): void {
    const id = stepFinding(this.rows, this.selected, by);
    if (id) this.select(id);
  }

  /** Selects the next or previous open finding. Keeps the selection if no other one is open. */
  stepOpen(by: 1 | -1): void {
    const id = stepOpenFinding(this.rows, this.selected, by);
    if (id) this.select(id);
  }

  /** Goes to a file; in the reading order, to one of its sections. */
  goToFile(file: number, part = 0): void {
    this.view = 'diff';
    this.reveal = { key: fileKey(file, part), align: 'start' };
    this.requestedFile = this.topFile = file;
  }

  toggle(overlay: Overlay): void {
    this.overlay = this.overlay === overlay ? null : overlay;
  }

  focusFilter(): void {
    this.filterBox?.focus();
    this.filterBox?.select();
  }
}

export const desk = new Desk();
