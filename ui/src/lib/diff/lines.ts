// In: pages of hunks as the core sends them. Out: numbered lines by file and hunk, grown page by page.
import { hasInvisible } from '../text/invisible-characters';
import type { HunkPage, HunkPart } from '../../rpc/types.gen';

export type Kind = ' ' | '+' | '-';

/** A line of the change, numbered. */
export interface Line {
  file: number;
  hunk: number;
  /** Its index in the hunk. */
  index: number;
  kind: Kind;
  old: number | null;
  new: number | null;
  text: string;
  /** Whether a carriage return stands before its end. */
  cr: boolean;
  /** How long it is, in bytes, where only its beginning came. */
  bytes: number | null;
  /** Columns that it takes, tabs and wide characters counted. */
  columns: number;
  /** Whether the file ends here without a line feed. */
  noEol: boolean;
  /** The line that this one replaces or is replaced by, for marking what differs. */
  mate: Line | null;
  /** Its colours, where they came with it: of lines around the hunks, whose `hunk` is -1 and whose `index` is their new number. */
  colours?: { spans: readonly number[]; names: readonly string[] };
}

export interface Hunk {
  header: string;
  /** The numbers that its header begins with. */
  oldStart: number;
  newStart: number;
  lines: Line[];
}

/** What has come so far of each file: its hunks, and how many lines. */
export interface Loaded {
  hunks: Hunk[][];
  counts: number[];
}

export const TAB = 4;
/** Longer lines are shown up to here: nobody reads on, and one such line can be a whole bundle. */
export const MAX_LINE_LENGTH = 4_000;

export const emptyLines = (files: number): Loaded => ({
  hunks: Array.from({ length: files }, () => []),
  counts: new Array<number>(files).fill(0),
});

/** Adds a page in place. Pages come in order, so a part continues its hunk or begins the next. */
export function addPage(loaded: Loaded, page: HunkPage): void {
  for (const part of page.parts) {
    const hunks = loaded.hunks[part.file];
    if (!hunks) continue;
    const hunk = (hunks[part.hunk] ??= {
      header: part.header,
      oldStart: part.old_start,
      newStart: part.new_start,
      lines: [],
    });
    if (hunk.lines.length !== part.first_line) continue; // already here
    const added = numbered(part);
    for (const line of added) hunk.lines.push(line);
    loaded.counts[part.file] = (loaded.counts[part.file] ?? 0) + added.length;
    findMates(hunk.lines);
  }
}

function numbered(part: HunkPart): Line[] {
  let oldNumber = part.old_start;
  let newNumber = part.new_start;
  let at = 0;
  return part.lines.map((text, offset) => {
    const kind = part.kinds[at++] as Kind;
    const noEol = part.kinds[at] === '!';
    if (noEol) at++;
    return {
      file: part.file,
      hunk: part.hunk,
      index: part.first_line + offset,
      kind,
      old: kind === '+' ? null : oldNumber++,
      new: kind === '-' ? null : newNumber++,
      ...textOf(text),
      noEol,
      mate: null,
    };
  });
}

/** A line's text as the core sends it: with its carriage return, and its length where it is cut. */
export function textOf(sent: string): Pick<Line, 'text' | 'cr' | 'bytes' | 'columns'> {
  const cut = sent.length > MAX_LINE_LENGTH ? /… \((\d+) bytes\)$/.exec(sent) : null;
  const whole = cut ? sent.slice(0, cut.index) : sent;
  const cr = whole.endsWith('\r');
  const text = cr ? whole.slice(0, -1) : whole;
  return { text, cr, bytes: cut ? Number(cut[1]) : null, columns: columnsOf(text) };
}

/** Whether a line ends otherwise than the one that it replaces or is replaced by. */
export const lineEndingChanged = ({ cr, mate }: Line): boolean => mate !== null && mate.cr !== cr;

/** The lines of a removed run and of the added one that follows are taken as edited one by one; what that shows decides. */
export function findMates<L extends { kind: Kind | '@'; mate: L | null }>(lines: readonly L[]): void {
  for (let at = 0; at < lines.length;) {
    const removed = runLength(lines, at, '-');
    const added = runLength(lines, at + removed, '+');
    for (let i = 0; i < removed; i++) lines[at + i]!.mate = i < added ? lines[at + removed + i]! : null;
    for (let i = 0; i < added; i++) lines[at + removed + i]!.mate = i < removed ? lines[at + i]! : null;
    at += removed + added || 1;
  }
}

export function runLength(lines: readonly { kind: Kind | '@' }[], from: number, kind: Kind): number {
  let to = from;
  while (lines[to]?.kind === kind) to++;
  return to - from;
}

/** What is shown in place of a character that shows nothing. */
const HIDDEN_COLUMNS = 7;

// Printable ASCII, by far the most common: one column each.
const PLAIN = /^[\x20-\x7e]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** Columns of a text in a fixed-width font. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return Math.min(text.length, MAX_LINE_LENGTH);
  // Most lines hide nothing: they are asked once, not at each character.
  const some = hasInvisible(text);
  let columns = 0;
  for (const char of text) {
    if (char === '\t') columns += TAB - (columns % TAB);
    else columns += some && hasInvisible(char) ? HIDDEN_COLUMNS : WIDE.test(char) ? 2 : 1;
    if (columns >= MAX_LINE_LENGTH) return MAX_LINE_LENGTH;
  }
  return columns;
}
