// The inbox: filters its rows, lists them by group, and finds the next one.
import type { InboxGroup, InboxRow } from '../rpc/types.gen';

export const groupOrder: readonly InboxGroup[] = ['your_turn', 'ready_to_merge', 'waiting', 'drafts', 'done'];

/** A row of the page: the heading of a group, or a row of the inbox. */
export type InboxListRow =
  | { kind: 'group'; key: string; group: InboxGroup; count: number }
  | { kind: 'row'; key: string; row: InboxRow };

/** The texts that `name:` of a filter is compared with. */
const fields: Record<string, (row: InboxRow) => string[]> = {
  host: (row) => [row.host],
  project: (row) => [row.project],
  author: (row) => [row.author],
  label: (row) => row.labels,
  state: (row) => statesOf(row),
};

/** The states of a row, as `state:` of a filter names them. */
function statesOf(row: InboxRow): string[] {
  return [
    row.group.replaceAll('_', '-'),
    row.role,
    row.kind === 'local' ? 'local' : '',
    row.mark ?? '',
    row.pipeline ?? '',
    row.conflicts ? 'conflicts' : '',
    row.draft ? 'draft' : '',
    row.review ? 'reviewed' : 'not-reviewed',
  ].filter(Boolean);
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

function matches(row: InboxRow, word: string): boolean {
  const colon = word.indexOf(':');
  const field = colon > 0 ? fields[word.slice(0, colon)] : undefined;
  if (field) {
    const wanted = word.slice(colon + 1);
    return field(row).some((text) => text.toLowerCase().includes(wanted));
  }
  const texts = [row.title, `${row.project}!${row.iid ?? ''}`, row.author, row.reason.text, ...row.labels];
  return texts.some((text) => text.toLowerCase().includes(word));
}

/** Returns the rows that a filter names. Hidden rows need a filter for their state. */
export function filterInbox(rows: readonly InboxRow[], filter: string): InboxRow[] {
  const words = wordsOf(filter);
  const namesHidden = words.some((word) => word === 'state:snoozed' || word === 'state:muted');
  return rows.filter((row) => (!row.hidden || namesHidden) && words.every((word) => matches(row, word)));
}

/** Lists rows below the headings of their groups. */
export function listInbox(rows: readonly InboxRow[]): InboxListRow[] {
  return groupOrder.flatMap((group) => {
    const own = rows.filter((row) => row.group === group);
    if (own.length === 0) return [];
    const listed = own.map((row): InboxListRow => ({ kind: 'row', key: row.key, row }));
    return [{ kind: 'group', key: `group:${group}`, group, count: own.length }, ...listed];
  });
}

/** Returns the rows that wait for the reader. */
export const yourTurn = (rows: readonly InboxRow[]): InboxRow[] =>
  rows.filter((row) => row.group === 'your_turn' && !row.hidden);

/** Returns the next row that waits for the reader: the one after the current row, or else the first one. */
export function nextRow(rows: readonly InboxRow[], current: string | null): InboxRow | null {
  const turn = yourTurn(rows);
  const at = turn.findIndex((row) => row.key === current);
  const others = [...turn.slice(at + 1), ...turn.slice(0, Math.max(at, 0))];
  return others.find((row) => row.key !== current) ?? null;
}

/** Returns the key of the row that is `by` rows away, or the first one. */
export function stepRow(rows: readonly InboxListRow[], key: string | null, by: 1 | -1): string | null {
  const keys = rows.flatMap((row) => (row.kind === 'row' ? [row.key] : []));
  const at = key === null ? -1 : keys.indexOf(key);
  if (at < 0) return keys[0] ?? null;
  return keys[Math.min(Math.max(at + by, 0), keys.length - 1)] ?? null;
}

/** Returns a time at 9:00 on a later day: tomorrow, or the next Monday. */
export function snoozeEnd(kind: 'tomorrow' | 'week', now = new Date()): string {
  const days = kind === 'tomorrow' ? 1 : (8 - now.getDay()) % 7 || 7;
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9).toISOString();
}
