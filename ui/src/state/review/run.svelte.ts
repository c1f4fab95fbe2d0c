// A running review: its progress and its outcome.
import { sameTarget } from '../../lib/target';
import { fromInfo, toCoreError, type CoreError } from '../../rpc/errors';
import type { RepoView, ReviewEvent, ReviewParams, Target } from '../../rpc/types.gen';
import { agents } from './agents.svelte';
import { tellEnded } from '../../rpc/desktop';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { repos } from '../app/repos.svelte';
import { review } from './review.svelte';
import { chosenSkills } from '../prompt/skills.svelte';

export const steps = ['fetch', 'prepare', 'room', 'prompt', 'agent', 'validate'] as const;

/** The usage of an agent so far. */
export interface RunUsage {
  tokens: number | null;
  cost: number | null;
}

export type Outcome =
  | { kind: 'failed'; error: CoreError; runDir: string | null }
  | { kind: 'cancelled'; runDir: string | null }
  | { kind: 'skipped'; message: string; reason: string };

/** The change that is being reviewed. The user may look at another one meanwhile. */
export interface RunProgress {
  repo: RepoView;
  target: Target;
  title: string;
  fingerprint: string;
}

const LOG_LINES = 200;

class Run {
  where = $state.raw<RunProgress | null>(null);
  agent = $state('');
  step = $state('');
  message = $state('');
  /** The progress messages, the latest last. */
  log = $state.raw<{ at: number; text: string }[]>([]);
  elapsed = $state(0);
  /** The usage by agent. */
  used = $state.raw<Record<string, RunUsage>>({});
  /** Whether several agents are asked. Each message then begins with the agent's title. */
  several = $state(false);
  outcome = $state.raw<Outcome | null>(null);
  /** The latest run without a review, or whose review is not finished. Its prompts can be read. */
  last = $state.raw<{ id: string; fingerprint: string } | null>(null);
  /** Called after the review of the open change is shown. */
  onReviewed: () => void = () => {};
  #id: string | null = null;
  #turn = 0;
  #startedAt = 0;
  #clock: ReturnType<typeof setInterval> | undefined;
  #stop: (() => Promise<void>) | null = null;

  /** The tokens of all agents so far. */
  get tokens(): number {
    return Object.values(this.used).reduce((sum, one) => sum + (one.tokens ?? 0), 0);
  }

  /** The costs that the agents report so far, in US dollars. */
  get cost(): number {
    return Object.values(this.used).reduce((sum, one) => sum + (one.cost ?? 0), 0);
  }

  get running(): boolean {
    return this.where !== null;
  }

  /** Whether the run reviews the open change. */
  get here(): boolean {
    const { view } = openChange;
    return this.where?.fingerprint === view?.fingerprint && sameTarget(this.where?.target, view?.target);
  }

  async start(anyway = false): Promise<void> {
    const asked = agents.asked;
    const first = asked[0];
    if (!first) return;
    const several = asked.length > 1;
    // The selected model belongs to one agent. With several agents, each uses its own model.
    const model = several ? null : prefs.values.models[first.name]?.trim() || null;
    const instructions = prefs.values.instructions.trim() || null;
    await this.#ask({
      agents: asked.map((agent) => agent.name),
      model,
      instructions,
      skills: chosenSkills(),
      anyway,
      resume: null,
    });
  }

  /** Resumes an interrupted run. The core knows its settings and its answers so far. */
  async resume(run_id: string, names: string[]): Promise<void> {
    await this.#ask({
      agents: names,
      model: null,
      instructions: null,
      skills: null,
      anyway: false,
      resume: run_id,
    });
  }

  async #ask(params: Omit<ReviewParams, 'change_id'> & { agents: string[] }): Promise<void> {
    const { repo, view } = openChange;
    if (this.running || !repo || !view) return;
    const where = { repo, target: view.target, title: view.title, fingerprint: view.fingerprint };
    const turn = this.#begin(where, params.agents.map((name) => agents.titleOf(name)).join(', '));
    this.several = params.agents.length > 1;
    try {
      const stop = await openChange.call((change_id) =>
        connection.client.subscribe('review.start', { change_id, ...params }, (event) =>
          this.#onEvent(turn, event),
        ),
      );
      if (turn === this.#turn && this.running) this.#stop = stop;
      // The run was cancelled before the subscription was active.
      else if (turn !== this.#turn) void stop().catch(() => {});
    } catch (thrown) {
      if (turn === this.#turn) this.#end({ kind: 'failed', error: toCoreError(thrown), runDir: null });
    }
  }

  /** Cancels the run at once. Later events are ignored. */
  cancel(): void {
    if (!this.running) return;
    const run_id = this.#id;
    const stop = this.#stop;
    this.#turn += 1;
    this.#end({ kind: 'cancelled', runDir: null });
    const cancelled = run_id ? connection.client.call('review.cancel', { run_id }) : stop?.();
    cancelled?.catch((thrown: unknown) => notices.fail(thrown, 'The review could not be cancelled'));
  }

  /** Ends the run, because its events are lost with the connection. */
  lost(): void {
    if (!this.running) return;
    this.#turn += 1;
    const error = toCoreError(new Error('The connection to diffsan was lost while the agent was working.'));
    this.#end({ kind: 'failed', error, runDir: null });
  }

  #begin(where: RunProgress, agent: string): number {
    this.where = where;
    this.agent = agent;
    this.step = 'fetch';
    this.message = 'Starting';
    this.log = [];
    this.used = {};
    this.outcome = null;
    this.last = null;
    this.#id = null;
    this.#stop = null;
    this.#startedAt = performance.now();
    this.elapsed = 0;
    clearInterval(this.#clock);
    this.#clock = setInterval(() => (this.elapsed = performance.now() - this.#startedAt), 500);
    return ++this.#turn;
  }

  #onEvent(turn: number, event: ReviewEvent): void {
    if (turn !== this.#turn) {
      // The run was cancelled before its id was known.
      if (event.kind === 'started')
        void connection.client.call('review.cancel', { run_id: event.run_id }).catch(() => {});
      return;
    }
    switch (event.kind) {
      case 'started':
        this.#id = event.run_id;
        if (this.where) this.last = { id: event.run_id, fingerprint: this.where.fingerprint };
        this.agent = agents.titleOf(event.agent);
        return;
      case 'step':
        this.step = event.step;
        return this.#say(event.message);
      case 'progress':
        return this.#say(this.several ? `${agents.titleOf(event.agent)}: ${event.message}` : event.message);
      case 'usage': {
        const tokens = event.tokens ? event.tokens.input + event.tokens.output : null;
        this.used = { ...this.used, [event.agent]: { tokens, cost: event.cost_usd ?? null } };
        return;
      }
      case 'skipped':
        this.last = null;
        return this.#end({ kind: 'skipped', message: event.message, reason: event.reason });
      case 'cancelled':
        return this.#end({ kind: 'cancelled', runDir: event.run_dir });
      case 'failed':
        void tellEnded(null).catch(() => {});
        return this.#end({ kind: 'failed', error: fromInfo(event.error), runDir: event.run_dir });
      case 'done': {
        const where = this.where;
        const here = this.here;
        this.last = null;
        void tellEnded(event.review.findings.length).catch(() => {});
        this.#end(null);
        if (here) {
          openChange.pinnedReview = null;
          review.adopt(event.review, []);
          this.onReviewed();
        } else if (where)
          notices.info(`The review of ${where.title} is complete.`, {
            label: 'Open',
            run: () => void repos.open(where.repo.path, where.target),
          });
      }
    }
  }

  #say(text: string): void {
    this.message = text;
    this.log = [...this.log, { at: performance.now() - this.#startedAt, text }].slice(-LOG_LINES);
  }

  #end(outcome: Outcome | null): void {
    clearInterval(this.#clock);
    this.where = null;
    this.outcome = outcome;
  }
}

export const run = new Run();
