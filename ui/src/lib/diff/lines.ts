// Collects pages of hunks from the core as numbered lines, by file and hunk.
import { hasInvisible } from '../text/invisible-characters';
import type { HunkPage, HunkPart } from '../../rpc/types.gen';

export type Kind = ' ' | '+' | '-';

/** A numbered line of the change. */
export interface Line {
  file: number;
  hunk: number;
  /** The index in the hunk. */
  index: number;
  kind: Kind;
  old: number | null;
  new: number | null;
  text: string;
  /** Whether the line ends with a carriage return. */
  cr: boolean;
  /** The length of the whole line in bytes, where the core has sent only its beginning. Otherwise null. */
  bytes: number | null;
  /** The width in columns. Tabs and wide characters take several columns. */
  columns: number;
  /** Whether the file ends after this line without a line feed. */
  noEol: boolean;
  /** The line that this one replaces or is replaced by, for the word diff. */
  mate: Line | null;
  /** The colours of a line outside of the hunks. Such a line has the hunk -1, and its new number as its index. */
  colours?: { spans: readonly number[]; names: readonly string[] };
}

export interface Hunk {
  header: string;
  /** The first line numbers in the header. */
  oldStart: number;
  newStart: number;
  lines: Line[];
}

/** The lines that have been loaded: the hunks of each file, and its number of lines. */
export interface Loaded {
  hunks: Hunk[][];
  counts: number[];
}

/** The width of a tab, in columns. */
let tab = 4;

/** Sets the width of tabs for lines that are parsed from now on. Returns whether it was another one. */
export function setTabWidth(width: number): boolean {
  if (width === tab) return false;
  tab = width;
  return true;
}

/** Computes the widths of lines again, after the width of tabs has changed. */
export function retab(lines: readonly Line[]): void {
  for (const line of lines) if (line.text.includes('\t')) line.columns = columnsOf(line.text);
}

/** The maximum number of characters that are shown of a line. A single line can be a whole bundle. */
export const MAX_LINE_LENGTH = 4_000;

export const emptyLines = (files: number): Loaded => ({
  hunks: Array.from({ length: files }, () => []),
  counts: new Array<number>(files).fill(0),
});

/** Adds a page in place. Pages arrive in order, so a part continues its hunk or begins the next one. */
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

/** Parses the text of a line from the core: a carriage return at its end, and its length where it is cut. */
export function textOf(sent: string): Pick<Line, 'text' | 'cr' | 'bytes' | 'columns'> {
  const cut = sent.length > MAX_LINE_LENGTH ? /… \((\d+) bytes\)$/.exec(sent) : null;
  const whole = cut ? sent.slice(0, cut.index) : sent;
  const cr = whole.endsWith('\r');
  const text = cr ? whole.slice(0, -1) : whole;
  return { text, cr, bytes: cut ? Number(cut[1]) : null, columns: columnsOf(text) };
}

/** Returns whether a line has another line ending than its mate. */
export const lineEndingChanged = ({ cr, mate }: Line): boolean => mate !== null && mate.cr !== cr;

/** Pairs removed lines with the added lines that follow them, one by one. The word diff decides whether a pair is similar. */
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

/** The width in columns of the code point that replaces an invisible character. */
const HIDDEN_COLUMNS = 7;

// Printable ASCII, the most common case, has one column for each character.
const PLAIN = /^[\x20-\x7e]*$/;
const WIDE_CHARACTERS =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

/** Returns the width of a text in columns of a fixed-width font. */
export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return Math.min(text.length, MAX_LINE_LENGTH);
  // Most lines have no invisible characters, so the whole line is tested before each character.
  const some = hasInvisible(text);
  let columns = 0;
  for (const char of text) {
    if (char === '\t') columns += tab - (columns % tab);
    else columns += some && hasInvisible(char) ? HIDDEN_COLUMNS : WIDE_CHARACTERS.test(char) ? 2 : 1;
    if (columns >= MAX_LINE_LENGTH) return MAX_LINE_LENGTH;
  }
  return columns;
}

/** The maximum indent of continued lines, in columns. */
const MAX_INDENT = 24;

/** Returns the indent of continued lines in columns: one level more than the line. A multiple of the tab size, so that tabs stay aligned. */
export function hangingIndent(text: string): number {
  const own = columnsOf(/^[ \t]*/.exec(text.slice(0, MAX_INDENT))![0]);
  return tab * Math.ceil((Math.min(own, MAX_INDENT) + 1) / tab);
}
