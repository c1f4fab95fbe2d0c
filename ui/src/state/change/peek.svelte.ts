// The line below which the results of a question about a name are shown.
import { peekKey, type CardAnchor } from '../../lib/diff/card-placement';
import type { Side } from '../../rpc/types.gen';
import { desk } from '../desk/desk.svelte';
import { change } from './change.svelte';
import { openChange } from './open-change.svelte';

class Peek {
  anchor = $state.raw<CardAnchor | null>(null);
  /** Whether the results take the focus when they are drawn. Scrolling away and back does not take it again. */
  wantsFocus = false;
  #of = '';

  constructor() {
    change.onShown(() => {
      if ((openChange.view?.fingerprint ?? '') !== this.#of) this.close();
    });
  }

  /** Shows the results below a line. */
  open(file: number, side: Side, line: number): void {
    this.#of = openChange.view?.fingerprint ?? '';
    this.anchor = { id: peekKey, file, side, line, onlyAtLine: true };
    this.wantsFocus = true;
    this.reveal();
  }

  close(): void {
    this.anchor = null;
  }

  /** Scrolls the results into view. Their height changes when they arrive. */
  reveal(): void {
    if (this.anchor) desk.reveal = { key: `c${peekKey}`, align: 'nearest' };
  }
}

export const peek = new Peek();
