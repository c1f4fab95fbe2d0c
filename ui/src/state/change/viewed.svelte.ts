// Viewed marks of files and hunks. The core carries them over to later rounds.
import { SvelteMap, SvelteSet } from 'svelte/reactivity';
import { splitPath } from '../../lib/text/format';
import { changeTexts } from '../../lib/texts/change';
import type { ChangeView } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { queueWrite } from '../app/write-queue';
import { notices } from '../app/notices.svelte';
import { openChange } from './open-change.svelte';
import { undo, type Step } from '../app/undo.svelte';

class Viewed {
  #seen = new SvelteMap<number, ReadonlySet<number>>();
  /** Viewed hunks that the user has unfolded. */
  #unfolded = new SvelteSet<string>();

  adopt(view: ChangeView): void {
    this.#seen.clear();
    this.#unfolded.clear();
    view.files.forEach((file, index) => {
      if (file.viewed.length > 0) this.#seen.set(index, new Set(file.viewed));
    });
  }

  isHunk(file: number, hunk: number): boolean {
    return this.#seen.get(file)?.has(hunk) ?? false;
  }

  /** Returns the number of viewed hunks of a file. */
  count(file: number): number {
    return this.#seen.get(file)?.size ?? 0;
  }

  isFile(file: number): boolean {
    const seen = this.#seen.get(file)?.size ?? 0;
    return seen > 0 && seen >= unitsOf(file);
  }

  /** The number of files that are completely viewed. */
  files = $derived.by(() => (openChange.view?.files ?? []).filter((_, file) => this.isFile(file)).length);

  isFolded(file: number, hunk: number): boolean {
    return this.isHunk(file, hunk) && !this.#unfolded.has(`${file}.${hunk}`);
  }

  fold(file: number, hunk: number, folded: boolean): void {
    if (folded) this.#unfolded.delete(`${file}.${hunk}`);
    else this.#unfolded.add(`${file}.${hunk}`);
  }

  /** Marks a hunk or a whole file. */
  mark(file: number, hunk: number | null, seen: boolean): void {
    const name = splitPath(openChange.view?.files[file]?.path ?? '').name;
    const what = changeTexts.message.marked(name, hunk === null ? null : hunk + 1, seen);
    const before = new Set(this.#seen.get(file) ?? []);
    // eslint-disable-next-line svelte/prefer-svelte-reactivity -- replaced, never changed once shown
    const after = new Set(before);
    const units = hunk === null ? Array.from({ length: unitsOf(file) }, (_, index) => index) : [hunk];
    for (const unit of units) {
      if (seen) after.add(unit);
      else after.delete(unit);
      this.#unfolded.delete(`${file}.${unit}`);
    }
    undo.push(this.#set(file, after, what));
  }

  /** Sets and saves the marks. Returns the step that undoes it. */
  #set(file: number, after: ReadonlySet<number>, what: string): Step {
    const before = this.#seen.get(file) ?? new Set<number>();
    const { view } = openChange;
    const isShown = () => view !== null && openChange.view?.fingerprint === view.fingerprint;
    // The indices of files and hunks belong to the change that is shown now.
    const send = (hunks: number[], viewed: boolean) =>
      openChange.call((change_id) => {
        const marks = hunks.map((hunk) => ({ file, hunk }));
        return connection.client.call('change.viewed', { change_id, marks, viewed });
      }, view);
    this.#seen.set(file, after);
    const added = [...after].filter((hunk) => !before.has(hunk));
    const removed = [...before].filter((hunk) => !after.has(hunk));
    queueWrite(async () => {
      if (added.length > 0) await send(added, true);
      if (removed.length > 0) await send(removed, false);
    }).catch((thrown: unknown) => {
      if (isShown()) this.#seen.set(file, before);
      notices.fail(thrown, changeTexts.message.viewedNotSaved);
    });
    return {
      what,
      back: () => (isShown() ? this.#set(file, before, what) : null),
    };
  }
}

/** Returns the number of hunks. A file without hunks counts as one. */
const unitsOf = (file: number): number => Math.max(1, openChange.view?.files[file]?.hunks ?? 1);

export const viewed = new Viewed();
