// Which repositories are trusted, and what the open one wants that takes trust.
import type { TrustItem, TrustView } from '../../rpc/types.gen';
import { agents } from '../review/agents.svelte';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { opened } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';

/** Wishes that were put off and are remembered. */
const REMEMBERED = 50;

class Trust {
  items = $state.raw<TrustItem[]>([]);
  busy = $state(false);
  /** What the open repository wants; null if nothing. */
  here = $derived<TrustView | null>(opened.view?.trust ?? null);
  /** Whether to ask about it beside the change. */
  asks = $derived(
    this.here !== null &&
      (this.here.stand === 'untrusted' || this.here.stand === 'changed') &&
      !prefs.kept.putOff.includes(this.here.digest),
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
      await opened.call((change_id) =>
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
    if (this.here) prefs.kept.putOff = [this.here.digest, ...prefs.kept.putOff].slice(0, REMEMBERED);
  }

  async #do(failed: string, what: () => Promise<void>): Promise<void> {
    this.busy = true;
    try {
      await what();
      if (opened.target) await change.open(opened.target, opened.since);
      // Its agents count now, or no longer.
      void agents.load();
      await this.load();
    } catch (thrown) {
      notices.fail(thrown, failed);
      // What was shown may be no longer what it wants.
      if (opened.target) void change.open(opened.target, opened.since);
    } finally {
      this.busy = false;
    }
  }
}

export const trust = new Trust();
