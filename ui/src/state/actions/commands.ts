// Commands that actions and buttons share.
import { changeTexts } from '../../lib/texts/change';

import { findingsTexts } from '../../lib/texts/findings';
import type { About, Decision } from '../../rpc/types.gen';
import { agents } from '../review/agents.svelte';
import { budget } from '../review/budget.svelte';
import { change } from '../change/change.svelte';
import { fileFolds } from '../change/file-folds.svelte';
import { chat } from '../chat/chat.svelte';
import { connection } from '../app/connection.svelte';
import { cursor } from '../change/cursor.svelte';
import { desk } from '../desk/desk.svelte';
import { currentPosition } from '../change/current-position';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs, type Theme } from '../app/prefs.svelte';
import { applyConfirmed } from '../findings/protected-files';
import { dismissalReason } from '../findings/dismissal-reason.svelte';
import { review } from '../review/review.svelte';
import { reading } from '../change/reading.svelte';
import { run } from '../review/run.svelte';
import { selectedLines } from '../chat/chat-commands';
import { showLine } from '../change/symbols.svelte';
import { undo, type Step } from '../app/undo.svelte';
import { viewed } from '../change/viewed.svelte';
import { DRAFT, findingEditor } from '../findings/finding-editor.svelte';
import { commits } from '../versions/commits.svelte';
import { openInChange, versions } from '../versions/versions.svelte';

/** Decides about the selected findings. If all of them have this decision already, reopens them. */
export function decide(decision: 'accepted' | 'dismissed', stay = false): void {
  const ids = desk.targetIds.filter((id) => review.find(id));
  const already = ids.every((id) => review.find(id)?.decision === decision);
  decideAbout(ids, already ? 'open' : decision, stay);
}

/** Decides about findings. After a decision about one finding, selects the next open one, unless `stay` is set. */
export function decideAbout(ids: readonly string[], decision: Decision, stay = false): void {
  void review.decide(ids, decision);
  const [id, another] = ids;
  if (id === undefined || another !== undefined) return;
  desk.selected = id;
  if (decision !== 'open' && !stay && prefs.values.selectNextOpen) desk.stepOpen(1);
}

export async function undoLatest(): Promise<void> {
  const step = await undo.undo();
  if (!step) return;
  notices.info(changeTexts.message.undone(step.what));
  if (step.finding && review.find(step.finding)) desk.select(step.finding);
}

export async function redoLatest(): Promise<void> {
  const step = await undo.redo();
  if (step?.finding && review.find(step.finding)) desk.select(step.finding);
}

/** Applies the suggested patch of a finding to the work tree, or reverts it. */
export async function toggleSuggestion(id: string): Promise<void> {
  const step = await suggest(id);
  if (step) undo.push(step);
}

async function suggest(finding_key: string): Promise<Step | null> {
  const view = review.find(finding_key);
  const review_id = review.view?.review_id;
  if (!view || !review_id) return null;
  const fix = view.applied ?? null;
  try {
    const done =
      fix === null
        ? await applyConfirmed((allow_protected) =>
            openChange.call((change_id) =>
              connection.client.call('finding.apply', { change_id, review_id, finding_key, allow_protected }),
            ),
          )
        : await openChange.call((change_id) => connection.client.call('chat.undo', { change_id, fix }));
    if (!done) return null;
    await change.refresh();
    const { path } = done;
    notices.info(done.applied ? findingsTexts.patch.applied(path) : findingsTexts.patch.reverted(path));
    const what = done.applied ? findingsTexts.patch.applying(path) : findingsTexts.patch.reverting(path);
    return { what, finding: finding_key, back: () => suggest(finding_key) };
  } catch (thrown) {
    notices.fail(thrown, fix === null ? findingsTexts.patch.notApplied : findingsTexts.patch.notReverted);
    return null;
  }
}

/** Opens the form for a finding on the selected lines. An existing draft is continued. */
export function comment(): void {
  const { shown } = commits;
  if (desk.view === 'commits' && shown) {
    const line_end = shown.message.split('\n').length;
    findingEditor.begin({ path: shown.message_path, side: 'new', line_start: 1, line_end });
    return;
  }
  desk.view = 'diff';
  // A cursor that the user does not see is not meant.
  if (!cursor.inView) cursor.step(1, false);
  if (!cursor.place) return;
  findingEditor.begin(cursor.place, cursor.quote);
  desk.reveal = { key: `c${DRAFT}`, align: 'nearest' };
}

/** Opens the form for a finding on a line of a comparison, in the whole change. */
export async function commentInChange(path: string, line: number | null): Promise<void> {
  await openInChange(path, line);
  if (line !== null && !versions.until && cursor.place) comment();
}

export function copyLines(): void {
  const cut = cursor.lines.some((line) => line.bytes !== null);
  void navigator.clipboard.writeText(cursor.text).then(
    () => notices.info(changeTexts.message.copiedLines(cursor.lines.length, cut)),
    (thrown: unknown) => notices.fail(thrown, changeTexts.message.notCopied),
  );
}

/** Toggles the viewed mark of the current file. After marking it, goes to the next file that is not viewed. */
export function fileViewed(): void {
  const { file } = currentPosition();
  const seen = !viewed.isFile(file);
  viewed.mark(file, null, seen);
  if (!seen) return;
  desk.goToFile(unviewedAfter(file) ?? file);
}

/** Goes to the next file that is not viewed. After the last one it continues with the first. */
export function goToUnviewed(): void {
  const next = unviewedAfter(currentPosition().file) ?? unviewedAfter(-1);
  if (next === null) notices.info(changeTexts.message.allViewed);
  else desk.goToFile(next);
}

/** Returns the next file that is neither viewed nor folded. */
function unviewedAfter(file: number): number | null {
  const { files } = reading;
  const after = files.slice(files.indexOf(file) + 1);
  return after.find((index) => !viewed.isFile(index) && !fileFolds.isFolded(index)) ?? null;
}

export function stepFile(by: 1 | -1): void {
  const { files } = reading;
  const at = files.indexOf(desk.topFile) + (desk.view === 'diff' ? by : 0);
  const file = files[Math.min(Math.max(at, 0), files.length - 1)];
  if (file !== undefined) desk.goToFile(file);
}

/** Starts a review, or opens the list of agents if there is none. Waits until the agents are known. */
export async function startReview(): Promise<void> {
  const { repo, view } = openChange;
  await agents.whenLoaded();
  // If another change is open by now, no review is started.
  if (!view || openChange.repo?.path !== repo?.path || !openChange.isSameTarget(view)) return;
  if (!agents.chosen) desk.overlay = 'agents';
  else if (await budget.needsChoice()) desk.overlay = 'budget';
  else await run.start();
}

/** Returns the commit of the shown review, if the change has newer commits. */
export const reviewedBefore = (): string | null =>
  review.view?.outdated === true ? (review.view.meta.head_sha ?? null) : null;

/** Reviews only the changes since the shown review. */
export async function reviewNew(): Promise<void> {
  const since = reviewedBefore();
  if (!since || !openChange.target) return;
  await change.open(openChange.target, since);
  if (openChange.since === since) await startReview();
}

export function nextTheme(): void {
  const order: Theme[] = ['system', 'light', 'dark'];
  prefs.values.theme = order[(order.indexOf(prefs.values.theme) + 1) % order.length]!;
}

/** Dismisses the selected findings, and asks for a reason at the current one. */
export function dismissWithReason(): void {
  const { targetIds } = desk;
  const at = desk.selected !== null && targetIds.includes(desk.selected) ? desk.selected : targetIds.at(-1);
  if (at === undefined) return;
  const open = targetIds.filter((id) => review.find(id)?.decision !== 'dismissed');
  if (open.length > 0) void review.decide(open, 'dismissed');
  const dismissal = open.length > 0 ? undo.latest : null;
  desk.select(at);
  dismissalReason.open(at, targetIds, dismissal);
}

/** Opens the conversation with context: the selected lines, or else the selected finding, or else the change. */
export function discuss(): void {
  prefs.values.chatOpen = true;
  const lines = selectedLines();
  if (lines) {
    const { path, side, from, to } = lines;
    chat.attach({ kind: 'selection', path, side, line_start: from, line_end: to });
  } else if (desk.selected && review.find(desk.selected)) discussFinding(desk.selected);
  else chat.focus += 1;
}

/** Opens the conversation with a finding as context. */
export function discussFinding(key: string): void {
  prefs.values.chatOpen = true;
  chat.attach({ kind: 'finding', key });
}

/** Opens the conversation with the current file as context. */
export function discussFile(): void {
  const path = openChange.view?.files[currentPosition().file]?.path;
  if (!path) return;
  prefs.values.chatOpen = true;
  chat.attach({ kind: 'file', path });
}

/** Goes to the context of a message. */
export function showAbout(about: About): void {
  if (about.kind === 'finding') return desk.select(about.key);
  const file = openChange.view?.files.findIndex((one) => one.path === about.path) ?? -1;
  if (file < 0) return;
  if (about.kind === 'selection') return showLine(file, [about.line_start], about.side);
  desk.view = 'diff';
  desk.reveal = { key: `f${file}`, align: 'start' };
}

/** Opens or closes the list of snippets. */
export function toggleSnippets(): void {
  prefs.values.chatOpen = true;
  desk.snippetsOpen = !desk.snippetsOpen;
  if (!desk.snippetsOpen) chat.focus += 1;
}
