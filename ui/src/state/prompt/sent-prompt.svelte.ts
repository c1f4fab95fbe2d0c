// The prompts of the latest run of the open change, or of the shown review.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { SentView } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { review } from '../review/review.svelte';
import { run } from '../review/run.svelte';

interface Source {
  review_id: string | null;
  run_id: string | null;
}

class SentPrompt {
  view = $state.raw<SentView | null>(null);
  error = $state.raw<CoreError | null>(null);
  /** The index of the prompt. */
  index = $state(0);
  /** The user's choice. It is valid as long as the run is the same. */
  #chosen = $state.raw<{ of: string | null; on: boolean } | null>(null);
  #turn = 0;
  #of: string | null = null;

  /** The run or review whose prompts are available. Null without one. */
  get source(): Source | null {
    const { withPrompts } = run;
    if (withPrompts) return { run_id: withPrompts.run_id, review_id: null };
    const shown = review.view;
    return shown?.run_dir ? { run_id: null, review_id: shown.review_id } : null;
  }

  /** The id of the source. */
  get name(): string | null {
    return this.source?.run_id ?? this.source?.review_id ?? null;
  }

  /** Whether the sent prompt is shown in place of the next one. By default, this is so if an agent was asked about the open change. */
  get on(): boolean {
    if (!this.source) return false;
    const shown = review.view;
    if (this.#chosen?.of === this.name) return this.#chosen.on;
    return !!this.source.run_id || (!!shown && !shown.outdated && shown.meta.agent !== 'capability');
  }

  choose(on: boolean): void {
    this.#chosen = { of: this.name, on };
  }

  /** Resets the state, because another change is open. */
  forget(): void {
    this.#turn += 1;
    this.#chosen = null;
    this.index = 0;
    this.view = null;
    this.error = null;
  }

  async load(): Promise<void> {
    const source = this.source;
    if (!source) return;
    if (this.name !== this.#of) this.index = 0;
    this.#of = this.name;
    const turn = ++this.#turn;
    this.error = null;
    try {
      const view = await connection.client.call('prompt.sent', { ...source, prompt: this.index });
      if (turn === this.#turn) this.view = view;
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.view = null;
      this.error = toCoreError(thrown);
    }
  }
}

export const sentPrompt = new SentPrompt();
