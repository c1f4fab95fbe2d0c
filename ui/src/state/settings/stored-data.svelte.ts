// Stored data: sizes on disk, and removal.
import { bytes } from '../../lib/settings';
import { settingsTexts } from '../../lib/texts/settings';
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { DataKind, SavedData } from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { openChange } from '../change/open-change.svelte';

class StoredData {
  view = $state.raw<SavedData | null>(null);
  error = $state.raw<CoreError | null>(null);
  busy = $state(false);
  /** A description of the last removal. */
  done = $state<string | null>(null);

  async load(): Promise<void> {
    try {
      this.view = await connection.client.call('data.view');
      this.error = null;
    } catch (thrown) {
      this.error = toCoreError(thrown);
    }
  }

  async remove(kind: DataKind, older_than_days: number | null): Promise<void> {
    this.busy = true;
    this.done = null;
    try {
      const removed = await connection.client.call('data.remove', { kind, older_than_days });
      this.view = removed.remaining;
      this.done = settingsTexts.data.removed(
        removed.reviews,
        removed.conversations,
        removed.runs,
        bytes(removed.bytes),
      );
      this.error = null;
      if (kind === 'everything' && openChange.target) await change.open(openChange.target, openChange.since);
    } catch (thrown) {
      this.error = toCoreError(thrown);
    } finally {
      this.busy = false;
    }
  }
}

export const storedData = new StoredData();
