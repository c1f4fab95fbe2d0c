// Texts that the user typed while the core could not be reached. The browser keeps them, because the page may be opened again.
import { BY_ENTRY, type Stored } from './merged-preferences';

/** Changed texts by preference and entry: the value that the core has, and the new one. Null means that there is none. */
export type UnsentTexts = Record<string, Record<string, [was: unknown, now: unknown]>>;

const PREFIX = 'unsent ';

/** Returns the texts that differ from those that the core has. */
export function unsentTexts(confirmed: Stored, own: Stored): UnsentTexts {
  const changed = BY_ENTRY.map((key) => {
    const [was, now] = [record(confirmed[key]), record(own[key])];
    const names = [...new Set([...Object.keys(was), ...Object.keys(now)])];
    const entries = names
      .filter((name) => !same(was[name], now[name]))
      .map((name) => [name, [was[name] ?? null, now[name] ?? null]]);
    return [key, Object.fromEntries(entries)] as const;
  });
  return Object.fromEntries(changed.filter(([, entries]) => Object.keys(entries).length > 0));
}

/** Returns the stored texts with the unsent ones. A text that was saved since by another window stays. */
export function withUnsentTexts(stored: Stored, unsent: UnsentTexts): Stored {
  const changed = BY_ENTRY.map((key) => {
    const entries = { ...record(stored[key]) };
    for (const [name, [was, now]] of Object.entries(unsent[key] ?? {})) {
      if (!same(entries[name] ?? null, was)) continue;
      if (now === null) delete entries[name];
      else entries[name] = now;
    }
    return [key, entries] as const;
  });
  return { ...stored, ...Object.fromEntries(changed) };
}

/** The unsent texts of the windows of this browser. Without storage, nothing is kept. */
export class UnsentStore {
  #storage: Storage | undefined;
  /** Windows must not overwrite the texts of each other. */
  #key = `${PREFIX}${Math.random().toString(36).slice(2)}`;
  /** The keys of texts that this window has taken over. */
  #taken: string[] = [];

  constructor(storage = globalThis.localStorage as Storage | undefined) {
    this.#storage = storage;
  }

  /** Keeps the texts of this window, in place of its earlier ones. */
  keep(unsent: UnsentTexts): void {
    try {
      if (Object.keys(unsent).length > 0) this.#storage?.setItem(this.#key, JSON.stringify(unsent));
      else this.#storage?.removeItem(this.#key);
    } catch {
      // The storage is full or blocked. The texts are still in the page.
    }
  }

  /** Returns what windows have left. It stays stored until `saved` is called. */
  take(): UnsentTexts[] {
    try {
      this.#taken = Object.keys(this.#storage ?? {}).filter((key) => key.startsWith(PREFIX));
      return this.#taken.map((key) => JSON.parse(this.#storage?.getItem(key) ?? '{}') as UnsentTexts);
    } catch {
      return [];
    }
  }

  /** Removes the texts, because the core has them. */
  saved(): void {
    for (const key of [...this.#taken.splice(0), this.#key]) this.#storage?.removeItem(key);
  }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
