// The kinds of files that have a rendered view.

export type RenderedKind = 'markdown' | 'notebook' | 'table';

const ENDINGS: Record<string, RenderedKind> = {
  md: 'markdown',
  markdown: 'markdown',
  mkd: 'markdown',
  ipynb: 'notebook',
  csv: 'table',
  tsv: 'table',
};

/** Returns the kind of a path. Null if it has no rendered view. */
export function renderedKind(path: string): RenderedKind | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return name.includes('.') ? (ENDINGS[name.slice(name.lastIndexOf('.') + 1)] ?? null) : null;
}

/** A file that is shown as text, with the reason as a clause. */
export class NotRendered extends Error {}
