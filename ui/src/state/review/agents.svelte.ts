// The known agents, and the ones that review.
import { checkFailed, checkSucceeded, type CheckStatus } from '../../lib/agent-check';
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { AgentView, ErrorInfo, LastCheck } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { prefs } from '../app/prefs.svelte';

/** The maximum number of runs in the core. */
export const MAX_RUNS = 20;

class Agents {
  all = $state.raw<AgentView[]>([]);
  default = $state<string | null>(null);
  loading = $state(false);
  loaded = $state(false);
  error = $state.raw<CoreError | null>(null);

  /** Agents that can be asked: installed programs, and endpoints that are configured. */
  installed = $derived(
    this.all.filter(
      (agent) => agent.missing == null || (agent.needs_model && !!prefs.values.models[agent.name]),
    ),
  );
  /** Installed agents, without the built-in capability reviewer. */
  external = $derived(this.installed.filter((agent) => !agent.built_in));
  /** The user's choice if it is installed, or else the core's default. */
  chosen = $derived(
    this.installed.find((agent) => agent.name === prefs.values.agent) ??
      this.installed.find((agent) => agent.name === this.default) ??
      this.installed[0] ??
      null,
  );

  /** Agents that review in addition to the selected one. */
  also = $derived(
    this.installed.filter(
      (agent) => agent !== this.chosen && prefs.values.additionalAgents.includes(agent.name),
    ),
  );
  /** All agents that review, the selected one first. */
  asked = $derived(this.chosen ? [this.chosen, ...this.also] : []);

  /** How often each agent is asked the same prompt. */
  get runs(): number {
    return Math.min(MAX_RUNS, Math.max(1, Math.round(prefs.values.runs) || 1));
  }

  /** The number of times that the prompts of a review are sent. Agents that are built in get none. */
  get timesSent(): number {
    return this.asked.filter((agent) => !agent.built_in).length * this.runs;
  }

  /** Searches for agents again, because one may have been installed. */
  load(): Promise<void> {
    return (this.#loadingAgents = this.#search());
  }
  #loadingAgents: Promise<void> | null = null;

  /** Resolves when the agents are known. */
  async whenLoaded(): Promise<void> {
    if (!this.loaded) await (this.#loadingAgents ?? this.load());
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

  /** Sends a test question to an agent. The core stores the result. Resolves with null if it was cancelled. */
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

  #remember(name: string, checked: LastCheck): void {
    this.all = this.all.map((agent) => (agent.name === name ? { ...agent, checked } : agent));
  }

  /** Returns the titles of agents. `names` is a list separated by commas. */
  titleOf(names: string): string {
    const title = (name: string) => this.all.find((agent) => agent.name === name)?.title ?? name;
    return names
      .split(',')
      .map((name) => title(name.trim()))
      .join(', ');
  }
}

export const agents = new Agents();
