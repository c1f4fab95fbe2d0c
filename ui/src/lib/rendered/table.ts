// Parses comma- and tab-separated values, and compares tables by rows and cells.
import { NotRendered } from './kinds';
import { sequenceDiff, type Step } from './sequence-diff';

const MAX_ROWS = 5_000;
const MAX_COLUMNS = 200;

export interface TableDiff {
  /** The first row, which names the columns. */
  header: Step;
  old: string[][];
  new: string[][];
  /** The other rows. */
  steps: Step[];
  columns: number;
}

/** Compares two tables. A null text is an empty table. */
export function tableDiff(old: string | null, now: string | null, path: string): TableDiff {
  const separator = path.toLowerCase().endsWith('.tsv') ? '\t' : separatorOf(now ?? old ?? '');
  const [before, after] = [parse(old ?? '', separator), parse(now ?? '', separator)];
  for (const rows of [before, after]) {
    if (rows.length > MAX_ROWS) throw new NotRendered(`it has more than ${MAX_ROWS} rows`);
    if (rows.some((row) => row.length > MAX_COLUMNS))
      throw new NotRendered(`it has more than ${MAX_COLUMNS} columns`);
  }
  const key = (row: string[]) => JSON.stringify(row);
  const isPair = (a: number, b: number) => {
    const [one, other] = [before[a + 1] ?? [], after[b + 1] ?? []];
    const same = one.filter((cell, column) => cell === other[column]).length;
    return same * 2 >= Math.max(one.length, other.length) || one[0] === other[0];
  };
  const steps = sequenceDiff(before.slice(1).map(key), after.slice(1).map(key), isPair).map((step) => ({
    kind: step.kind,
    old: step.old === null ? null : step.old + 1,
    new: step.new === null ? null : step.new + 1,
  }));
  const [first, last] = [before[0], after[0]];
  const kind = !first ? '+' : !last ? '-' : key(first) === key(last) ? ' ' : '~';
  const columns = Math.max(0, ...before.map((row) => row.length), ...after.map((row) => row.length));
  return {
    header: { kind, old: first ? 0 : null, new: last ? 0 : null },
    old: before,
    new: after,
    steps,
    columns,
  };
}

/** Returns the character that separates the most values of the first line: a comma, a semicolon, a tab or a bar. */
function separatorOf(text: string): string {
  const line = text.slice(0, 4_000).split('\n', 1)[0] ?? '';
  const count = (char: string) => line.split(char).length;
  return [',', ';', '\t', '|'].reduce((best, char) => (count(char) > count(best) ? char : best));
}

/** Parses values by RFC 4180: quoted values may contain separators, line feeds and doubled quotes. */
export function parse(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let value = '';
  let quoted = false;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const endRow = () => {
    row.push(value);
    rows.push(row);
    [row, value] = [[], ''];
  };
  for (; at < text.length; at++) {
    const char = text[at]!;
    if (quoted) {
      if (char !== '"') value += char;
      else if (text[at + 1] === '"') value += text[at++];
      else quoted = false;
    } else if (char === '"' && value === '') quoted = true;
    else if (char === separator) {
      row.push(value);
      value = '';
    } else if (char === '\n') endRow();
    else if (!(char === '\r' && text[at + 1] === '\n')) value += char;
  }
  if (quoted) throw new NotRendered('a quoted value does not end');
  if (value !== '' || row.length > 0) endRow();
  return rows;
}
