// The description and commits of the open change.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { Overview } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { openChange } from './open-change.svelte';

class OverviewState {
  view = $state.raw<Overview | null>(null);
  error = $state.raw<CoreError | null>(null);
  #change = '';

  /** Loads the overview, unless it is loaded. */
  async load(): Promise<void> {
    const id = openChange.view?.change_id ?? '';
    if (!id || id === this.#change) return;
    this.#change = id;
    this.error = null;
    try {
      const view = await openChange.call((change_id) =>
        connection.client.call('change.overview', { change_id }),
      );
      if (id === this.#change) this.view = view;
    } catch (thrown) {
      if (id !== this.#change) return;
      this.error = toCoreError(thrown);
      this.#change = '';
    }
  }
}

export const overview = new OverviewState();
