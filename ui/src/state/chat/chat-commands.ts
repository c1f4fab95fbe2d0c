// Commands of the conversation: apply fixes, copy, compact, write a commit message.
import { rowsIn } from '../../lib/diff/copy-selection';
import { chatTexts } from '../../lib/texts/chat';
import { changeTexts } from '../../lib/texts/change';
import { toCoreError as failureOf } from '../../rpc/errors';
import type { AssembledMessages, CommitMessage } from '../../rpc/types.gen';
import { agents } from '../review/agents.svelte';
import { change } from '../change/change.svelte';
import { chat } from './chat.svelte';
import { connection } from '../app/connection.svelte';
import { cursor } from '../change/cursor.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';
import { applyConfirmed } from '../findings/protected-files';
import { undo, type Step } from '../app/undo.svelte';

/** Converts a failure to an error that the caller shows itself. */
export { failureOf };

/** Applies a fix block of the open conversation, or reverts it. */
export async function toggleFix(number: number, line: number, applied: number | null): Promise<void> {
  const conversation_id = chat.current?.id;
  const step = conversation_id ? await fix({ conversation_id, number, line }, applied) : null;
  if (step) undo.push(step);
}

/** Applies or reverts a fix. Resolves with the step that does the opposite. Refreshes the diff, because the work tree has changed. */
async function fix(
  block: { conversation_id: string; number: number; line: number },
  applied: number | null,
): Promise<Step | null> {
  try {
    const done =
      applied === null
        ? await applyConfirmed((allow_protected) =>
            openChange.call((change_id) =>
              connection.client.call('chat.apply', { change_id, ...block, allow_protected }),
            ),
          )
        : await openChange.call((change_id) =>
            connection.client.call('chat.undo', { change_id, fix: applied }),
          );
    if (!done) return null;
    const now = done.applied ? done.id : null;
    if (chat.current?.id === block.conversation_id) chat.fixed(block.number, block.line, now);
    const { path } = done;
    notices.info(done.applied ? chatTexts.fix.appliedTo(path) : chatTexts.fix.revertedIn(path));
    await change.refresh();
    const what = done.applied ? chatTexts.fix.applying(path) : chatTexts.fix.reverting(path);
    return { what, back: () => fix(block, now) };
  } catch (thrown) {
    notices.fail(thrown, applied === null ? chatTexts.fix.notApplied : chatTexts.fix.notReverted);
    return null;
  }
}

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (thrown) {
    notices.fail(thrown, changeTexts.message.notCopied);
    return false;
  }
}

export function assembled(): Promise<AssembledMessages> {
  const conversation_id = chat.current?.id;
  if (!conversation_id) throw new Error(chatTexts.error.noConversation);
  const agent = chat.current?.agent || null;
  return openChange.call((change_id) =>
    connection.client.call('chat.assembled', { change_id, conversation_id, agent }),
  );
}

/** Compacts the earlier messages of the open conversation. Cancelling is not an error. */
export async function compact(signal: AbortSignal): Promise<void> {
  const conversation_id = chat.current?.id;
  if (!conversation_id) return;
  try {
    await openChange.call((change_id) =>
      connection.client.call('chat.compact', { change_id, conversation_id }, signal),
    );
  } catch (thrown) {
    if (!failureOf(thrown).cancelled) notices.fail(thrown, chatTexts.error.notSummarized);
  }
}

export function commitMessage(signal: AbortSignal): Promise<CommitMessage> {
  const agent = agents.chosen?.name ?? null;
  const model = (agent && prefs.values.models[agent]?.trim()) || null;
  return openChange.call((change_id) =>
    connection.client.call('commit.message', { change_id, agent, model }, signal),
  );
}

/** Returns the lines of the cursor, or else those of the text selection in the diff. */
export function selectedLines(): { path: string; side: 'new' | 'old'; from: number; to: number } | null {
  const { place } = cursor;
  if (place) return { path: place.path, side: place.side, from: place.line_start, to: place.line_end };
  const selection = window.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const within = rowsIn(range);
  const file = within[0]?.dataset.file;
  const lines = within.filter((row) => row.dataset.file === file);
  const path = file === undefined ? undefined : openChange.view?.files[Number(file)]?.path;
  if (!path || lines.length === 0) return null;
  // The lines are of the new side, unless all of them are removed lines.
  const side = lines.every((row) => row.dataset.side === 'old') ? 'old' : 'new';
  const numbers = lines
    .filter((row) => side === 'old' || row.dataset.side === 'new')
    .map((row) => Number(row.dataset.line));
  return { path, side, from: Math.min(...numbers), to: Math.max(...numbers) };
}
