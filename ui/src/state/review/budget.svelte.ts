// The ways to review a change that exceeds the limits of one prompt, and the user's choice among them.
import { costOf, costOfFiles, percent, type BudgetChoice, type Cost } from '../../lib/budget';
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { Budget, ReviewScope } from '../../rpc/types.gen';
import { SvelteSet } from 'svelte/reactivity';
import { agents } from './agents.svelte';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { run } from './run.svelte';

class BudgetState {
  view = $state.raw<Budget | null>(null);
  error = $state.raw<CoreError | null>(null);
  busy = $state(false);
  choice = $state<BudgetChoice>('split');
  /** The selected files, by index. */
  files = new SvelteSet<number>();
  /** The change whose part that fits is reviewed by the user's choice. */
  #accepted = $state('');
  #loaded = '';

  /** Whether only the built-in reviewer is chosen, which reads the files itself. */
  #needsNoPrompt = $derived(agents.asked.length > 0 && agents.asked.every((agent) => agent.built_in));
  /** Whether the limits cut the change. */
  isOver = $derived(change.prepared?.truncation.truncated === true && !this.#needsNoPrompt);
  /** Whether the user chose the part that is sent. */
  isChosen = $derived(
    openChange.scope !== null || (this.isOver && this.#accepted === openChange.view?.fingerprint),
  );
  /** The share of changed lines that fit into one prompt. Null until it is known. */
  share = $derived.by(() => {
    const fitting = this.view?.options.find((option) => option.choice === 'truncate');
    return this.view && fitting ? percent(fitting.lines, this.view.lines) : null;
  });

  /** Returns whether the user must choose what is sent before a review. */
  async needsChoice(): Promise<boolean> {
    if (this.#needsNoPrompt) return false;
    await change.preparing;
    return this.isOver && !this.isChosen;
  }

  /** Loads the costs for the open change and the selected agent. */
  async load(): Promise<void> {
    const { view } = openChange;
    const agent = agents.chosen && !agents.chosen.built_in ? agents.chosen.name : null;
    const model = agent ? prefs.values.models[agent]?.trim() || null : null;
    const inputs = JSON.stringify([view?.change_id, agent, model]);
    if (!view || inputs === this.#loaded) return;
    this.#loaded = inputs;
    this.error = null;
    try {
      const budget = await openChange.call((change_id) =>
        connection.client.call('change.budget', { change_id, agent, model }),
      );
      if (inputs === this.#loaded) this.view = budget;
    } catch (thrown) {
      if (inputs !== this.#loaded) return;
      this.error = toCoreError(thrown);
      this.#loaded = '';
    }
  }

  /** Forgets the costs and the selection, because another change is shown. */
  reset(): void {
    this.#loaded = '';
    this.view = null;
    this.error = null;
    this.choice = 'split';
    this.files.clear();
  }

  costOf(choice: BudgetChoice): Cost | null {
    if (!this.view) return null;
    if (choice === 'files') return costOfFiles(this.view, [...this.files]);
    const option = this.view.options.find((one) => one.choice === choice);
    return option ? costOf(option) : null;
  }

  /** Applies the choice to the open change, and starts the review. */
  async review(): Promise<void> {
    const scope = this.#scope();
    if (scope === undefined || this.busy) return;
    const fingerprint = openChange.view?.fingerprint;
    this.busy = true;
    try {
      if (scope === null) this.#accepted = fingerprint ?? '';
      const applied = scope === openChange.scope || (await this.#apply(scope));
      if (applied && openChange.view?.fingerprint === fingerprint) void run.start();
    } finally {
      this.busy = false;
    }
  }

  /** Opens the change again with a scope. Returns whether that succeeded. */
  async #apply(scope: ReviewScope | null): Promise<boolean> {
    const { target, since, pinnedReview, note, currentTarget } = openChange;
    if (!target) return false;
    await change.open(target, since, pinnedReview, { scope });
    if (openChange.scope !== scope) return false;
    [openChange.note, openChange.currentTarget] = [note, currentTarget];
    openChange.nameAsReviewed();
    return true;
  }

  /** Returns the scope of the choice. Null follows the settings. Undefined if nothing can be sent. */
  #scope(): ReviewScope | null | undefined {
    const limits = this.view?.options.find((one) => one.choice === this.choice)?.limits;
    if (this.choice === 'truncate') return null;
    if (this.choice !== 'files') return limits ? { limits, files: null } : undefined;
    const paths = [...this.files].flatMap((file) => openChange.view?.files[file]?.path ?? []);
    const split = this.view?.options.find((one) => one.choice === 'split')?.limits;
    // The selected files are sent completely, in several prompts if they exceed the limits.
    return split && paths.length > 0 ? { limits: split, files: paths } : undefined;
  }
}

export const budget = new BudgetState();
change.onShown((other) => {
  if (other) budget.reset();
});
