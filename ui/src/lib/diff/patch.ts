// Converts a suggested patch to the lines of a small diff.
import type { SuggestedPatch } from '../../rpc/types.gen';
import { findMates, type Kind } from './lines';

export interface PatchLine {
  kind: Kind | '@';
  text: string;
  /** The line that this one replaces or is replaced by, for the word diff. */
  mate: PatchLine | null;
}

type Bare = Omit<PatchLine, 'mate'>;

/** Returns the lines of a patch. `replaced` contains the lines of the head that a replacement replaces, where they are known. */
export function patchLines(patch: SuggestedPatch, replaced: readonly string[]): PatchLine[] {
  const lines = patch.content.replace(/\r?\n$/, '').split(/\r?\n/);
  if (patch.format === 'unified-diff') return fromUnified(lines);
  const after = patch.content === '' ? [] : lines;
  return trimEqual(replaced, after);
}

/** Returns a text and its replacement as a small diff. */
export function replacementLines(before: string, after: string): PatchLine[] {
  const lines = (text: string) => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));
  return trimEqual(lines(before), lines(after));
}

/** Drops file headers, because the card shows the file already. Inside a hunk, every line counts. */
function fromUnified(lines: string[]): PatchLine[] {
  const shown: Bare[] = [];
  let inHunk = !lines.some((line) => line.startsWith('@@'));
  for (const line of lines) {
    if (line.startsWith('@@')) {
      inHunk = true;
      shown.push({ kind: '@', text: line });
    } else if (inHunk && !line.startsWith('\\')) {
      const sign = line[0];
      const kind: Kind = sign === '+' || sign === '-' ? sign : ' ';
      shown.push({ kind, text: sign === '+' || sign === '-' || sign === ' ' ? line.slice(1) : line });
    }
  }
  return mated(shown);
}

/** Equal lines at both ends become context. */
function trimEqual(before: readonly string[], after: readonly string[]): PatchLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const of = (kind: Kind, texts: readonly string[]) => texts.map((text): Bare => ({ kind, text }));
  return mated([
    ...of(' ', after.slice(0, start)),
    ...of('-', before.slice(start, before.length - end)),
    ...of('+', after.slice(start, after.length - end)),
    ...of(' ', after.slice(after.length - end)),
  ]);
}

function mated(bare: readonly Bare[]): PatchLine[] {
  const lines = bare.map((line): PatchLine => ({ ...line, mate: null }));
  findMates(lines);
  return lines;
}
