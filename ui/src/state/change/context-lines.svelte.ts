// Unchanged lines around the hunks, loaded when the user expands them.
import { contextLines, gapKey, hiddenRange, noGap, type Gap } from '../../lib/diff/gaps';
import { changeTexts } from '../../lib/texts/change';
import { connection } from '../app/connection.svelte';
import { change } from './change.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from './open-change.svelte';

/** The number of lines that one step shows. */
const STEP = 20;
/** The maximum number of lines in one response of the core. */
const PAGE = 2_000;

class ExpandedContext {
  gaps = $state.raw<ReadonlyMap<string, Gap>>(new Map());
  /** The number of lines of each file, once it is known. */
  totals = $state.raw<ReadonlyMap<number, number>>(new Map());
  #busy = new Set<string>();

  constructor() {
    change.onShown(() => this.reset());
  }

  reset(): void {
    this.gaps = new Map();
    this.totals = new Map();
  }

  /** Whether lines outside of a file's hunks can be shown. */
  can = (file: number): boolean => {
    const view = openChange.view?.files[file];
    return (
      openChange.view?.whole_files === true && view != null && !['added', 'deleted'].includes(view.status)
    );
  };

  /** Shows hidden lines of a gap: at its top (`down`), at its bottom (`up`), or all. */
  async expand(file: number, before: number, direction: 'up' | 'down' | 'all'): Promise<void> {
    const key = gapKey(file, before);
    if (this.#busy.has(key) || !this.can(file)) return;
    this.#busy.add(key);
    try {
      while (await this.#load(file, before, direction));
    } catch (thrown) {
      notices.fail(thrown, changeTexts.message.linesNotLoaded);
    } finally {
      this.#busy.delete(key);
    }
  }

  /** Shows all lines of a file. */
  async whole(file: number): Promise<void> {
    const hunks = change.loaded.hunks[file]?.length ?? 0;
    for (let before = hunks; before >= 0; before--) await this.expand(file, before, 'all');
  }

  /** Loads one page of lines. Resolves with whether more must be loaded. */
  async #load(file: number, before: number, direction: 'up' | 'down' | 'all'): Promise<boolean> {
    const hunks = change.loaded.hunks[file] ?? [];
    const gap = this.gaps.get(gapKey(file, before)) ?? noGap;
    const range = hiddenRange(hunks, before, gap, this.totals.get(file) ?? null);
    const limit = direction === 'all' ? PAGE : STEP;
    let { from } = range;
    let to = range.to ?? from + limit - 1;
    if (to < from) return false;
    if (direction === 'up') from = Math.max(from, to - limit + 1);
    else to = Math.min(to, from + limit - 1);
    const fingerprint = openChange.view?.fingerprint;
    const view = await openChange.call((change_id) =>
      connection.client.call('change.context', { change_id, file, from, to }),
    );
    if (openChange.view?.fingerprint !== fingerprint) return false;
    const lines = contextLines(file, view, range.oldOff);
    const next: Gap =
      direction === 'up'
        ? { ...gap, below: [...lines, ...gap.below] }
        : { ...gap, above: [...gap.above, ...lines] };
    // The map is replaced, not changed. The assignment triggers reactivity.
    /* eslint-disable svelte/prefer-svelte-reactivity */
    this.gaps = new Map(this.gaps).set(gapKey(file, before), next);
    this.totals = new Map(this.totals).set(file, view.total);
    /* eslint-enable svelte/prefer-svelte-reactivity */
    return direction === 'all' && view.lines.length > 0 && to < (range.to ?? view.total);
  }
}

export const expandedContext = new ExpandedContext();
