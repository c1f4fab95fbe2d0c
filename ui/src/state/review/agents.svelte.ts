// The agents that diffsan knows, and the one that reviews.
import { checkFailed, checkSucceeded, type CheckStatus } from '../../lib/agent-check';
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { AgentView, ErrorInfo, LastCheckView } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { prefs } from '../app/prefs.svelte';

class Agents {
  all = $state.raw<AgentView[]>([]);
  default = $state<string | null>(null);
  loading = $state(false);
  loaded = $state(false);
  error = $state.raw<CoreError | null>(null);

  /** Those that can be asked: installed programs, and endpoints that are set up. */
  installed = $derived(
    this.all.filter(
      (agent) => agent.missing == null || (agent.needs_model && !!prefs.values.models[agent.name]),
    ),
  );
  /** Those that were installed; the reviewer that is built in is always there. */
  external = $derived(this.installed.filter((agent) => !agent.built_in));
  /** The reviewer's own choice if it is installed, else the core's. */
  chosen = $derived(
    this.installed.find((agent) => agent.name === prefs.values.agent) ??
      this.installed.find((agent) => agent.name === this.default) ??
      this.installed[0] ??
      null,
  );

  /** Those that review side by side with it. */
  also = $derived(
    this.installed.filter((agent) => agent !== this.chosen && prefs.values.also.includes(agent.name)),
  );
  /** Everybody who is asked, the chosen one first. */
  asked = $derived(this.chosen ? [this.chosen, ...this.also] : []);

  /** Looks for them anew: one may have been installed meanwhile. */
  load(): Promise<void> {
    return (this.#look = this.#search());
  }
  #look: Promise<void> | null = null;

  /** Resolves once they were looked for. */
  async whenLoaded(): Promise<void> {
    if (!this.loaded) await (this.#look ?? this.load());
  }

  async #search(): Promise<void> {
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
      this.loaded = true;
    }
  }

  /** Asks an agent one line, to see whether it works. The core remembers what came of it; a cancelled one says nothing. */
  async check(name: string, model: string, signal: AbortSignal): Promise<CheckStatus | null> {
    const at = new Date().toISOString();
    try {
      const found = await connection.client.call('agents.check', { name, model: model || null }, signal);
      this.#remember(name, { at, found });
      return checkSucceeded(found);
    } catch (thrown) {
      const error = toCoreError(thrown);
      if (error.cancelled) return null;
      if (error.info.error_code) this.#remember(name, { at, error: error.info as ErrorInfo });
      return checkFailed({ message: error.message, hint: error.info.hint });
    }
  }

  #remember(name: string, checked: LastCheckView): void {
    this.all = this.all.map((agent) => (agent.name === name ? { ...agent, checked } : agent));
  }

  /** The names of agents, joined by commas, for people. */
  titleOf(names: string): string {
    const title = (name: string) => this.all.find((agent) => agent.name === name)?.title ?? name;
    return names
      .split(',')
      .map((name) => title(name.trim()))
      .join(', ');
  }
}

export const agents = new Agents();
