// Folds and steps of the reading order as the diff shows them: the nearest fold, the other end of a moved block, reasons as text.
import type { LineFold } from '../../lib/diff/noise';
import { rowKey, type Row } from '../../lib/diff/rows';
import { readingTexts } from '../../lib/texts/reading';
import type { ShownStep } from '../../rpc/types.gen';
import { desk } from '../desk/desk.svelte';
import { cursor } from './cursor.svelte';
import { revealPlace } from './places';
import { reading } from './reading.svelte';
import { rows } from './rows.svelte';

type FoldRow = Extract<Row, { kind: 'fold' }>;

/** Returns the fold of the cursor's line, or else the first one from the cursor or the top on that is drawn. */
export function foldHere(): FoldRow | null {
  const at = cursor.inView && cursor.range ? cursor.range[1] : null;
  const line = at === null ? null : cursor.inView;
  const own = line && reading.foldOf(line);
  const last = desk.visibleRows[1];
  for (const [index, row] of rows.all.entries()) {
    if (row.kind !== 'fold') continue;
    if (own ? row.fold.key === own.key : index >= (at ?? desk.topRow) && index <= last) return row;
  }
  return null;
}

export function toggleFoldHere(): void {
  const row = foldHere();
  if (!row) return;
  reading.set(row.fold, !row.open);
  desk.reveal = { key: rowKey(row), align: 'nearest' };
}

/** Goes to the place that a block moved to or came from. */
export function goToOtherEnd({ other }: LineFold): void {
  if (other) void revealPlace(other.path, other.line, other.side);
}

/** Returns the reason of a hunk's place. Null if the chapter says it. */
export function stepText({ hunk, reason, name, by }: ShownStep): string | null {
  const unread = reason === 'unconnected' && reading.unreadReason(hunk.file);
  if (unread) return readingTexts.step.unread(unread);
  if (reason === 'entry') return readingTexts.step.entry;
  if (reason === 'test') return readingTexts.step.test;
  return reason === 'called' && name && by
    ? readingTexts.step.called(name, reading.pathOf(by.file).split('/').at(-1)!)
    : null;
}
