// The saved filters of the inbox. A filter has a name, and the key of its place: 1 to 9.

export interface SavedFilter {
  name: string;
  filter: string;
}

/** The maximum number of saved filters: as many as there are keys. */
export const MAX_FILTERS = 9;

/** Reads the saved list. Entries in another form are left out. */
export function readFilters(text: string | null): SavedFilter[] {
  try {
    const saved: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(saved)) return [];
    return saved.filter(isFilter).slice(0, MAX_FILTERS);
  } catch {
    return [];
  }
}

function isFilter(one: unknown): one is SavedFilter {
  const { name, filter } = (one ?? {}) as Partial<SavedFilter>;
  return typeof name === 'string' && typeof filter === 'string' && name !== '' && filter !== '';
}

/** Adds a filter, or replaces the one with its name. Without room, the list stays as it is. */
export function withFilter(all: readonly SavedFilter[], added: SavedFilter): SavedFilter[] {
  const at = all.findIndex((one) => one.name === added.name);
  if (at >= 0) return all.map((one, index) => (index === at ? added : one));
  return all.length < MAX_FILTERS ? [...all, added] : [...all];
}
