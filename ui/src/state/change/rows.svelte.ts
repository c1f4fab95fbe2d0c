// The rows of the diff. Rebuilt when lines, findings, folds or the layout change.
import { countCoverage, fileMark } from '../../lib/diff/coverage';
import { linesAround } from '../../lib/diff/gaps';
import { deliveryOf, openedBy } from '../../lib/findings/reading-evidence';
import { countByFile } from '../../lib/findings/findings';
import { findingPlaces, placeCards, threadPlaces } from '../../lib/diff/card-placement';
import type { Line } from '../../lib/diff/lines';
import { patchLines, type PatchLine } from '../../lib/diff/patch';
import { buildRows, rowKey, type Row } from '../../lib/diff/rows';
import { diffTexts } from '../../lib/texts/diff';
import type { Finding, Side } from '../../rpc/types.gen';
import { callers } from './callers.svelte';
import { change } from './change.svelte';
import { fileFolds } from './file-folds.svelte';
import { facts } from './facts.svelte';
import { expandedContext } from './context-lines.svelte';
import { openChange } from './open-change.svelte';
import { peek } from './peek.svelte';
import { prefs } from '../app/prefs.svelte';
import { reading } from './reading.svelte';
import { rendered } from './rendered.svelte';
import { mergeRequest } from '../posting/merge-request.svelte';
import { agents } from '../review/agents.svelte';
import { review } from '../review/review.svelte';
import { viewed } from './viewed.svelte';
import { findingEditor } from '../findings/finding-editor.svelte';

class Rows {
  // A decision does not move a card, so only keys and anchors count.
  #placed = $derived(review.findings.map((view) => view.finding.key + view.finding.anchor.line_end).join());
  #places = $derived.by(() => {
    void [this.#placed, change.version];
    const all = [
      ...threadPlaces(mergeRequest.shown),
      ...findingPlaces(review.findings),
      ...findingEditor.anchors,
      ...facts.cards,
      ...callers.cards,
      ...(peek.anchor ? [peek.anchor] : []),
    ];
    return placeCards(all, change.loaded, expandedContext.gaps);
  });

  /** Whether the diff shows findings or threads. */
  hasCards = $derived(this.#places.size > 0);

  all = $derived.by((): Row[] => {
    void [change.version, fileFolds.chosen];
    const files = openChange.view?.files ?? [];
    return buildRows({
      files,
      loaded: change.loaded,
      mode: prefs.values.mode,
      folded: (file) => fileFolds.isFolded(file),
      places: this.#places,
      whole: expandedContext.can,
      gaps: expandedContext.gaps,
      totals: expandedContext.totals,
      hunkFolded: (file, hunk) => viewed.isFolded(file, hunk),
      ignoreWhitespace: prefs.values.ignoreWhitespace,
      folds: reading.folds,
      folding: reading.folding,
      foldOpen: (fold, hasCards) => reading.isOpen(fold, hasCards),
      rendered: (file) => rendered.placeOf(file),
      sections: reading.sections,
    });
  });

  /** The width of the widest line, in columns. */
  columns = $derived.by(() => {
    void change.version;
    let most = 0;
    for (const hunks of change.loaded.hunks)
      for (const hunk of hunks) for (const line of hunk.lines) most = Math.max(most, line.columns);
    return most;
  });

  /** The number of digits of the greatest line number. */
  digits = $derived.by(() => {
    void change.version;
    let most = 99;
    for (const hunks of change.loaded.hunks) {
      const last = hunks.at(-1)?.lines.at(-1);
      if (last) most = Math.max(most, last.old ?? 0, last.new ?? 0);
    }
    return String(most).length;
  });

  findingsByFile = $derived(countByFile(review.findings));

  #coverageByPath = $derived(new Map(change.prepared?.coverage.files.map((file) => [file.path, file])));
  /** The evidence of reading of the current review, if it is a review of this version. */
  #evidence = $derived(review.view && !review.view.outdated ? review.view.meta.reading : null);
  coverageCounts = $derived(change.prepared ? countCoverage(change.prepared.coverage) : null);

  #rowOfLine(file: number, line: number, side: Side): Row | undefined {
    return this.all.find(
      (row) =>
        (row.kind === 'line' && row.file === file && row.line[side] === line) ||
        (row.kind === 'pair' && row.file === file && pairSide(row, side)?.[side] === line),
    );
  }

  /** Returns the key of the row that shows a line. Null if it is not shown. */
  keyOfLine(file: number, line: number, side: Side = 'new'): string | null {
    const row = this.#rowOfLine(file, line, side);
    return row ? rowKey(row) : null;
  }

  /** Returns a line. Null if it is not shown. */
  lineAt(file: number, line: number, side: Side = 'new'): Line | null {
    const row = this.#rowOfLine(file, line, side);
    return row?.kind === 'line' ? row.line : row?.kind === 'pair' ? pairSide(row, side) : null;
  }

  /** Returns the number of the line of the new side that follows a removed line, if its hunk has one. */
  nextNewLine(line: Line): number | null {
    const lines = change.loaded.hunks[line.file]?.[line.hunk]?.lines ?? [];
    return lines.slice(line.index).find((one) => one.new !== null)?.new ?? null;
  }

  /** Returns the mark of a file that is not sent completely. */
  markOf(file: number): string | null {
    const view = openChange.view?.files[file];
    if (!view) return null;
    return view.ignored != null ? diffTexts.mark.notReviewed : fileMark(this.#coverageByPath.get(view.path));
  }

  /** Returns the agents of the current review that opened a file, as text. */
  openedBy(file: number): string | null {
    const path = openChange.view?.files[file]?.path;
    return path == null ? null : openedBy(this.#evidence, path, (name) => agents.titleOf(name));
  }

  /** Returns how a hunk was delivered to the agents of the current review, if there is something to say. */
  deliveryOf(file: number, hunk: number): string | null {
    const path = openChange.view?.files[file]?.path;
    const first = path == null ? undefined : this.#coverageByPath.get(path)?.hunks[hunk];
    if (path == null || !first) return null;
    return deliveryOf(this.#evidence, path, { old: first.old_start, new: first.new_start });
  }

  /** Returns lines of the head around a line. Null unless all of them are loaded. */
  around(file: number | null | undefined, line: number, above: number, below: number): string[] | null {
    void change.version;
    return file == null
      ? null
      : linesAround(file, change.loaded, expandedContext.gaps, line - above, line + below);
  }

  /** Returns a finding's suggested patch, with the lines that it replaces where they are loaded. */
  patchOf(finding: Finding, file: number | null | undefined): PatchLine[] | null {
    const patch = finding.suggested_patch;
    if (!patch) return null;
    const { line_start: from, line_end: to } = finding.anchor;
    const replaced: string[] = [];
    if (patch.format === 'replacement' && file != null && from != null && to != null) {
      for (const hunk of change.loaded.hunks[file] ?? []) {
        for (const line of hunk.lines)
          if (line.new !== null && line.new >= from && line.new <= to) replaced.push(line.text);
      }
    }
    return patchLines(patch, replaced);
  }
}

const pairSide = (row: Extract<Row, { kind: 'pair' }>, side: Side): Line | null =>
  side === 'old' ? row.left : row.right;

export const rows = new Rows();
