import { expect, test } from 'vitest';
import type { FileView } from '../rpc/types.gen';
import { filterFiles, noFilter, treeRows, typesOf, type FileFilter } from './files';

const files = [
  'src/app/file10.ts',
  'src/app/file2.ts',
  'src/lib/deep/a.rs',
  'README.md',
  'Makefile',
  'src/z.ts',
].map((path) => ({ path }) as FileView);
const facts = {
  isViewed: (file: number) => file === 1,
  hasFindings: (file: number) => file === 2,
  ownersOf: (file: number) => (file === 3 ? ['@writers'] : ['@all']),
};
const filtered = (filter: Partial<FileFilter>) =>
  filterFiles(files, { ...noFilter, ...filter }, facts).map((index) => files[index]!.path);

test('files are filtered by words, type, viewed mark, findings and owner', () => {
  expect(filtered({ text: 'APP 10' })).toEqual(['src/app/file10.ts']);
  expect(filtered({ type: 'ts', unviewed: true })).toEqual(['src/app/file10.ts', 'src/z.ts']);
  expect(filtered({ findings: true })).toEqual(['src/lib/deep/a.rs']);
  expect(filtered({ owner: '@writers' })).toEqual(['README.md']);
  expect(typesOf(files)).toEqual(['ts', 'Makefile', 'md', 'rs']);
});

const drawn = (isOpen: (folder: string) => boolean) =>
  treeRows(files, [0, 1, 2, 3, 4, 5], isOpen).map((row) =>
    row.kind === 'folder'
      ? `${' '.repeat(row.depth)}${row.name}/ ${row.files}`
      : `${' '.repeat(row.depth)}${files[row.index]!.path.split('/').pop()}`,
  );

test('the tree joins folders with one folder, and has a natural order', () => {
  expect(drawn(() => true)).toEqual([
    'src/ 4',
    ' app/ 2',
    '  file2.ts',
    '  file10.ts',
    ' lib/deep/ 1',
    '  a.rs',
    ' z.ts',
    'Makefile',
    'README.md',
  ]);
  expect(drawn((folder) => folder !== 'src')).toEqual(['src/ 4', 'Makefile', 'README.md']);
});
