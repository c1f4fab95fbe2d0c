// The exact prompt of the open change, for the selected agent and the extra instructions.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { PromptView } from '../../rpc/types.gen';
import { agents } from '../review/agents.svelte';
import { connection } from '../app/connection.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { chosenSkills } from './skills.svelte';

class PromptState {
  view = $state.raw<PromptView | null>(null);
  loading = $state(false);
  error = $state.raw<CoreError | null>(null);
  /** The index of the batch, for a change that is sent in several prompts. */
  batch = $state(0);
  #turn = 0;
  #shown = '';

  forget(): void {
    this.#turn += 1;
    this.#shown = '';
    this.batch = 0;
    this.view = null;
    this.error = null;
    this.loading = false;
  }

  /** Requests the prompt, unless it is already shown. */
  async load(again = false): Promise<void> {
    const agent = agents.chosen?.name ?? null;
    const model = agents.chosen ? prefs.values.models[agents.chosen.name]?.trim() || null : null;
    const instructions = prefs.values.instructions.trim() || null;
    const skills = chosenSkills();
    const inputs = JSON.stringify([
      openChange.view?.fingerprint,
      openChange.scope,
      agent,
      model,
      instructions,
      skills,
      this.batch,
    ]);
    if (!openChange.view || (inputs === this.#shown && !again)) return;
    this.#shown = inputs;
    const turn = ++this.#turn;
    this.loading = true;
    this.error = null;
    try {
      const view = await openChange.call((change_id) =>
        connection.client.call('prompt.preview', {
          change_id,
          agent,
          model,
          instructions,
          skills,
          batch: this.batch,
        }),
      );
      if (turn === this.#turn) this.view = view;
    } catch (thrown) {
      if (turn !== this.#turn) return;
      this.error = toCoreError(thrown);
      this.#shown = '';
    } finally {
      if (turn === this.#turn) this.loading = false;
    }
  }
}

export const prompt = new PromptState();
