// The open repository, recent repositories and the sample; loads the initial state.
import { chooseFolder, inWindow } from '../../rpc/desktop';
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { AppInfo, ChangeView, RepoView, Target } from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { connection } from './connection.svelte';
import { notices } from './notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from './prefs.svelte';
import { changeTexts } from '../../lib/texts/change';

/** The placeholder for a change without a repository. */
const noRepository: RepoView = {
  path: '',
  name: changeTexts.title.noRepository,
  local: [],
  branches: [],
  commits: [],
};

class Repos {
  info = $state.raw<AppInfo | null>(null);
  opening = $state(false);
  /** The error of opening a repository, or of the start. */
  error = $state.raw<CoreError | null>(null);
  ready = $state(false);
  readonly canChoose = inWindow();
  #turn = 0;
  /** Called if the program was started without a repository. Resolves with whether it shows something in place of the last change. */
  beginElsewhere: () => Promise<boolean> = () => Promise.resolve(false);

  /** Opens the repository that the program was started with, or else the last one. */
  async start(): Promise<void> {
    this.error = null;
    try {
      const [info] = await Promise.all([connection.client.call('app.info'), prefs.load()]);
      this.info = info;
      // If nothing can be saved, a bar says so permanently.
      if (!info.read_only) for (const text of info.notices) notices.info(text);
      const last = prefs.values.last;
      if (info.start_repo) {
        const before = last?.repo === info.start_repo ? last.target : null;
        await this.open(info.start_repo, info.start_target ?? before);
      } else if (await this.beginElsewhere()) {
        // The inbox is shown.
      } else if (last?.repo) {
        await this.open(last.repo, last.target);
      } else if (last) {
        await this.openWithoutRepository(last.target);
      }
    } catch (thrown) {
      this.error = toCoreError(thrown);
    } finally {
      this.ready = true;
    }
  }

  open(path: string, target: Target | null = null): Promise<boolean> {
    // If the target is known, the change is requested together with its repository. This cancels a change that is being opened, without
    // an error.
    if (target) change.stop();
    const asked = target ? change.ask(path, target) : undefined;
    asked?.catch(() => {});
    return this.#take(() => connection.client.call('repo.open', { path }), target, asked);
  }

  openSample(): Promise<boolean> {
    return this.#take(() => connection.client.call('repo.sample'), null);
  }

  /** Adds a repository that the core has returned to the recent ones, and cancels the opening of another one. */
  adopt(repo: RepoView | null): RepoView {
    this.#turn += 1;
    this.opening = false;
    this.error = null;
    if (repo) this.#remember(repo);
    return repo ?? noRepository;
  }

  /** Opens a change without a local repository: a patch, or a merge request without a clone. */
  async openWithoutRepository(target: Target): Promise<boolean> {
    return this.#take(() => Promise.resolve(noRepository), target);
  }

  async choose(): Promise<void> {
    const path = await chooseFolder();
    if (path) await this.open(path);
  }

  /** Reloads the branches, commits and local changes of the open repository. */
  async refresh(): Promise<void> {
    const path = openChange.repo?.path;
    if (!path) return;
    try {
      const repo = await connection.client.call('repo.open', { path });
      if (openChange.repo?.path === path) openChange.repo = repo;
    } catch {
      // The old data stays. Opening a change reports the error.
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
      this.#remember(repo);
      if (repo.notice) notices.info(`${repo.name}: ${repo.notice}.`);
      const first = target ?? repo.suggested ?? null;
      // An open change stays until the other one is there, so that it is not lost if that cannot be opened.
      if (!first || !openChange.view) {
        change.close();
        openChange.repo = repo;
        openChange.target = null;
      } else if (openChange.repo?.path === repo.path) openChange.repo = repo;
      if (first) await change.open(first, null, null, { repo, asked });
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
