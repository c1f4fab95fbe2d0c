// The agents that diffsan knows, and the one that reviews.
import { toCoreError, type CoreError } from '../rpc/errors';
import type { AgentView } from '../rpc/types.gen';
import { connection } from './connection.svelte';
import { prefs } from './prefs.svelte';

class Agents {
  all = $state.raw<AgentView[]>([]);
  default = $state<string | null>(null);
  loading = $state(false);
  looked = $state(false);
  error = $state.raw<CoreError | null>(null);

  installed = $derived(this.all.filter((agent) => agent.program != null));
  /** The reviewer's own choice if it is installed, else the core's. */
  chosen = $derived(
    this.installed.find((agent) => agent.name === prefs.kept.agent) ??
      this.installed.find((agent) => agent.name === this.default) ??
      this.installed[0] ??
      null,
  );

  /** Looks for them anew: one may have been installed meanwhile. */
  async load(): Promise<void> {
    this.loading = true;
    this.error = null;
    try {
      const view = await connection.client.call('agents.list');
      this.all = view.agents;
      this.default = view.default ?? null;
    } catch (thrown) {
      this.error = toCoreError(thrown);
    } finally {
      this.loading = false;
      this.looked = true;
    }
  }

  titleOf(name: string): string {
    return this.all.find((agent) => agent.name === name)?.title ?? name;
  }
}

export const agents = new Agents();
