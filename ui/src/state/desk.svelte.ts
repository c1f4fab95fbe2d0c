// What the desk shows: the place in the middle, what is laid over it, what is chosen.
import { filterFindings, groupFindings, stepFinding } from '../pure/findings';
import type { Align } from '../pure/window';
import { prefs } from './prefs.svelte';
import { review } from './review.svelte';

export type Place = 'diff' | 'summary' | 'prompt';
/** What the conversation lays over the desk. */
export type ChatSheet = 'assembled' | 'commit' | 'finding' | 'prompts' | 'snippets';
/** What can be open over the desk; one at a time. */
export type Overlay = 'repo' | 'change' | 'agents' | 'palette' | 'keys' | 'post' | ChatSheet | null;

class Desk {
  place = $state<Place>('diff');
  overlay = $state<Overlay>(null);
  /** The chosen finding. */
  selected = $state<string | null>(null);
  filter = $state('');
  /** The finding whose dismissal is being given a reason. */
  reasoning = $state<string | null>(null);
  /** An address that waits for the reviewer's word. */
  link = $state<string | null>(null);
  /** The file at the top of the diff. */
  topFile = $state(0);
  /** A row to bring into view; a new object each time. */
  reveal = $state.raw<{ key: string; align: Align } | null>(null);
  /** Whether the snippets are shown. */
  drawer = $state(false);
  /** The answer that becomes a finding: its number. */
  findingFrom = 0;
  filterBox: HTMLInputElement | null = null;

  filtered = $derived(filterFindings(review.findings, this.filter));
  rows = $derived(groupFindings(this.filtered, prefs.kept.grouping));

  /** Nothing of another change stays chosen. */
  forget(): void {
    this.selected = null;
    this.reasoning = null;
    this.filter = '';
    this.topFile = 0;
    if (this.place === 'summary') this.place = 'diff';
  }

  select(id: string | null): void {
    this.selected = id;
    const view = review.find(id);
    if (!view) return;
    this.place = view.file == null ? 'summary' : 'diff';
    this.reveal = { key: `c${id}`, align: 'center' };
  }

  step(by: 1 | -1): void {
    const id = stepFinding(this.rows, this.selected, by);
    if (id) this.select(id);
  }

  goToFile(file: number): void {
    this.place = 'diff';
    this.reveal = { key: `f${file}`, align: 'start' };
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
