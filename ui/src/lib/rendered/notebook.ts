// Reads Jupyter notebooks and compares them by cells.
import { NotRendered } from './kinds';
import { sequenceDiff, type Step } from './sequence-diff';

const MAX_CELLS = 2_000;
const MAX_OUTPUT_CHARACTERS = 20_000;
/** The images that a browser shows without running anything. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

export interface Cell {
  /** `code`, `markdown` or `raw`. */
  type: string;
  source: string;
  /** The number of the execution. Null if it was not executed. */
  count: number | null;
  text: string;
  /** The images of the output, as addresses with data. */
  images: string[];
  /** The kinds of output that are not shown. */
  others: string[];
}

export interface NotebookDiff {
  /** The language of code, as a file ending. */
  language: string;
  old: Cell[];
  new: Cell[];
  steps: Step[];
}

/** Compares two notebooks. A null text has no cells. */
export function notebookDiff(old: string | null, now: string | null): NotebookDiff {
  const [before, after] = [read(old), read(now)];
  const key = ({ type, source, text, images, others }: Cell) =>
    JSON.stringify([type, source, text, images, others]);
  const isPair = (a: number, b: number) => before.cells[a]?.type === after.cells[b]?.type;
  return {
    language: after.language || before.language,
    old: before.cells,
    new: after.cells,
    steps: sequenceDiff(before.cells.map(key), after.cells.map(key), isPair),
  };
}

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Texts are one string, or an array of lines with their line feeds. */
const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? value.filter((part) => typeof part === 'string').join('')
    : typeof value === 'string'
      ? value
      : '';

function read(text: string | null): { cells: Cell[]; language: string } {
  if (text === null) return { cells: [], language: '' };
  let notebook: unknown;
  try {
    notebook = JSON.parse(text);
  } catch {
    throw new NotRendered('it is not valid JSON');
  }
  const cells = isObject(notebook) ? notebook.cells : null;
  if (!isObject(notebook) || !Array.isArray(cells))
    throw new NotRendered('it is not a notebook of version 4');
  if (cells.length > MAX_CELLS) throw new NotRendered(`it has more than ${MAX_CELLS} cells`);
  const metadata = isObject(notebook.metadata) ? notebook.metadata : {};
  const info = isObject(metadata.language_info) ? metadata.language_info : {};
  const language = textOf(info.file_extension).replace(/^\./, '') || 'py';
  return { cells: cells.filter(isObject).map(cellOf), language };
}

function cellOf(cell: Json): Cell {
  const read: Cell = {
    type: textOf(cell.cell_type) || 'raw',
    source: textOf(cell.source),
    count: typeof cell.execution_count === 'number' ? cell.execution_count : null,
    text: '',
    images: [],
    others: [],
  };
  for (const output of Array.isArray(cell.outputs) ? cell.outputs.filter(isObject) : [])
    addOutput(read, output);
  if (read.text.length > MAX_OUTPUT_CHARACTERS) read.text = `${read.text.slice(0, MAX_OUTPUT_CHARACTERS)}\n…`;
  return read;
}

// eslint-disable-next-line no-control-regex -- terminals mark colours with escape sequences
const COLOURS = /\u001b\[[\d;]*m/g;

function addOutput(cell: Cell, output: Json): void {
  const add = (text: string) => {
    if (text) cell.text += (cell.text && !cell.text.endsWith('\n') ? '\n' : '') + text.replace(COLOURS, '');
  };
  if (output.output_type === 'stream') return add(textOf(output.text));
  if (output.output_type === 'error') {
    const traceback = Array.isArray(output.traceback)
      ? output.traceback.filter((line) => typeof line === 'string')
      : [];
    return add(
      traceback.length > 0 ? traceback.join('\n') : `${textOf(output.ename)}: ${textOf(output.evalue)}`,
    );
  }
  const data = isObject(output.data) ? output.data : {};
  const image = IMAGES.find((type) => type in data);
  if (image) {
    const encoded = textOf(data[image]).replace(/\s/g, '');
    if (/^[A-Za-z\d+/]+=*$/.test(encoded)) return void cell.images.push(`data:${image};base64,${encoded}`);
  }
  const plain = textOf(data['text/plain']);
  if (plain) return add(plain);
  cell.others.push(...Object.keys(data));
}
