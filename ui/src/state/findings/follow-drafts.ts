// Moves unsaved findings with their code when another version of the change is shown.
import { unsavedFindings } from '../../lib/findings/finding-words';
import { findQuote, type NumberedLine } from '../../lib/findings/follow-draft';
import type { Side } from '../../rpc/types.gen';
import { change } from '../change/change.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { findingEditor } from './finding-editor.svelte';

/** Moves the unsaved findings of the change, whose lines are all loaded, to the lines that they are about. */
export function followDrafts(): void {
  const { files } = openChange.view ?? { files: [] };
  for (const { key, place, words } of unsavedFindings(
    prefs.values.unsavedFindings,
    findingEditor.ownPrefix,
  )) {
    const file = files.findIndex((one) => one.path === place.path);
    if (words.quote === undefined || file < 0) continue;
    const start = findQuote(linesOf(file, place.side), words.quote, place.line_start);
    if (start === null) words.stale = true;
    else findingEditor.move(key, place, start);
  }
}

/** Returns the loaded lines of one side of a file. */
function linesOf(file: number, side: Side): NumberedLine[] {
  const hunks = change.loaded.hunks[file] ?? [];
  return hunks.flatMap((hunk) =>
    hunk.lines.flatMap((line) => (line[side] === null ? [] : [{ number: line[side], text: line.text }])),
  );
}
