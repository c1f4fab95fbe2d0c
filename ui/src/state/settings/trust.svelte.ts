// Which repositories are trusted, and what the open one wants that takes trust.
import type { TrustItem, TrustView } from '../../rpc/types.gen';
import { agents } from '../review/agents.svelte';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';

/** Wishes that were put off and are remembered. */
const REMEMBERED = 50;

class Trust {
  items = $state.raw<TrustItem[]>([]);
  busy = $state(false);
  /** What the open repository wants; null if nothing. */
  here = $derived<TrustView | null>(openChange.view?.trust ?? null);
  /** Whether to ask about it beside the change. */
  asks = $derived(
    this.here !== null &&
      (this.here.stand === 'untrusted' || this.here.stand === 'changed') &&
      !prefs.values.putOff.includes(this.here.digest),
  );

  async load(): Promise<void> {
    try {
      this.items = (await connection.client.call('trust.list')).items;
    } catch (thrown) {
      notices.fail(thrown, 'The trusted repositories were not read');
    }
  }

  /** Trusts the open repository with exactly what was shown. */
  async give(shown: TrustView): Promise<void> {
    await this.#do('The trust was not kept', async () => {
      await openChange.call((change_id) =>
        connection.client.call('trust.give', { change_id, digest: shown.digest }),
      );
    });
  }

  async take(repository: string): Promise<void> {
    await this.#do('The trust was not taken back', async () => {
      this.items = (await connection.client.call('trust.take', { repository })).items;
    });
  }

  /** Does not ask about exactly this again. */
  putOff(): void {
    if (this.here) prefs.values.putOff = [this.here.digest, ...prefs.values.putOff].slice(0, REMEMBERED);
  }

  async #do(failed: string, what: () => Promise<void>): Promise<void> {
    this.busy = true;
    try {
      await what();
      if (openChange.target) await change.open(openChange.target, openChange.since);
      // Its agents count now, or no longer.
      void agents.load();
      await this.load();
    } catch (thrown) {
      notices.fail(thrown, failed);
      // What was shown may be no longer what it wants.
      if (openChange.target) void change.open(openChange.target, openChange.since);
    } finally {
      this.busy = false;
    }
  }
}

export const trust = new Trust();
