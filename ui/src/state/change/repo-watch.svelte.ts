// Watches the open repository, and checks whether the open change differs from the files on disk.
import { connection } from '../app/connection.svelte';
import { change } from './change.svelte';
import { openChange } from './open-change.svelte';

class RepoWatch {
  /** The id of the outdated change. */
  #outdated = $state<string | null>(null);
  #subscription: { path: string; stop: () => Promise<void> } | null = null;
  #turn = 0;

  /** Whether the open change is outdated. It is not read again until the user asks. */
  get outdated(): boolean {
    return this.#outdated !== null && this.#outdated === openChange.view?.change_id;
  }

  /** Watches one repository instead of the previous one. Null stops watching. */
  async watch(path: string | null): Promise<void> {
    const turn = ++this.#turn;
    const before = this.#subscription;
    this.#subscription = null;
    if (before) void before.stop().catch(() => {});
    if (!path) return;
    try {
      const stop = await connection.client.subscribe('repo.watch', { path }, ({ repo }) => {
        if (turn !== this.#turn || openChange.repo?.path !== repo.path) return;
        openChange.repo = repo;
        void this.#compare();
      });
      if (turn !== this.#turn) return void stop().catch(() => {});
      this.#subscription = { path, stop };
      // Files may have been edited before the subscription started.
      void this.#compare();
    } catch {
      // Without a watch, `R` reads the change again.
    }
  }

  async #compare(): Promise<void> {
    const id = openChange.view?.change_id;
    if (!id || this.#outdated === id) return;
    try {
      const { moved } = await connection.client.call('change.has_changed', { change_id: id });
      if (moved && openChange.view?.change_id === id) this.#outdated = id;
    } catch {
      // A repository in the middle of an operation is compared after its next change.
    }
  }

  /** Reads the open change again. */
  async refresh(): Promise<void> {
    this.#outdated = null;
    await change.refresh();
  }
}

export const repoWatch = new RepoWatch();
