// The running reviews of the core: their progress and their ends. Every page follows all of them.
import { fromInfo, type CoreError } from '../../rpc/errors';
import type { LiveRun, ReviewEvent, ReviewParams, RunEnd } from '../../rpc/types.gen';
import { agents } from './agents.svelte';
import { tellEnded } from '../../rpc/desktop';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { change } from '../change/change.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { repos } from '../app/repos.svelte';
import { reviewReload } from './review-reload';
import { chosenSkills } from '../prompt/skills.svelte';
import { runTexts } from '../../lib/texts/run';

export const steps = ['fetch', 'prepare', 'room', 'prompt', 'agent', 'validate', 'verify'] as const;

/** The steps before the run folder contains a prompt. */
const EARLY_STEPS = ['fetch', 'prepare'];
const LOG_LINES = 200;
const TICK_MS = 500;

/** A run, and the start of its clock in the page's time. */
export interface FollowedRun extends LiveRun {
  startedAt: number;
}

/** The result of the latest run of the open change that did not produce a review. */
export type Outcome =
  | { kind: 'failed'; run: FollowedRun; error: CoreError; runDir: string }
  | { kind: 'cancelled'; run: FollowedRun }
  | { kind: 'skipped'; run: FollowedRun; message: string; reason: string };

class Run {
  /** The running reviews and the failed ones, oldest first. */
  #all = $state.raw<FollowedRun[]>([]);
  /** The end of a run that the core does not keep. It is shown until another change is opened. */
  #ended = $state.raw<Outcome | null>(null);
  #now = $state(performance.now());
  #clock: ReturnType<typeof setInterval> | undefined;
  /** Called after the review of the open change is shown. */
  onReviewed: () => void = () => {};
  /** Increased when the user asks for a review that is already running. */
  attention = $state(0);

  /** The running review of the open change. */
  current = $derived(this.#all.find((run) => !run.failure && run.change === openChange.view?.review_key));
  /** The running reviews of other changes. */
  elsewhere = $derived(this.#all.filter((run) => !run.failure && run !== this.current));
  outcome = $derived.by((): Outcome | null => {
    const key = openChange.view?.review_key;
    const failed = this.#all.find((run) => run.failure && run.change === key);
    if (failed?.failure) {
      const { error, run_dir } = failed.failure;
      return { kind: 'failed', run: failed, error: fromInfo(error), runDir: run_dir };
    }
    return this.#ended?.run.change === key ? this.#ended : null;
  });

  constructor() {
    change.onShown((other) => {
      if (other) this.#ended = null;
    });
  }

  /** Whether the open change is being reviewed. */
  get running(): boolean {
    return this.current !== undefined;
  }

  /** The run of the open change whose prompts can be read: the running one, or one without a review. */
  get withPrompts(): FollowedRun | null {
    const outcome = this.outcome?.kind === 'skipped' ? null : this.outcome;
    const run = this.current ?? outcome?.run;
    return run && !EARLY_STEPS.includes(run.step) ? run : null;
  }

  /** The milliseconds since the start of a run. */
  elapsed(run: FollowedRun): number {
    return Math.max(0, this.#now - run.startedAt);
  }

  /** Follows the runs from now on. Call it again after the connection was lost. */
  async follow(): Promise<void> {
    await connection.client.subscribe('review.follow', {}, (event) => this.#onEvent(event));
  }

  async start(anyway = false): Promise<void> {
    const asked = agents.asked;
    const first = asked[0];
    if (!first) return;
    // The selected model belongs to one agent. With several agents, each uses its own model.
    const model = asked.length > 1 ? null : prefs.values.models[first.name]?.trim() || null;
    await this.#start({
      agents: asked.map((agent) => agent.name),
      model,
      instructions: prefs.values.instructions.trim() || null,
      skills: chosenSkills(),
      anyway,
      runs: agents.runs,
      resume: null,
    });
  }

  /** Resumes an interrupted run. The core knows its settings and its answers so far. */
  async resume(run_id: string, names: string[]): Promise<void> {
    await this.#start({
      agents: names,
      model: null,
      instructions: null,
      skills: null,
      anyway: false,
      runs: 0,
      resume: run_id,
    });
  }

  async #start(params: Omit<ReviewParams, 'change_id'>): Promise<void> {
    if (this.running) return void (this.attention += 1);
    try {
      const started = await openChange.call((change_id) =>
        connection.client.call('review.start', { change_id, ...params }),
      );
      if (!started.new) this.attention += 1;
    } catch (thrown) {
      notices.fail(thrown, runTexts.run.notStarted, () => void this.#start(params));
    }
  }

  /** Cancels a run, by default that of the open change. */
  cancel(run_id = this.current?.run_id): void {
    if (!run_id) return;
    connection.client
      .call('review.cancel', { run_id })
      .catch((thrown: unknown) => notices.fail(thrown, runTexts.run.notCancelled));
  }

  /** Closes the outcome. */
  closeOutcome(): void {
    const { outcome } = this;
    this.#ended = null;
    if (outcome?.kind !== 'failed') return;
    const { run_id } = outcome.run;
    this.#remove(run_id);
    connection.client
      .call('review.close', { run_id })
      .catch((thrown: unknown) => notices.fail(thrown, runTexts.run.notClosed));
  }

  /** Opens the change that a run reviews. */
  open({ repo, target }: LiveRun): void {
    void (repo ? repos.open(repo, target) : repos.openWithoutRepository(target));
  }

  #onEvent(event: ReviewEvent): void {
    switch (event.kind) {
      case 'snapshot': {
        const { current } = this;
        this.#set(event.runs.map(followed));
        // A run that is missing ended while the page was not connected.
        const ended = current && !event.runs.some((run) => run.run_id === current.run_id);
        return void reviewReload.load(ended);
      }
      case 'started': {
        const { run } = event;
        if (this.#ended?.run.change === run.change) this.#ended = null;
        return this.#set([...this.#all.filter((one) => one.change !== run.change), followed(run)]);
      }
      case 'agents':
        return this.#update(event.run_id, () => ({ agents: event.agents }));
      case 'progress':
        return this.#update(event.run_id, (run) => ({
          step: event.step ?? run.step,
          has_room: run.has_room || event.step === 'room',
          log: [...run.log, event.line].slice(-LOG_LINES),
        }));
      case 'usage':
        return this.#update(event.run_id, (run) => ({ usage: { ...run.usage, [event.agent]: event.usage } }));
      case 'ended': {
        const run = this.#all.find((one) => one.run_id === event.run_id);
        return run && void this.#end(run, event.end);
      }
      case 'closed':
        return this.#remove(event.run_id);
      case 'edited':
        if (event.change === openChange.view?.review_key) void reviewReload.load();
    }
  }

  async #end(run: FollowedRun, end: RunEnd): Promise<void> {
    if (end.kind === 'done' || end.kind === 'failed')
      void tellEnded(end.kind === 'done' ? end.findings : null).catch(() => {});
    if (end.kind === 'failed') return this.#update(run.run_id, () => ({ failure: end.failure }));
    if (end.kind === 'cancelled') this.#ended = { kind: 'cancelled', run };
    else if (end.kind === 'skipped')
      this.#ended = { kind: 'skipped', run, message: end.message, reason: end.reason };
    // The progress is shown until the review replaces it.
    else if (run.change === openChange.view?.review_key) {
      await reviewReload.load(true);
      if (run.change === openChange.view?.review_key) this.onReviewed();
    } else
      notices.info(runTexts.run.complete(run.title), { label: runTexts.run.open, run: () => this.open(run) });
    this.#remove(run.run_id);
  }

  #update(run_id: string, update: (run: FollowedRun) => Partial<FollowedRun>): void {
    this.#set(this.#all.map((run) => (run.run_id === run_id ? { ...run, ...update(run) } : run)));
  }

  #remove(run_id: string): void {
    this.#set(this.#all.filter((run) => run.run_id !== run_id));
  }

  #set(all: FollowedRun[]): void {
    this.#all = all;
    clearInterval(this.#clock);
    this.#now = performance.now();
    if (all.some((run) => !run.failure))
      this.#clock = setInterval(() => (this.#now = performance.now()), TICK_MS);
  }
}

const followed = (run: LiveRun): FollowedRun => ({ ...run, startedAt: performance.now() - run.elapsed_ms });

/** Returns the titles of a run's agents. */
export const agentTitles = (run: LiveRun): string =>
  run.agents.map((name) => agents.titleOf(name)).join(', ');

/** Returns a progress message. With several agents, it begins with the agent's title. */
export function lineText(run: LiveRun, line: LiveRun['log'][number]): string {
  return line.agent && run.agents.length > 1
    ? `${agents.titleOf(line.agent)}: ${line.message}`
    : line.message;
}

export const run = new Run();
