// The exact prompt of the open change, for the chosen agent and the words that this review adds.
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
  /** Which part of a change that is sent in several, from 0. */
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

  /** Asks for the prompt, unless it is shown already. */
  async load(again = false): Promise<void> {
    const agent = agents.chosen?.name ?? null;
    const model = agents.chosen ? prefs.values.models[agents.chosen.name]?.trim() || null : null;
    const instructions = prefs.values.instructions.trim() || null;
    const skills = chosenSkills();
    const asks = JSON.stringify([
      openChange.view?.fingerprint,
      agent,
      model,
      instructions,
      skills,
      this.batch,
    ]);
    if (!openChange.view || (asks === this.#shown && !again)) return;
    this.#shown = asks;
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
