// The folded files of the open change.
import { carryFolds } from '../../lib/diff/folds';
import type { ChangeView } from '../../rpc/types.gen';
import { openChange } from './open-change.svelte';
import { viewed } from './viewed.svelte';

class FileFolds {
  /** Files that the user has folded or unfolded. Other files are folded if they are ignored or viewed. */
  chosen = $state.raw<ReadonlyMap<number, boolean>>(new Map());

  set(file: number, folded: boolean): void {
    // The map is replaced, not changed. The assignment triggers reactivity.
    // eslint-disable-next-line svelte/prefer-svelte-reactivity
    this.chosen = new Map(this.chosen).set(file, folded);
  }

  isFolded(file: number): boolean {
    const view = openChange.view?.files[file];
    // An ignored image is not sent, but it is shown unfolded.
    return this.chosen.get(file) ?? ((view?.ignored != null && !view.image) || viewed.isFile(file));
  }

  /** Transfers the folds from an earlier state of the change. */
  carry(before: ChangeView, view: ChangeView): void {
    this.chosen = carryFolds(this.chosen, before, view);
  }

  reset(): void {
    this.chosen = new Map();
  }
}

export const fileFolds = new FileFolds();
