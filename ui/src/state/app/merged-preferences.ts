// Merges the preferences of several windows. Each saves all of them, and must not undo what another has saved since.
import type { Preferences } from './preferences';

export type Stored = Partial<Record<keyof Preferences, unknown>>;

/** The preferences whose entries belong together only by chance: each text is one of its own. */
export const BY_ENTRY: readonly (keyof Preferences)[] = ['drafts', 'unsavedFindings'];

/**
 * Returns what to store: the window's values where it changed them since `base`, its values at the last save, and the stored ones elsewhere.
 */
export function mergedPreferences(base: Stored, own: Preferences, stored: Stored): Stored {
  const keys = Object.keys(own) as (keyof Preferences)[];
  const value = (key: keyof Preferences): unknown =>
    BY_ENTRY.includes(key)
      ? mergedEntries(record(base[key]), record(own[key]), record(stored[key]))
      : !(key in stored) || !same(base[key], own[key])
        ? own[key]
        : stored[key];
  return Object.fromEntries(keys.map((key) => [key, value(key)]));
}

function mergedEntries(
  base: Record<string, unknown>,
  own: Record<string, unknown>,
  stored: Record<string, unknown>,
): Record<string, unknown> {
  const names = [...Object.keys(stored), ...Object.keys(own)];
  const entries = names.flatMap((name): [string, unknown][] => {
    const from = same(base[name], own[name]) ? stored : own;
    return name in from ? [[name, from[name]]] : [];
  });
  return Object.fromEntries(entries);
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
