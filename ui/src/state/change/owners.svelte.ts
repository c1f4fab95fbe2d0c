// The owners of the files of the open change. Loaded after the change is shown.
import { connection } from '../app/connection.svelte';
import { openChange } from './open-change.svelte';

class Owners {
  #files = $state.raw<readonly (readonly string[])[]>([]);
  #change = '';

  /** Loads the owners, unless they are loaded. */
  async load(): Promise<void> {
    const id = openChange.view?.fingerprint ?? '';
    if (!id || id === this.#change) return;
    this.#change = id;
    this.#files = [];
    try {
      const owners = await openChange.call((change_id) =>
        connection.client.call('change.owners', { change_id }),
      );
      if (id === this.#change) this.#files = owners.files;
    } catch {
      // Without owners, the list offers no filter by owner.
      if (id === this.#change) this.#change = '';
    }
  }

  of(file: number): readonly string[] {
    return this.#files[file] ?? [];
  }

  /** All owners, in alphabetical order. */
  all = $derived([...new Set(this.#files.flat())].sort());
}

export const owners = new Owners();
