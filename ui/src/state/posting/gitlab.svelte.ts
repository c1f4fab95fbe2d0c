// The merge requests that can be opened, and tokens for their GitLab.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { RequestItem, Target, TokenView } from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { openChange } from '../change/open-change.svelte';
import { repos } from '../app/repos.svelte';

class Gitlab {
  items = $state.raw<RequestItem[]>([]);
  loading = $state(false);
  /** The error of listing merge requests. */
  error = $state.raw<CoreError | null>(null);
  /** The host whose token is requested. */
  tokenHost = $state<string | null>(null);
  saving = $state(false);
  /** The error of storing or checking the token. */
  refused = $state.raw<CoreError | null>(null);
  /** The result of the token's check. */
  found = $state.raw<TokenView | null>(null);
  #repo: string | null = null;

  /** Lists the merge requests of the open repository's remote. */
  async loadRequests(): Promise<void> {
    const repo = openChange.repo?.path;
    if (!repo) return;
    if (repo !== this.#repo) this.items = [];
    this.#repo = repo;
    this.loading = true;
    try {
      const { items } = await connection.client.call('request.list', { repo });
      if (openChange.repo?.path !== repo) return;
      this.items = items;
      this.error = null;
    } catch (thrown) {
      if (openChange.repo?.path === repo) this.error = toCoreError(thrown);
    } finally {
      this.loading = false;
    }
  }

  /** Resolves a text to a merge request. */
  async find(text: string): Promise<Target> {
    const found = await connection.client.call('request.find', { repo: openChange.repo?.path ?? '', text });
    return found.target;
  }

  /** Opens a merge request by its address: in a known clone, or else without a clone. */
  async open(address: string): Promise<void> {
    try {
      const { target, repo } = await connection.client.call('request.find', { repo: '', text: address });
      await (repo ? repos.open(repo, target) : repos.openWithoutRepository(target));
    } catch (thrown) {
      repos.error = toCoreError(thrown);
    }
  }

  /** Returns the host of an authentication error. Null for other errors. */
  hostOf(error: CoreError | null): string | null {
    if (error?.info.error_code !== 'GITLAB_AUTH_ERROR') return null;
    const host = error.info.context?.['host'];
    if (typeof host === 'string') return host;
    const target = openChange.target;
    return target?.kind === 'merge_request' ? target.base : null;
  }

  /** Opens the dialog for a host's token. */
  ask(host: string): void {
    this.tokenHost = host;
    this.refused = null;
    this.found = null;
  }

  /** Stores a token and checks it. */
  async saveToken(value: string, session_only: boolean): Promise<void> {
    const name = this.tokenHost;
    if (!name) return;
    this.saving = true;
    this.refused = null;
    this.found = null;
    try {
      await connection.client.call('secret.set', { name, value, session_only });
      this.found = await connection.client.call('token.check', { name });
      void this.loadRequests();
      if (change.error) void change.retry();
    } catch (thrown) {
      this.refused = toCoreError(thrown);
    } finally {
      this.saving = false;
    }
  }
}

export const gitlab = new Gitlab();
