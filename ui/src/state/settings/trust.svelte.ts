// Trusted repositories, and the requests of the open one that need trust.
import type { TrustItem, TrustView } from '../../rpc/types.gen';
import { agents } from '../review/agents.svelte';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { settingsTexts } from '../../lib/texts/settings';

/** The maximum number of postponed requests that are stored. */
const MAX_POSTPONED = 50;

class Trust {
  items = $state.raw<TrustItem[]>([]);
  busy = $state(false);
  /** The requests of the open repository. Null if it has none. */
  requested = $derived<TrustView | null>(openChange.view?.trust ?? null);
  /** Whether the user has not decided about the requests. */
  undecided = $derived(
    this.requested !== null &&
      (this.requested.state === 'untrusted' || this.requested.state === 'changed') &&
      !prefs.values.postponedTrust.includes(this.requested.digest),
  );

  async load(): Promise<void> {
    try {
      this.items = (await connection.client.call('trust.list')).items;
    } catch (thrown) {
      notices.fail(thrown, settingsTexts.trust.notRead);
    }
  }

  /** Trusts the open repository with exactly the requests that were shown. */
  async grant(shown: TrustView): Promise<void> {
    await this.#do(settingsTexts.trust.notSaved, async () => {
      await openChange.call((change_id) =>
        connection.client.call('trust.grant', { change_id, digest: shown.digest }),
      );
    });
  }

  async revoke(repository: string): Promise<void> {
    await this.#do(settingsTexts.trust.notRevoked, async () => {
      this.items = (await connection.client.call('trust.revoke', { repository })).items;
    });
  }

  /** Hides the question until the requests change. */
  postpone(): void {
    if (this.requested)
      prefs.values.postponedTrust = [this.requested.digest, ...prefs.values.postponedTrust].slice(
        0,
        MAX_POSTPONED,
      );
  }

  async #do(failed: string, what: () => Promise<void>): Promise<void> {
    this.busy = true;
    try {
      await what();
      if (openChange.target) await change.open(openChange.target, openChange.since);
      // Trust decides which agents of the repository count.
      void agents.load();
      await this.load();
    } catch (thrown) {
      notices.fail(thrown, failed);
      // The requests may have changed since they were shown.
      if (openChange.target) void change.open(openChange.target, openChange.since);
    } finally {
      this.busy = false;
    }
  }
}

export const trust = new Trust();
