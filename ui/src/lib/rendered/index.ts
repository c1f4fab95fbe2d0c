// Compares the two sides of a file for its rendered view.
import type { RenderedKind } from './kinds';
import { markdownDiff, type MarkdownDiff } from './markdown-blocks';
import { notebookDiff, type NotebookDiff } from './notebook';
import { tableDiff, type TableDiff } from './table';

export type RenderedDiff =
  | { kind: 'markdown'; diff: MarkdownDiff }
  | { kind: 'notebook'; diff: NotebookDiff }
  | { kind: 'table'; diff: TableDiff };

/** Compares two texts. Throws `NotRendered` with the reason where the file has to be shown as text. */
export function renderedDiff(
  kind: RenderedKind,
  path: string,
  old: string | null,
  now: string | null,
): RenderedDiff {
  if (kind === 'markdown') return { kind, diff: markdownDiff(old, now) };
  if (kind === 'notebook') return { kind, diff: notebookDiff(old, now) };
  return { kind, diff: tableDiff(old, now, path) };
}
