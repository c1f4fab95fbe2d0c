// Preferences and view state that survive a restart. The core stores them as one JSON text.
import type { Grouping } from '../../lib/findings/findings';
import type { Mode } from '../../lib/diff/rows';
import type { FindingWords, Target } from '../../rpc/types.gen';
import { connection } from './connection.svelte';

export type Theme = 'system' | 'light' | 'dark';

export type Density = 'usual' | 'compact';

interface Values {
  theme: Theme;
  mode: Mode;
  sidebar: number;
  /** The conversation at the right. */
  chatOpen: boolean;
  chatWidth: number;
  /** What was typed and not sent, by the change or the thread. */
  drafts: Record<string, string>;
  /** Findings that were begun or edited and not kept, by the place or the finding. */
  words: Record<string, FindingWords>;
  /** Keys that the reviewer gave to actions: by the action's name; an empty one has none. */
  keys: Record<string, string>;
  /** Whether the window has its menu bar. */
  menu: boolean;
  /** Share of the sidebar's height that findings take. */
  findingsShare: number;
  grouping: Grouping;
  /** How close lines stand. */
  density: Density;
  /** The font of code; empty for the built-in one. */
  codeFont: string;
  /** Its size, 1 being the text's. */
  codeSize: number;
  /** Wishes of repositories that were put off, by digest. */
  putOff: string[];
  /** Text size, 1 being the system's. */
  scale: number;
  agent: string | null;
  /** Agents that review side by side with it. */
  also: string[];
  /** The model named for each agent. */
  models: Record<string, string>;
  /** What reviews add to the instructions. */
  instructions: string;
  /** Skills that were chosen, by repository, or by project where there is no clone. */
  skills: Record<string, string[]>;
  last: { repo: string; target: Target } | null;
  /** Where changes were left: fingerprint, row key, px into the row. Latest first. */
  scrolls: [fingerprint: string, key: string, within: number][];
  /** Where reviews were left, the latest first. */
  left: SavedReviewView[];
}

/** Where a review was left: the chosen finding, the place, and what of the list was shown. */
export type SavedReviewView = [
  review: string,
  selected: string | null,
  filter: string,
  place: string,
  severities?: string[],
  onlyOpen?: boolean,
];

const KEY = 'desk';
const SAVE_AFTER_MS = 400;
const REST_MS = 250;
const SCROLLS = 20;
const DRAFTS = 50;

const initial: Values = {
  theme: 'system',
  mode: 'unified',
  sidebar: 320,
  chatOpen: false,
  chatWidth: 380,
  drafts: {},
  words: {},
  keys: {},
  menu: false,
  findingsShare: 0.55,
  grouping: 'severity',
  density: 'usual',
  codeFont: '',
  codeSize: 1,
  putOff: [],
  scale: 1,
  agent: null,
  also: [],
  models: {},
  instructions: '',
  skills: {},
  last: null,
  scrolls: [],
  left: [],
};

class Prefs {
  values = $state<Values>({ ...initial });
  loaded = $state(false);
  #saved = '';
  #unread = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #scroll: Values['scrolls'][number] | null = null;
  #resting: ReturnType<typeof setTimeout> | undefined;

  /** Starts from what was kept; what makes no sense is as if it had never been set. */
  async load(): Promise<void> {
    let value: string | null | undefined;
    try {
      ({ value } = await connection.client.call('state.get', { key: KEY }));
    } catch {
      // The desk works without; it only forgets, and writes nothing over what it could not read.
      this.#unread = true;
    }
    try {
      if (value) Object.assign(this.values, pick(JSON.parse(value)));
    } catch {
      // Not JSON: a fresh start.
    }
    this.#saved = JSON.stringify(this.values);
    this.loaded = true;
  }

  /** Call in an effect: reads everything, so it runs again at each change. Kept a moment after the first of several. */
  saveSoon(): void {
    const text = JSON.stringify(this.values);
    if (!this.loaded || this.#unread || text === this.#saved) return;
    this.#timer ??= setTimeout(() => this.flush(), SAVE_AFTER_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#keepScroll();
    const text = JSON.stringify(this.values);
    if (!this.loaded || this.#unread || text === this.#saved) return;
    this.#saved = text;
    connection.client.call('state.set', { key: KEY, value: text }).catch(() => (this.#saved = ''));
  }

  /** Keeps what was typed and not sent. */
  setDraft(key: string, typed: string): void {
    const others = Object.entries(this.values.drafts).filter(([name]) => name !== key);
    const drafts: [string, string][] = typed ? [...others, [key, typed]] : others;
    this.values.drafts = Object.fromEntries(drafts.slice(-DRAFTS));
  }

  /** Kept once the reviewer rests there. */
  rememberScroll(fingerprint: string, key: string, within: number): void {
    this.#scroll = [fingerprint, key, Math.round(within)];
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#keepScroll(), REST_MS);
  }

  #keepScroll(): void {
    clearTimeout(this.#resting);
    this.#resting = undefined;
    const last = this.#scroll;
    this.#scroll = null;
    if (!last) return;
    const others = this.values.scrolls.filter((one) => one[0] !== last[0]);
    this.values.scrolls = [last, ...others].slice(0, SCROLLS);
  }

  scrollOf(fingerprint: string): { key: string; within: number } | null {
    this.#keepScroll();
    const found = this.values.scrolls.find((one) => one[0] === fingerprint);
    return found ? { key: found[1], within: found[2] } : null;
  }

  /** The height of a line of code. */
  get lineRem(): number {
    return (this.values.density === 'compact' ? 1.0625 : 1.25) * Math.max(1, this.values.codeSize);
  }

  resize(scale: number): void {
    this.values.scale = Math.min(2, Math.max(0.8, Math.round(scale * 10) / 10));
  }
}

/** Only what we know, and only of the type that we know. */
function pick(from: Record<string, unknown>): Partial<Values> {
  const known = Object.entries(initial).filter(([key, value]) => {
    const had = from[key];
    return had !== undefined && (value === null || (typeof had === typeof value && had !== null));
  });
  return Object.fromEntries(known.map(([key]) => [key, from[key]]));
}

export const prefs = new Prefs();
