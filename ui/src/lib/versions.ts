// Versions of a change: the one to compare with, and the rows of the author’s edits since then.
import type {
  CodeStatus,
  CommitRow,
  ComparedFile,
  ComparedHunk,
  FileNoteItem,
  HiddenLines,
  Side,
  VersionItem,
} from '../rpc/types.gen';
import { findMates, textOf, type Kind, type Line } from './diff/lines';
import { versionsTexts } from './texts/versions';

const texts = versionsTexts;

/** A hunk with its lines as the diff draws them. */
export interface EditedHunk {
  path: string;
  conflict: boolean;
  lines: Line[];
  /** Which lines are part of a conflict. */
  conflicts: readonly boolean[];
}

export type EditRow =
  | { kind: 'file'; key: string; file: ComparedFile; added: number; removed: number }
  | { kind: 'hunk'; key: string; hunk: EditedHunk; first: number | null }
  | { kind: 'line'; key: string; hunk: EditedHunk; index: number }
  | { kind: 'remark'; key: string; remark: Remark };

/** A finding or a thread beside an edit. */
export interface Remark {
  /** The key of the finding, or the id of the thread. */
  id: string;
  of: 'finding' | 'thread';
  /** The status of its code since the compared version, if it is known. */
  status: CodeStatus['status'] | null;
}

/** The place of a remark in the rows: a line of one side of a file, or a hunk. */
export type RemarkPlace = Remark & { path: string } & (
    { side: Side; line: number } | { hunk: number | null }
  );

/** Returns the version to compare with: that of the last review, or else the latest one before the opened one. */
export function defaultVersion(versions: readonly VersionItem[]): VersionItem | null {
  const reviewed = versions.find((version) => version.reviewed);
  if (reviewed) return reviewed;
  const current = versions.find((version) => version.current);
  const earlier = versions.filter((version) => !current || version.number < current.number);
  return earlier.at(-1) ?? versions.findLast((version) => !version.current) ?? null;
}

/** Returns the name of a version for the core: full ids, because numbers change when a version is added. */
export const revisionOf = ({ base, head }: VersionItem): string => (base ? `${base}..${head}` : head);

/** Returns the name of a version in the picker: number, commit, time, size, and whether it is reviewed or shown now. */
export function versionName({ number, head, time, origin, size, reviewed, current }: VersionItem): string {
  const parts = [texts.version.number(number), head.slice(0, 8)];
  if (time) parts.push(texts.version.seen(time));
  else if (origin === 'server') parts.push(texts.version.server);
  if (size) parts.push(texts.version.size(size.commits, size.files));
  if (reviewed) parts.push(texts.version.reviewed);
  if (current) parts.push(texts.version.current);
  return parts.join(' · ');
}

/** Returns words for the hidden lines and files, by reason. Null if nothing is hidden. */
export function hiddenWords({
  target_added,
  target_removed,
  target_files,
  in_target,
}: HiddenLines): string | null {
  const lines = target_added + target_removed;
  const parts = [];
  if (lines > 0) parts.push(texts.hidden.target(lines));
  if (target_files > 0) parts.push(texts.hidden.targetFiles(target_files));
  if (in_target > 0)
    parts.push(parts.length > 0 ? texts.hidden.inTarget(in_target) : texts.hidden.inTargetOnly(in_target));
  return parts.length > 0 ? texts.hidden.all(parts) : null;
}

/** Returns the words for a change of a file that its lines do not show. */
export function noteWords(note: FileNoteItem): string {
  switch (note.kind) {
    case 'added':
      return texts.file.added;
    case 'removed':
      return texts.file.removed;
    case 'renamed':
      return texts.file.renamed(note.from);
    case 'mode':
      return texts.file.mode(note.from.toString(8), note.to.toString(8));
    case 'content':
      return texts.file.content;
    case 'target_removed':
      return texts.file.targetRemoved;
    case 'target_changed':
      return texts.file.targetChanged;
    case 'conflict':
      return texts.file.bothChanged;
    case 'unread':
      return texts.file.unread(note.reason);
  }
}

/** Returns the rows of files. `from` is the number of files before them. */
export function editRows(files: readonly ComparedFile[], from = 0): EditRow[] {
  return files.flatMap((file, offset) => {
    const index = from + offset;
    const hunks = file.hunks.map((hunk, at) => editedHunk(hunk, file.path, index, at));
    const all = hunks.flatMap((hunk) => hunk.lines);
    const counted = (kind: Kind) => all.filter((line) => line.kind === kind).length;
    const header: EditRow = {
      kind: 'file',
      key: `f${index}`,
      file,
      added: counted('+'),
      removed: counted('-'),
    };
    return [header, ...hunks.flatMap((hunk, at) => hunkRows(hunk, `${index}-${at}`))];
  });
}

function hunkRows(hunk: EditedHunk, key: string): EditRow[] {
  const first = hunk.lines.find((line) => line.new !== null)?.new ?? null;
  const lines = hunk.lines.map((_, index): EditRow => ({
    kind: 'line',
    key: `l${key}-${index}`,
    hunk,
    index,
  }));
  return [{ kind: 'hunk', key: `h${key}`, hunk, first }, ...lines];
}

function editedHunk(
  { conflict, lines: sent }: ComparedHunk,
  path: string,
  file: number,
  hunk: number,
): EditedHunk {
  const lines = sent.map(({ sign, old, new: now, text, no_newline }, index): Line => {
    const kind: Kind = sign === '+' || sign === '-' ? sign : ' ';
    const numbers = { old: old ?? null, new: now ?? null };
    return { file, hunk, index, kind, ...numbers, ...textOf(text), noEol: no_newline, mate: null };
  });
  findMates(lines);
  return { path, conflict, lines, conflicts: sent.map((line) => line.conflict) };
}

/** Returns the rows with remarks: each after its line or its hunk, or below the header of its file. */
export function withRemarks(rows: readonly EditRow[], places: readonly RemarkPlace[]): EditRow[] {
  if (places.length === 0) return [...rows];
  const after = new Map<number, EditRow[]>();
  for (const place of places) {
    const at = rowOfRemark(rows, place);
    if (at < 0) continue;
    const { id, of, status } = place;
    const row: EditRow = { kind: 'remark', key: `r${of}-${id}`, remark: { id, of, status } };
    after.set(at, [...(after.get(at) ?? []), row]);
  }
  return rows.flatMap((row, index) => [row, ...(after.get(index) ?? [])]);
}

/** Returns the index of the row that a remark follows. -1 if its file is not shown. */
function rowOfRemark(rows: readonly EditRow[], place: RemarkPlace): number {
  const header = rows.findIndex((row) => row.kind === 'file' && row.file.path === place.path);
  if (header < 0) return -1;
  const end = rows.findIndex((row, index) => index > header && row.kind === 'file');
  const own = rows.slice(header, end < 0 ? undefined : end);
  const found = own.findLastIndex((row) => {
    if (row.kind !== 'line') return false;
    if ('hunk' in place) return row.hunk.lines[0]?.hunk === place.hunk;
    const line = row.hunk.lines[row.index];
    const shown = line?.kind !== (place.side === 'new' ? '-' : '+');
    return shown && line?.[place.side] === place.line;
  });
  return header + Math.max(found, 0);
}

/** Counts the edited lines of rows. */
export const editedLines = (rows: readonly EditRow[]): number =>
  rows.reduce((sum, row) => (row.kind === 'file' ? sum + row.added + row.removed : sum), 0);

/** Returns the row that a step from a row leads to: the next line or file, not the bar above a hunk. */
export function stepRow(rows: readonly EditRow[], from: number, by: 1 | -1): number {
  let at = from + by;
  while (rows[at]?.kind === 'hunk') at += by;
  return rows[at] ? at : from;
}

/** Returns the place in the new version that a row stands for. A removed line stands for the line that follows it. */
export function placeOfRow(row: EditRow): { path: string; line: number | null } {
  if (row.kind === 'file') {
    const lines = row.file.hunks.flatMap((hunk) => hunk.lines);
    return {
      path: row.file.path,
      line: lines.find((line) => line.sign !== ' ' && line.new != null)?.new ?? null,
    };
  }
  if (row.kind === 'remark') return { path: '', line: null };
  const { hunk } = row;
  const index = row.kind === 'line' ? row.index : 0;
  const own = hunk.lines[index]?.new ?? null;
  const after = hunk.lines.slice(index).find((line) => line.new !== null)?.new ?? null;
  const before = hunk.lines.slice(0, index).findLast((line) => line.new !== null)?.new ?? null;
  return { path: hunk.path, line: own ?? after ?? before };
}

/** Returns the states of commits with their numbers, such as `2 unchanged, 1 new`. */
export function commitCounts(commits: readonly CommitRow[]): string[] {
  const states = ['unchanged', 'edited', 'new', 'dropped'] as const;
  const parts = states.flatMap((state) => {
    const found = commits.filter((commit) => commit.state === state).length;
    return found > 0 ? [texts.commits.part(found, texts.commits[state])] : [];
  });
  const reordered = commits.filter((commit) => commit.reordered).length;
  return reordered > 0 ? [...parts, texts.commits.part(reordered, texts.commits.reordered)] : parts;
}
