// Launches: requests of other starts of the program, and of links. Each names a repository or a change to open.
import { CoreError } from '../../rpc/errors';
import type { LaunchEvent, Target } from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { openChange } from '../change/open-change.svelte';
import { connection } from './connection.svelte';
import { notices } from './notices.svelte';
import { repos } from './repos.svelte';
import { appTexts } from '../../lib/texts/app';

class Launches {
  /** The request of a link that waits for the user's consent. */
  pending = $state.raw<LaunchEvent | null>(null);

  /** Subscribes to the requests. */
  async listen(): Promise<void> {
    await connection.client.subscribe('app.launches', {}, (event) => {
      if (event.error) {
        const { message, hint } = event.error;
        notices.fail(new CoreError(message, 0, { hint: hint ?? undefined }), appTexts.launch.changeNotOpened);
      } else if (event.ask) this.pending = event;
      else this.open(event);
    });
  }

  open({ repo, target, sample }: LaunchEvent): void {
    this.pending = null;
    if (sample) void repos.openSample();
    else if (repo) void this.#openRepo(repo, target ?? null);
    else if (target) void openTarget(target);
  }

  async #openRepo(path: string, target: Target | null): Promise<void> {
    const opened = await repos.open(path, target);
    // Without an open repository, the start page shows the error.
    if (!opened && repos.error && openChange.repo) notices.fail(repos.error, appTexts.launch.notOpened(path));
  }
}

/** Opens a change in the open repository, or without a repository if none is open. */
export async function openTarget(target: Target): Promise<void> {
  if (openChange.repo) await change.open(target);
  else await repos.openWithoutRepository(target);
}

export const launches = new Launches();
