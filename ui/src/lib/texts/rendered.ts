// Rendered files: Markdown, notebooks, tables.
import { plural } from '../text/format';

export const renderedTexts = {
  loading: 'Rendering…',
  table: (path: string) => `Table of ${path}`,
  hidden: {
    blocks: (count: number) => `Show ${plural(count, 'unchanged block')}`,
    rows: (count: number) => `Show ${plural(count, 'row')}`,
    cells: (count: number) => `Show ${plural(count, 'unchanged cell')}`,
  },
  sign: { '+': 'added', '-': 'removed' },
  rowClass: { ' ': 'same', '+': 'added', '-': 'removed', '~': 'changed' },

  // Notebooks
  cell: (type: string, count: number | null) =>
    type === 'code' ? `Code${count === null ? '' : ` [${count}]`}` : type === 'markdown' ? 'Text' : 'Raw',
  cellState: { '+': 'added', '-': 'removed', '~': 'changed' },
  output: 'Output',
  others: (kinds: readonly string[]) => `Output that is not shown: ${[...new Set(kinds)].join(', ')}.`,
  imageOf: { ' ': 'Image in the output', '+': 'New image', '-': 'Removed image' },
} as const;
