// The open repository, recent repositories and the sample; loads the initial state.
import { chooseFolder, inWindow } from '../../rpc/desktop';
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { AppInfo, ChangeView, RepoView, Target } from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { connection } from './connection.svelte';
import { notices } from './notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from './prefs.svelte';

/** Where a change stands that has no repository. */
const nowhere: RepoView = { path: '', name: 'No repository', local: [], branches: [], commits: [] };

class Repos {
  info = $state.raw<AppInfo | null>(null);
  opening = $state(false);
  /** Why a repository could not be opened, or the desk could not start. */
  error = $state.raw<CoreError | null>(null);
  ready = $state(false);
  readonly canChoose = inWindow();
  #turn = 0;

  /** Opens what the program was started on, else what was open last. */
  async start(): Promise<void> {
    this.error = null;
    try {
      const [info] = await Promise.all([connection.client.call('app.info'), prefs.load()]);
      this.info = info;
      // That nothing can be kept is said as long as it holds, at the top.
      if (!info.read_only) for (const text of info.notices) notices.info(text);
      const last = prefs.values.last;
      if (info.start_repo) {
        const before = last?.repo === info.start_repo ? last.target : null;
        await this.open(info.start_repo, info.start_target ?? before);
      } else if (last?.repo) {
        await this.open(last.repo, last.target);
      } else if (last) {
        await this.openLoose(last.target);
      }
    } catch (thrown) {
      this.error = toCoreError(thrown);
    } finally {
      this.ready = true;
    }
  }

  open(path: string, target: Target | null = null): Promise<boolean> {
    // A change that is known is asked for along with its repository. What is being opened is given up, and that is no failure.
    if (target) change.stop();
    const asked = target ? change.ask(path, target) : undefined;
    asked?.catch(() => {});
    return this.#take(() => connection.client.call('repo.open', { path }), target, asked);
  }

  openSample(): Promise<boolean> {
    return this.#take(() => connection.client.call('repo.sample'), null);
  }

  /** Takes a repository that is known already, without opening a change; none for a change that needs none. */
  adopt(repo: RepoView | null): void {
    this.#turn += 1;
    this.opening = false;
    this.error = null;
    change.close();
    openChange.repo = repo ?? nowhere;
    openChange.target = null;
    if (repo) this.#remember(repo);
  }

  /** Opens a change that has no repository here: a patch, or a merge request without a clone. */
  async openLoose(target: Target): Promise<boolean> {
    return this.#take(() => Promise.resolve(nowhere), target);
  }

  async choose(): Promise<void> {
    const path = await chooseFolder();
    if (path) await this.open(path);
  }

  /** Reads the open repository's branches, commits and local changes again. */
  async refresh(): Promise<void> {
    const path = openChange.repo?.path;
    if (!path) return;
    try {
      const repo = await connection.client.call('repo.open', { path });
      if (openChange.repo?.path === path) openChange.repo = repo;
    } catch {
      // What was there stays; opening a change says what is wrong.
    }
  }

  async #take(
    ask: () => Promise<RepoView>,
    target: Target | null,
    asked?: Promise<ChangeView>,
  ): Promise<boolean> {
    const turn = ++this.#turn;
    this.opening = true;
    this.error = null;
    try {
      const repo = await ask();
      if (turn !== this.#turn) return false;
      change.close();
      openChange.repo = repo;
      openChange.target = null;
      this.#remember(repo);
      if (repo.notice) notices.info(`${repo.name}: ${repo.notice}.`);
      const first = target ?? repo.suggested ?? null;
      if (first) await change.open(first, null, null, asked);
      return true;
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown);
      return false;
    } finally {
      if (turn === this.#turn) this.opening = false;
    }
  }

  #remember({ path, name }: RepoView): void {
    if (!this.info || !path) return;
    const others = this.info.recent.filter((repo) => repo.path !== path);
    this.info = { ...this.info, recent: [{ path, name }, ...others] };
  }
}

export const repos = new Repos();
