// Preferences and view state that survive a restart. The core stores them as one JSON text.
import type { Preferences } from './preferences';
import { connection } from './connection.svelte';
import { firstCalls } from './first-calls';
import { listedSettings } from './listed-settings';
import { mergedPreferences } from './merged-preferences';
import { unsentTexts, UnsentStore, withUnsentTexts } from './unsent-texts';

export type { Density, Preferences, SavedReviewView, Theme } from './preferences';

/** The keys of the page's entries in the core. The core reads only the settings for `diffsan config`, and the first calls. */
const KEY = 'desk';
const SETTINGS_KEY = 'settings';
const FIRST_CALLS_KEY = 'first_calls';
const SAVE_AFTER_MS = 400;
const REST_MS = 250;
const SCROLLS = 20;
const DRAFTS = 50;

export const defaults: Preferences = {
  theme: 'system',
  mode: 'unified',
  sidebar: 320,
  chatOpen: false,
  chatWidth: 380,
  drafts: {},
  unsavedFindings: {},
  keys: {},
  menu: false,
  findingsShare: 0.55,
  grouping: 'severity',
  wrap: true,
  facts: true,
  callers: true,
  ignoreWhitespace: false,
  foldLines: true,
  rendered: ['notebook'],
  imageView: 'sides',
  tabWidth: 4,
  functionBar: true,
  readingOrder: false,
  editor: 'vscode',
  fileTree: false,
  selectNextOpen: true,
  density: 'usual',
  codeFont: '',
  codeSize: 1,
  postponedTrust: [],
  scale: 1,
  agent: null,
  additionalAgents: [],
  runs: 1,
  models: {},
  instructions: '',
  skills: {},
  last: null,
  scrolls: [],
  reviewViews: [],
};

class Prefs {
  values = $state<Preferences>({ ...defaults });
  loaded = $state(false);
  /** The saved texts by key. */
  #saved = new Map<string, string>();
  #unread = false;
  /** This window's values at the last save, and the stored ones, which another window may have changed since. */
  #base: Record<string, unknown> = {};
  #stored: Record<string, unknown> = {};
  /** This window's values at the last save that succeeded. */
  #confirmed: Record<string, unknown> = {};
  #unsent = new UnsentStore();
  /** The saves that the core has not answered. They resolve with whether they succeeded. */
  #saves = new Set<Promise<boolean>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #scroll: Preferences['scrolls'][number] | null = null;
  #resting: ReturnType<typeof setTimeout> | undefined;

  /** Loads the stored preferences. Invalid values are ignored. */
  async load(): Promise<void> {
    try {
      await this.#read();
    } catch {
      // Without stored preferences the interface still works. Nothing is saved, so that unread preferences are not overwritten.
      this.#unread = true;
    }
    Object.assign(this.values, pick(this.#stored));
    this.#saved.set(KEY, JSON.stringify(this.values));
    this.#confirmed = this.#base = $state.snapshot(this.values);
    if (!this.#unread) {
      const texts = this.#unsent.take().reduce(withUnsentTexts, this.#base);
      Object.assign(this.values, pick(texts as Record<string, unknown>));
    }
    this.loaded = true;
  }

  /** Reads what is stored. Invalid JSON counts as nothing. */
  async #read(): Promise<void> {
    const { value } = await connection.client.call('state.get', { key: KEY });
    try {
      this.#stored = value ? (JSON.parse(value) as Record<string, unknown>) : {};
    } catch {
      this.#stored = {};
    }
  }

  /** Saves changes after a delay. Call it in an effect: it reads all values, so the effect runs after each change. */
  saveSoon(): void {
    // A save that failed is repeated when the core is reached again.
    void connection.returns;
    const text = JSON.stringify(this.values);
    if (!this.loaded || this.#unread || text === this.#saved.get(KEY)) return;
    this.#timer ??= setTimeout(() => void this.#saveMerged(), SAVE_AFTER_MS);
  }

  /** Saves the changes of this window, and keeps those of others. */
  async #saveMerged(): Promise<void> {
    // What was read last is used if it cannot be read again.
    await this.#read().catch(() => undefined);
    this.flush();
  }

  /** Saves at once, over what was read last. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#keepScroll();
    const text = JSON.stringify(this.values);
    if (!this.loaded || this.#unread) return;
    const own = $state.snapshot(this.values);
    // The page may be closed before the core can be reached, or answers.
    if (connection.link !== 'open' || this.#saves.size > 0)
      this.#unsent.keep(unsentTexts(this.#confirmed, own));
    if (text === this.#saved.get(KEY)) return;
    this.#stored = mergedPreferences(this.#base, own, this.#stored);
    this.#base = own;
    this.#save(KEY, text, JSON.stringify(this.#stored));
    this.#save(SETTINGS_KEY, JSON.stringify(listedSettings(this.values, defaults)));
    this.#save(FIRST_CALLS_KEY, JSON.stringify(firstCalls(KEY, this.values.last)));
  }

  /** Saves a value, unless the window saved the same text before. */
  #save(key: string, text: string, value = text): void {
    if (this.#saved.get(key) === text) return;
    this.#saved.set(key, text);
    const save = connection.client.call('state.set', { key, value }).then(
      () => {
        if (key === KEY) this.#confirm(text);
        return true;
      },
      () => {
        // The next save contains again what has changed since the last one that succeeded.
        if (key === KEY) {
          this.#base = this.#confirmed;
          this.#unsent.keep(unsentTexts(this.#confirmed, $state.snapshot(this.values)));
        }
        return !this.#saved.delete(key);
      },
    );
    this.#saves.add(save);
    void save.finally(() => this.#saves.delete(save));
  }

  /** Called when the core has the values of a save. */
  #confirm(text: string): void {
    this.#confirmed = JSON.parse(text) as Record<string, unknown>;
    this.#unsent.saved();
  }

  /** Saves all changes. Resolves with whether the core has them. */
  async saveNow(): Promise<boolean> {
    this.flush();
    return (await Promise.all(this.#saves)).every(Boolean) && !this.#unread;
  }

  /** Stores unsent or unsaved text. An empty text removes the draft. */
  setDraft(key: string, typed: string): void {
    const others = Object.entries(this.values.drafts).filter(([name]) => name !== key);
    const drafts: [string, string][] = typed ? [...others, [key, typed]] : others;
    this.values.drafts = Object.fromEntries(drafts.slice(-DRAFTS));
  }

  /** Stores the scroll position once scrolling rests. */
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

  /** Uses the scroll position of an earlier state of a change for a later one. */
  carryScroll(before: string, now: string): void {
    const left = this.scrollOf(before);
    if (left) this.rememberScroll(now, left.key, left.within);
  }

  /** The height of a line of code, in rem. */
  get lineRem(): number {
    return (this.values.density === 'compact' ? 1.0625 : 1.25) * Math.max(1, this.values.codeSize);
  }

  resize(scale: number): void {
    this.values.scale = Math.min(2, Math.max(0.8, Math.round(scale * 10) / 10));
  }
}

/** The names of preferences in earlier versions. */
const earlierNames: Partial<Record<string, string>> = {
  unsavedFindings: 'words',
  postponedTrust: 'putOff',
  additionalAgents: 'also',
  reviewViews: 'left',
};

/** Returns the known preferences that have the expected type. */
function pick(from: Record<string, unknown>): Partial<Preferences> {
  const saved = (key: string) => from[key] ?? from[earlierNames[key] ?? key];
  const known = Object.entries(defaults).filter(([key, value]) => {
    const had = saved(key);
    return had !== undefined && (value === null || (typeof had === typeof value && had !== null));
  });
  return Object.fromEntries(known.map(([key]) => [key, saved(key)]));
}

export const prefs = new Prefs();
