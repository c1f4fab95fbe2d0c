// Goes to a line of the change, copies its place, and opens it in the editor.
import { editorAddress } from '../../lib/editors';
import { changeTexts } from '../../lib/texts/change';
import type { Side } from '../../rpc/types.gen';
import { change } from './change.svelte';
import { connection } from '../app/connection.svelte';
import { expandedContext } from './context-lines.svelte';
import { cursor } from './cursor.svelte';
import { mergeRequest } from '../posting/merge-request.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from './open-change.svelte';
import { openLink } from '../app/links';
import { prefs } from '../app/prefs.svelte';
import { rows } from './rows.svelte';
import { showLine } from './symbols.svelte';

const indexOf = (path: string): number =>
  openChange.view?.files.findIndex((file) => file.path === path) ?? -1;

export const isInChange = (path: string): boolean => indexOf(path) >= 0;

/** Returns the number of a file by its path on a side, or -1. */
export const fileOn = (path: string, side: Side): number =>
  openChange.view?.files.findIndex(
    (file) => (side === 'old' ? (file.old_path ?? file.path) : file.path) === path,
  ) ?? -1;

/** Whether the diff has a file with this path on a side. */
export const isOnSide = (path: string, side: Side): boolean => fileOn(path, side) >= 0;

/** Shows a line of a side of the change, also if it is hidden between the hunks. */
export async function revealPlace(path: string, line: number, side: Side): Promise<void> {
  const file = fileOn(path, side);
  const hunks = change.loaded.hunks[file] ?? [];
  const numbers = hunks.map((hunk) => hunk.lines.map((one) => one[side]).filter((number) => number !== null));
  if (!rows.lineAt(file, line, side) && !numbers.some((inHunk) => inHunk.includes(line))) {
    const after = numbers.findIndex((inHunk) => inHunk.length > 0 && inHunk[0]! > line);
    await expandedContext.expand(file, after < 0 ? hunks.length : after, 'all');
  }
  showLine(file, [line], side);
  const shown = rows.lineAt(file, line, side);
  if (shown) cursor.set(shown, side, false);
}

/** Opens a file of the repository in the editor. */
export function openInEditor(path: string, line: number): void {
  const { repo } = openChange;
  if (!repo?.path) return notices.info(changeTexts.message.noClone);
  const { editor } = prefs.values;
  if (editor !== 'environment') return openLink(editorAddress(editor, repo.path, path, line));
  openChange
    .call((change_id) => connection.client.call('editor.open', { change_id, path, line }))
    .catch((thrown: unknown) => notices.fail(thrown, changeTexts.message.editorNotOpened));
}

/** Shows a line of the new side, or the header of its file where the line is not shown. */
export function showPlace(path: string, line: number): void {
  const file = indexOf(path);
  if (file < 0) return notices.info(changeTexts.message.notInChange(path, line));
  showLine(file, [line]);
  const shown = rows.lineAt(file, line);
  if (shown) cursor.set(shown, 'new', false);
}

function copy(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => notices.info(changeTexts.message.copied(text)),
    (thrown: unknown) => notices.fail(thrown, changeTexts.message.notCopied),
  );
}

/** Copies `path:line` of the selected lines. */
export function copyPlace(): void {
  const place = cursor.place;
  if (!place) return;
  const { path, line_start: from, line_end: to } = place;
  copy(`${path}:${from}${to > from ? `-${to}` : ''}`);
}

/** Returns the address of the selected lines on the server, at the commit that is reviewed. Null without a merge request. */
export function permalink(): string | null {
  const place = cursor.place;
  const target = openChange.view?.target;
  const head = mergeRequest.view?.head;
  if (!place || place.side === 'old' || target?.kind !== 'merge_request' || !head) return null;
  const path = place.path.split('/').map(encodeURIComponent).join('/');
  const to = place.line_end > place.line_start ? `-${place.line_end}` : '';
  return `${target.base.replace(/\/$/, '')}/${target.project}/-/blob/${head}/${path}#L${place.line_start}${to}`;
}

export function copyPermalink(): void {
  const address = permalink();
  if (address) copy(address);
}

/** Whether the selected line exists in a file of the work tree. */
export function canEdit(): boolean {
  const file = openChange.view?.files[cursor.lines[0]?.file ?? -1];
  return Boolean(openChange.repo?.path) && file !== undefined && file.status !== 'deleted';
}

/** Opens the selected line in the editor. A removed line opens at the line that follows it. */
export function openEditor(): void {
  const { repo, view } = openChange;
  const [line] = cursor.lines;
  const file = view?.files[line?.file ?? -1];
  if (!repo || !line || !file) return;
  const number = line.new ?? rows.nextNewLine(line) ?? 1;
  openInEditor(file.path, number);
}
