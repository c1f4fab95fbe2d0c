// Masking: allows values that are not secret, and previews the masking of a text.
import type { MaskedValue } from '../../lib/masked-values';
import { promptTexts } from '../../lib/texts/prompt';
import { toCoreError } from '../../rpc/errors';
import type { AllowedValue, TriedView } from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';

const WAIT_MS = 150;

class Masking {
  busy = $state(false);
  path = $state('');
  text = $state('');
  preview = $state.raw<TriedView | null>(null);
  error = $state<string | null>(null);
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  allow(masked: MaskedValue): Promise<void> {
    return this.#save({ value: masked.value, rule: masked.rule, place: masked.places[0]?.text ?? '' }, true);
  }

  forbid(secret: AllowedValue): Promise<void> {
    return this.#save(secret, false);
  }

  /** Masks the text while the user types. */
  runPreview(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#try(), WAIT_MS);
  }

  async #try(): Promise<void> {
    const turn = ++this.#turn;
    const { path, text } = this;
    this.error = null;
    if (!text) {
      this.preview = null;
      return;
    }
    try {
      const ask = (change_id: string | null) =>
        connection.client.call('redaction.try', { change_id, path, text });
      const tried = await (openChange.view ? openChange.call(ask) : ask(null));
      if (turn === this.#turn) this.preview = tried;
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown).message;
    }
  }

  async #save(secret: AllowedValue, allowed: boolean): Promise<void> {
    this.busy = true;
    try {
      await openChange.call((change_id) =>
        connection.client.call('redaction.allow', { change_id, secret, allowed }),
      );
      await change.refresh();
    } catch (thrown) {
      notices.fail(thrown, allowed ? promptTexts.masked.stillMasked : promptTexts.masked.stillNotMasked);
    } finally {
      this.busy = false;
    }
  }
}

export const masking = new Masking();
