// Presentation of settings: titles of keys, values as text, search.

export interface SettingText {
  key: string;
  about: string;
}

const fullWords: Record<string, string> = {
  url: 'URL',
  json: 'JSON',
  ca: 'CA',
  ms: '(milliseconds)',
  seconds: '(seconds)',
  chars: 'characters',
  env: 'variable',
  max: 'maximum',
};

/** Returns the title of a key: `limits.max_diff_chars` → `Maximum diff characters`. */
export function titleOf(key: string): string {
  const last = (key.match(/"[^"]*"|[^.]+/g) ?? [key]).at(-1) ?? key;
  const words = last
    .replace(/^"|"$/g, '')
    .split('_')
    .map((word) => fullWords[word] ?? word)
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the section of a key. For an agent, it includes the agent's name. */
export function sectionOf(key: string): string {
  const parts = key.match(/"[^"]*"|[^.]+/g) ?? [key];
  return parts.slice(0, parts[0] === 'agents' ? 2 : 1).join('.');
}

/** Returns whether a setting contains every word of a search. */
export function matches(one: SettingText, search: string): boolean {
  const text = `${one.key} ${one.key.replace(/[_.]/g, ' ')} ${one.about}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Groups entries by section, in order. */
export function bySection<T extends SettingText>(entries: readonly T[]): { section: string; entries: T[] }[] {
  const groups: { section: string; entries: T[] }[] = [];
  for (const entry of entries) {
    const section = sectionOf(entry.key);
    const last = groups.at(-1);
    if (last?.section === section) last.entries.push(entry);
    else groups.push({ section, entries: [entry] });
  }
  return groups;
}

/** Returns a size in bytes as text: `1.4 MB`. */
export function bytes(count: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Quotes a part of a key as TOML requires, for names with dots. */
export const keyPart = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));

/** Splits a command line into words. Quotes group words. */
export function splitCommand(line: string): string[] {
  const found = line.match(/"([^"]*)"|'([^']*)'|\S+/g) ?? [];
  return found.map((word) => word.replace(/^(["'])(.*)\1$/, '$2'));
}
