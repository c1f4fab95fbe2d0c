// Builds the flat array of rows in the diff from the files, the loaded lines, the cards and the folds.
import type { FileView, ShownStep } from '../../rpc/types.gen';
import { gapKey, hiddenCount, hiddenRange, noGap, type Gap, type Gaps } from './gaps';
import { findMates, type Hunk, type Line, type Loaded } from './lines';
import type { CardPlacement } from './card-placement';
import { cutAtFolds, type FoldsByHunk, type LineFold, type Segment } from './noise';
import { pushLines, pushPairs } from './line-rows';
import { fileKey, type Section } from './reading-order';
import { ignoreWhitespace, type ShownLine } from './whitespace';

export type Mode = 'unified' | 'split';

export type Row =
  | { kind: 'file'; file: number; part: number }
  | { kind: 'chapter'; file: number; chapter: number }
  | {
      kind: 'hunk';
      file: number;
      hunk: number;
      header: string;
      hidden: number | null;
      folded: boolean;
      lines: number;
      /** Whether its lines are hidden, because they differ only in whitespace. */
      whitespaceOnly: boolean;
      /** The reason of its place in the reading order. Null in the usual order. */
      step: ShownStep | null;
    }
  | {
      kind: 'fold';
      file: number;
      hunk: number;
      fold: LineFold;
      open: boolean;
      added: number;
      removed: number;
      /** The index of the first line in the hunk. */
      index: number;
    }
  | { kind: 'tail'; file: number; hunk: number; hidden: number | null }
  | { kind: 'line'; file: number; line: Line }
  | { kind: 'pair'; file: number; left: Line | null; right: Line | null }
  | { kind: 'card'; file: number; id: string }
  | { kind: 'image'; file: number }
  | { kind: 'rendered'; file: number }
  | { kind: 'notice'; file: number; why: Notice; reason: string }
  | { kind: 'pending'; file: number; lines: number; hunks: number };

/** The number of context lines around a change, as in git's default. */
const CONTEXT = 3;

/** The reason why a file shows no lines, or is shown as text although it should be rendered. */
export type Notice = 'folded' | 'ignored' | 'binary' | 'empty' | 'text';

export interface RowsInput {
  files: FileView[];
  loaded: Loaded;
  mode: Mode;
  /** Whether the lines of a file are folded. */
  folded: (file: number) => boolean;
  places: CardPlacement;
  /** Whether lines outside of a file's hunks can be shown. `gaps` contains those that are. */
  whole: (file: number) => boolean;
  gaps: Gaps;
  /** The number of lines of each file, where it is known. */
  totals: ReadonlyMap<number, number>;
  /** Whether the lines of a hunk are folded. */
  hunkFolded: (file: number, hunk: number) => boolean;
  /** Whether lines that differ only in whitespace are shown as unchanged. */
  ignoreWhitespace: boolean;
  /** The lines of the hunks that can be folded. */
  folds: FoldsByHunk;
  /** Whether they are. */
  folding: boolean;
  /** Whether the lines of a fold are shown. `hasCards` says whether a card is between them. */
  foldOpen: (fold: LineFold, hasCards: boolean) => boolean;
  /** Null for a file that is shown as text. `reason` says why one is not rendered. */
  rendered: (file: number) => { reason: string | null } | null;
  /** The sections in reading order. Null for the usual order. */
  sections: readonly Section[] | null;
}

/** Returns all rows, in order. */
export function buildRows(input: RowsInput): Row[] {
  const { files, folded, places } = input;
  const rows: Row[] = [];
  const pushFile = (view: FileView, file: number, section: Section | null) => {
    const why = noticeFor(view, folded(file));
    const first = section === null || section.part === 0;
    if (section && section.begins !== null) rows.push({ kind: 'chapter', file, chapter: section.begins });
    // The row of the first section shows all lines of a folded file.
    if (why && !first) return;
    rows.push({ kind: 'file', file, part: section?.part ?? 0 });
    const place = places.get(file);
    if (first) for (const id of place?.top ?? []) rows.push({ kind: 'card', file, id });
    if (first && view.image && !folded(file)) rows.push({ kind: 'image', file });
    if (why) {
      if (why !== 'binary' || !view.image || folded(file))
        rows.push({ kind: 'notice', file, why, reason: '' });
      for (const id of place?.inLines ?? []) rows.push({ kind: 'card', file, id });
      return;
    }
    const rendered = input.rendered(file);
    if (rendered?.reason === null) {
      // The first section shows the whole file.
      if (first) rows.push({ kind: 'rendered', file });
      if (first) for (const id of place?.inLines ?? []) rows.push({ kind: 'card', file, id });
      return;
    }
    if (rendered?.reason && first) rows.push({ kind: 'notice', file, why: 'text', reason: rendered.reason });
    pushHunks(rows, view, file, input, section);
  };
  if (input.sections)
    for (const section of input.sections) {
      const view = files[section.file];
      if (view) pushFile(view, section.file, section);
    }
  else files.forEach((view, file) => pushFile(view, file, null));
  return rows;
}

const asShown = (line: Line): ShownLine => ({ line, of: [line] });

function pushHunks(
  rows: Row[],
  view: FileView,
  file: number,
  input: RowsInput,
  section: Section | null,
): void {
  const { loaded, mode, gaps, whole } = input;
  const place = input.places.get(file);
  const hunks = loaded.hunks[file] ?? [];
  const after = (line: Line) => {
    for (const id of place?.after.get(line) ?? []) rows.push({ kind: 'card', file, id });
  };
  const pushShown = (lines: readonly Line[], after: (line: Line) => void) =>
    mode === 'unified' ? pushLines(rows, lines, after) : pushPairs(rows, lines, after);
  const push = (lines: readonly Line[]) => pushShown(lines, after);
  const can = whole(file);
  const total = input.totals.get(file) ?? null;
  const hidden = (before: number, gap: Gap) =>
    can ? hiddenCount(hiddenRange(hunks, before, gap, total)) : 0;
  const pushPart = ({ fold, lines }: Segment) => {
    const behind = new Map(lines.map(({ line, of }) => [line, of]));
    const afterAll = (line: Line) => behind.get(line)?.forEach(after);
    if (fold) {
      const of = lines.flatMap((one) => one.of);
      const open = input.foldOpen(
        fold,
        of.some((line) => place?.after.has(line)),
      );
      const count = (kind: Line['kind']) => lines.filter(({ line }) => line.kind === kind).length;
      const [added, removed] = [count('+'), count('-')];
      rows.push({ kind: 'fold', file, hunk: fold.hunk, fold, open, added, removed, index: of[0]!.index });
      if (!open) return of.forEach(after);
    }
    pushShown(
      lines.map(({ line }) => line),
      afterAll,
    );
  };
  hunks.forEach((hunk, index) => {
    if (section && !section.steps.has(index)) return;
    const gap = gaps.get(gapKey(file, index)) ?? noGap;
    push(gap.above);
    const isFolded = input.hunkFolded(file, index);
    const { header, lines } = hunk;
    const shown = input.ignoreWhitespace ? ignoreWhitespace(lines) : null;
    const whitespaceOnly = shown !== null && shown.every(({ line }) => line.kind === ' ');
    rows.push({
      kind: 'hunk',
      file,
      hunk: index,
      header,
      hidden: hidden(index, gap),
      folded: isFolded,
      lines: lines.length,
      whitespaceOnly,
      step: section?.steps.get(index) ?? null,
    });
    push(gap.below);
    if (isFolded || whitespaceOnly) return lines.forEach(after);
    const known = (input.folding && input.folds.get(`${file}.${index}`)) || [];
    if (!shown && known.length === 0) {
      findMates(lines);
      push(lines);
    } else cutAtFolds(shown ?? lines.map(asShown), known).forEach(pushPart);
  });
  if (section && !section.last) return;
  const lines = view.lines - (loaded.counts[file] ?? 0);
  if (lines > 0) return void rows.push({ kind: 'pending', file, lines, hunks: view.hunks - hunks.length });
  const gap = gaps.get(gapKey(file, hunks.length)) ?? noGap;
  push(gap.above);
  const left = endsHere(hunks.at(-1), gap) ? 0 : hidden(hunks.length, gap);
  if (can && left !== 0) rows.push({ kind: 'tail', file, hunk: hunks.length, hidden: left });
}

/** Returns whether the file ends with the last hunk: it then has fewer context lines than git shows. */
function endsHere(last: Hunk | undefined, gap: Gap): boolean {
  if (!last || gap.above.length > 0) return false;
  const after = last.lines.length - 1 - last.lines.findLastIndex((line) => line.kind !== ' ');
  return after < CONTEXT;
}

function noticeFor(view: FileView, folded: boolean): Notice | null {
  if (view.binary) return 'binary';
  if (view.lines === 0) return 'empty';
  if (folded) return view.ignored ? 'ignored' : 'folded';
  return null;
}

/** Returns the key of a row. It stays the same when the rows are rebuilt. */
export function rowKey(row: Row): string {
  switch (row.kind) {
    case 'file':
      return fileKey(row.file, row.part);
    case 'chapter':
      return `g${row.chapter}`;
    case 'fold':
      return `d${row.file}.${row.hunk}.${row.index}`;
    case 'hunk':
      return `h${row.file}.${row.hunk}`;
    case 'tail':
      return `e${row.file}`;
    case 'image':
      return `i${row.file}`;
    case 'rendered':
      return `v${row.file}`;
    case 'line':
      return lineKey(row.line);
    case 'pair':
      return lineKey((row.left ?? row.right)!);
    case 'card':
      return `c${row.id}`;
    case 'notice':
      return `n${row.file}`;
    case 'pending':
      return `p${row.file}`;
  }
}

/** Returns the key of the row that shows a line. In split mode, an added line is in the row of the line that it replaces. */
export const keyOfLine = (line: Line, mode: Mode): string =>
  lineKey(mode === 'split' && line.kind === '+' && line.mate ? line.mate : line);

const lineKey = (line: Line): string => `l${line.file}.${line.hunk}.${line.index}`;
