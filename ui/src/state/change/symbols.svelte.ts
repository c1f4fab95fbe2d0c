// The definitions that the change touches, and navigation to a line.
import type { Side, SymbolView } from '../../rpc/types.gen';
import { change } from './change.svelte';
import { fileFolds } from './file-folds.svelte';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';
import { openChange } from './open-change.svelte';
import { reading } from './reading.svelte';
import { rendered } from './rendered.svelte';
import { rows } from './rows.svelte';
import { viewed } from './viewed.svelte';

class Symbols {
  all = $state.raw<SymbolView[]>([]);
  #of = '';

  /** Loads the definitions, once for each change. */
  async load(): Promise<void> {
    const fingerprint = openChange.view?.fingerprint ?? '';
    if (!fingerprint || this.#of === fingerprint) return;
    this.all = [];
    this.#of = fingerprint;
    try {
      const view = await openChange.call((change_id) =>
        connection.client.call('change.symbols', { change_id }),
      );
      if (this.#of === fingerprint) this.all = view.symbols;
    } catch {
      // Files can still be found. The next call tries again.
      this.#of = '';
    }
  }
}

/** Returns the definitions around a line of the new side, outermost first. */
export function definitionsAround(file: number, line: number): SymbolView[] {
  const around = symbols.all.filter((one) => one.file === file && one.line < line && one.last >= line);
  return around.sort((one, other) => one.line - other.line || other.last - one.last);
}

/** Goes to the first of the lines that is shown, or else to the file. */
export function showLine(file: number, lines: readonly number[], side: Side = 'new'): void {
  if (fileFolds.isFolded(file)) fileFolds.set(file, false);
  rendered.showText(file);
  const hunks = change.loaded.hunks[file] ?? [];
  hunks.forEach((hunk, index) => {
    const there = hunk.lines.filter((line) => line[side] !== null && lines.includes(line[side]));
    if (there.length > 0) viewed.fold(file, index, false);
    there.forEach((line) => reading.reveal(line));
  });
  const key = lines.map((line) => rows.keyOfLine(file, line, side)).find((key) => key !== null);
  desk.view = 'diff';
  desk.reveal = { key: key ?? `f${file}`, align: key ? 'center' : 'start' };
}

export const symbols = new Symbols();
