// The unchanged callers of the signatures that the change edits or removes, shown beside each signature.
import { callersKey, type CardAnchor } from '../../lib/diff/card-placement';
import type { ChangedSignature, Side } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { prefs } from '../app/prefs.svelte';
import { change } from './change.svelte';
import { openChange } from './open-change.svelte';

const sideOf = ({ removed }: ChangedSignature): Side => (removed ? 'old' : 'new');

class Callers {
  #signatures = $state.raw<ChangedSignature[]>([]);
  /** The cards whose list is open. */
  #open = $state.raw<ReadonlySet<string>>(new Set());
  #of = '';

  constructor() {
    change.onShown(() => {
      const fingerprint = openChange.view?.fingerprint ?? '';
      if (fingerprint === this.#of) return;
      this.#of = fingerprint;
      this.#signatures = [];
      this.#open = new Set();
    });
  }

  /** Loads the callers. The symbols of the change should have been read before. */
  async load(signal: AbortSignal): Promise<void> {
    const of = this.#of;
    const { signatures } = await openChange.call((change_id) =>
      connection.client.call('navigation.signatures', { change_id }, signal),
    );
    if (of === this.#of) this.#signatures = signatures;
  }

  #byKey = $derived.by(() => {
    void change.version;
    const shown = this.#signatures.map((signature) => ({ signature, anchor: anchorOf(signature) }));
    return new Map(
      shown.flatMap((one) => (one.anchor ? [[one.anchor.id, { ...one, anchor: one.anchor }]] : [])),
    );
  });

  /** The cards after the lines of signatures. */
  cards = $derived.by((): CardAnchor[] =>
    prefs.values.callers ? [...this.#byKey.values()].map(({ anchor }) => anchor) : [],
  );

  ofCard(id: string): ChangedSignature | null {
    return this.#byKey.get(id)?.signature ?? null;
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  toggle(id: string): void {
    const others = [...this.#open].filter((one) => one !== id);
    this.#open = new Set(this.#open.has(id) ? others : [...others, id]);
  }
}

/** Returns the card of a signature, after the first of its lines that the diff shows. Null if it shows none. */
function anchorOf(signature: ChangedSignature): CardAnchor | null {
  const side = sideOf(signature);
  const { path, line: from, last_line: to } = signature.place;
  const file = (openChange.view?.files ?? []).findIndex(
    (one) => (side === 'old' ? (one.old_path ?? one.path) : one.path) === path,
  );
  const lines = (change.loaded.hunks[file] ?? []).flatMap((hunk) => hunk?.lines ?? []);
  const line = lines
    .map((one) => one[side])
    .find((number) => number !== null && number >= from && number <= to);
  return line == null ? null : { id: callersKey(file, side, line), file, side, line, onlyAtLine: true };
}

export const callers = new Callers();
