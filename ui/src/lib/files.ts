// The list of files: filter, and rows of the flat list or the tree.
import type { FileView } from '../rpc/types.gen';
import type { Section } from './diff/reading-order';

export interface FileFilter {
  /** Words of the path. */
  text: string;
  /** The extension without a dot, or '' for all. */
  type: string;
  /** Whether only files are listed that are not viewed. */
  unviewed: boolean;
  /** Whether only files with findings are listed. */
  findings: boolean;
  /** The owner, or '' for all. */
  owner: string;
}

export const noFilter: FileFilter = { text: '', type: '', unviewed: false, findings: false, owner: '' };

export interface FileFacts {
  isViewed: (file: number) => boolean;
  hasFindings: (file: number) => boolean;
  ownersOf: (file: number) => readonly string[];
}

/** Returns the extension of a path in lower case. For a name without one, the whole name. */
export function typeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const at = name.lastIndexOf('.');
  return at > 0 ? name.slice(at + 1).toLowerCase() : name;
}

/** Returns the extensions of files, the most frequent first. */
export function typesOf(files: readonly FileView[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(typeOf(file.path), (counts.get(typeOf(file.path)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([type]) => type);
}

/** Returns the indices of the files that a filter accepts. */
export function filterFiles(files: readonly FileView[], filter: FileFilter, facts: FileFacts): number[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return files.flatMap((file, index) => {
    const path = file.path.toLowerCase();
    const fits =
      words.every((word) => path.includes(word)) &&
      (filter.type === '' || typeOf(file.path) === filter.type) &&
      (!filter.unviewed || !facts.isViewed(index)) &&
      (!filter.findings || facts.hasFindings(index)) &&
      (filter.owner === '' || facts.ownersOf(index).includes(filter.owner));
    return fits ? [index] : [];
  });
}

/** A row of the flat list or the tree. */
export type TreeRow =
  | { kind: 'file'; key: string; index: number; depth: number; inTree: boolean; part: number }
  | { kind: 'folder'; key: string; path: string; name: string; depth: number; files: number; open: boolean };

export type FileListRow = TreeRow | { kind: 'chapter'; key: string; chapter: number };

interface Folder {
  folders: Map<string, Folder>;
  files: { name: string; index: number }[];
}

const natural = new Intl.Collator('en', { numeric: true });

/** Returns the rows of the tree. A folder with a single folder is shown together with it. Names are in natural order. */
export function treeRows(
  files: readonly FileView[],
  shown: readonly number[],
  isOpen: (folder: string) => boolean,
): TreeRow[] {
  const root: Folder = { folders: new Map(), files: [] };
  for (const index of shown) {
    const parts = files[index]!.path.split('/');
    const name = parts.pop()!;
    let folder = root;
    for (const part of parts) {
      let next = folder.folders.get(part);
      if (!next) folder.folders.set(part, (next = { folders: new Map(), files: [] }));
      folder = next;
    }
    folder.files.push({ name, index });
  }
  const rows: TreeRow[] = [];
  pushFolder(rows, root, '', 0, isOpen);
  return rows;
}

function pushFolder(
  rows: TreeRow[],
  folder: Folder,
  path: string,
  depth: number,
  isOpen: (folder: string) => boolean,
): void {
  const folders = [...folder.folders].sort(([a], [b]) => natural.compare(a, b));
  for (const [first, found] of folders) {
    let [name, inner] = [first, found];
    while (inner.files.length === 0 && inner.folders.size === 1) {
      const [only] = inner.folders;
      name += `/${only![0]}`;
      inner = only![1];
    }
    const whole = path + name;
    const open = isOpen(whole);
    rows.push({ kind: 'folder', key: `d${whole}`, path: whole, name, depth, files: countFiles(inner), open });
    if (open) pushFolder(rows, inner, `${whole}/`, depth + 1, isOpen);
  }
  for (const { index } of [...folder.files].sort((a, b) => natural.compare(a.name, b.name)))
    rows.push({ kind: 'file', key: String(index), index, depth, inTree: true, part: 0 });
}

const countFiles = (folder: Folder): number =>
  folder.files.length + [...folder.folders.values()].reduce((sum, inner) => sum + countFiles(inner), 0);

/** Returns the rows of the flat list. */
export const flatRows = (shown: readonly number[]): TreeRow[] =>
  shown.map((index) => ({ kind: 'file', key: String(index), index, depth: 0, inTree: false, part: 0 }));

/** Returns the rows of the list in reading order: the files of each chapter below its name. */
export function chapterRows(sections: readonly Section[], shown: readonly number[]): FileListRow[] {
  const rows: FileListRow[] = [];
  let chapter = -1;
  for (const section of sections) {
    const { file: index, part } = section;
    if (!shown.includes(index)) continue;
    if (section.chapter !== chapter) {
      chapter = section.chapter;
      rows.push({ kind: 'chapter', key: `g${chapter}`, chapter });
    }
    const key = part === 0 ? String(index) : `${index}.${part}`;
    rows.push({ kind: 'file', key, index, depth: 0, inTree: false, part });
  }
  return rows;
}
