// The saved filters of the inbox, which the core stores.
import { readFilters, withFilter, type SavedFilter } from '../../lib/inbox-filters';
import { inboxTexts } from '../../lib/texts/inbox';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';

const KEY = 'inbox_filters';

class InboxFilters {
  all = $state.raw<SavedFilter[]>([]);
  /** Whether the name of the current filter is being asked for. */
  naming = $state(false);
  #loaded = false;

  async load(): Promise<void> {
    if (this.#loaded) return;
    this.#loaded = true;
    try {
      this.all = readFilters((await connection.client.call('state.get', { key: KEY })).value ?? null);
    } catch {
      this.#loaded = false;
    }
  }

  add(filter: SavedFilter): Promise<void> {
    return this.#save(withFilter(this.all, filter));
  }

  remove(name: string): Promise<void> {
    return this.#save(this.all.filter((one) => one.name !== name));
  }

  async #save(all: SavedFilter[]): Promise<void> {
    try {
      await connection.client.call('state.set', { key: KEY, value: JSON.stringify(all) });
      this.all = all;
    } catch (thrown) {
      notices.fail(thrown, inboxTexts.filters.notSaved);
    }
  }
}

export const inboxFilters = new InboxFilters();
