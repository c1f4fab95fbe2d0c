// The facts about the open change: failed tests, coverage and findings of tools.
import { factKey, type CardAnchor } from '../../lib/diff/card-placement';
import {
  coverageFact,
  factsByLine,
  failedLines,
  lineState,
  type FactsOfLine,
  type LineFact,
} from '../../lib/diff/line-facts';
import type { Line } from '../../lib/diff/lines';
import { factsTexts } from '../../lib/texts/facts';
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { Facts, LineState } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { prefs } from '../app/prefs.svelte';
import { change } from './change.svelte';
import { openChange } from './open-change.svelte';

class FactsState {
  view = $state.raw<Facts | null>(null);
  error = $state.raw<CoreError | null>(null);
  loading = $state(false);
  #change = '';

  /** Loads the facts, once for each change, or again. */
  async load(again = false): Promise<void> {
    const id = openChange.view?.change_id ?? '';
    if (!id || (id === this.#change && !again)) return;
    if (id !== this.#change) this.view = null;
    this.#change = id;
    this.error = null;
    this.loading = true;
    try {
      const view = await openChange.call((change_id) =>
        connection.client.call('change.facts', { change_id, again }),
      );
      if (id === this.#change) this.view = view;
    } catch (thrown) {
      if (id === this.#change) this.error = toCoreError(thrown);
    } finally {
      if (id === this.#change) this.loading = false;
    }
  }

  #paths = $derived(new Map(openChange.view?.files.map((file, index) => [file.path, index])));
  #coverage = $derived.by(
    () => new Map(this.view?.coverage.map((file) => [this.#paths.get(file.path) ?? -1, file])),
  );
  #byLine = $derived(this.view ? factsByLine(this.view) : new Map<string, Map<number, FactsOfLine>>());
  #failed = $derived(this.view ? failedLines(this.view) : new Map<string, Map<number, string>>());

  /** Returns the mark of a line. A failed test has priority over coverage. Only added lines show coverage. */
  factOf = $derived.by((): ((line: Line) => LineFact | null) => {
    if (!prefs.values.facts || !this.view) return () => null;
    const [coverage, failed] = [this.#coverage, this.#failed];
    const files = openChange.view?.files ?? [];
    return (line) => {
      if (line.new === null) return null;
      const test = failed.get(files[line.file]?.path ?? '')?.get(line.new);
      if (test !== undefined) return { kind: 'failed', title: factsTexts.line.failed(test) };
      return line.kind === '+' ? coverageFact(coverage.get(line.file), line.new) : null;
    };
  });

  /** The cards after lines. Findings of tools are shown only on lines that the change adds. */
  cards = $derived.by((): CardAnchor[] => {
    void change.version;
    if (!prefs.values.facts) return [];
    return [...this.#byLine].flatMap(([path, lines]) => {
      const file = this.#paths.get(path);
      if (file === undefined) return [];
      const added = addedLines(file);
      return [...lines].flatMap(([line, { failures, findings }]) => {
        const shown =
          failures.length > 0 || findings.some((one) => touches(added, one.line_start, one.line_end));
        return shown ? [{ id: factKey(file, line), file, side: 'new' as const, line, onlyAtLine: true }] : [];
      });
    });
  });

  /** Returns the facts of a card. */
  ofCard(id: string): FactsOfLine | null {
    const [file, line] = id.split(':').slice(1).map(Number);
    const path = openChange.view?.files[file ?? -1]?.path ?? '';
    return this.#byLine.get(path)?.get(line ?? -1) ?? null;
  }

  /** The numbers of added lines by state, for each measured file that has some. */
  addedByFile = $derived.by(() => {
    void change.version;
    const counts: { path: string; file: number; stale: boolean; lines: Record<LineState, number> }[] = [];
    for (const [file, coverage] of this.#coverage) {
      const lines = { covered: 0, partial: 0, uncovered: 0 };
      for (const line of addedLines(file)) {
        const state = lineState(coverage, line);
        if (state) lines[state] += 1;
      }
      if (lines.covered + lines.partial + lines.uncovered > 0)
        counts.push({ path: coverage.path, file, stale: coverage.stale, lines });
    }
    return counts;
  });

  /** The facts in numbers. Stale ones are not counted. */
  numbers = $derived.by(() => {
    const current = <T extends { stale: boolean }>(all: T[] | undefined) =>
      (all ?? []).filter((one) => !one.stale);
    return {
      failed: current(this.view?.failures).length,
      uncovered: current(this.addedByFile).reduce((sum, { lines }) => sum + lines.uncovered, 0),
      tools: current(this.view?.findings).filter(({ path, line_start, line_end }) =>
        touches(addedLines(this.#paths.get(path) ?? -1), line_start, line_end),
      ).length,
    };
  });
}

/** Returns the added lines of a file that are loaded. */
function addedLines(file: number): ReadonlySet<number> {
  const lines = (change.loaded.hunks[file] ?? []).flatMap((hunk) => hunk?.lines ?? []);
  return new Set(lines.flatMap((line) => (line.kind === '+' && line.new !== null ? [line.new] : [])));
}

function touches(added: ReadonlySet<number>, from: number, to: number): boolean {
  for (const line of added) if (line >= from && line <= to) return true;
  return false;
}

export const facts = new FactsState();
