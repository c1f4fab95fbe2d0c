// Rows and texts of the history list.
import type { HistoryItem, InterruptedItem, Severity } from '../rpc/types.gen';
import { dollars } from './text/format';
import { severities } from './findings/findings';
import { historyTexts } from './texts/history';

export type HistoryListRow =
  | { kind: 'day'; key: string; title: string }
  | { kind: 'run'; key: string; run: InterruptedItem }
  | { kind: 'item'; key: string; item: HistoryItem };

/** Returns the rows of the list: interrupted runs, then the items in their order under headings for days. */
export function historyRows(
  items: HistoryItem[],
  runs: InterruptedItem[],
  now = new Date(),
): HistoryListRow[] {
  const rows: HistoryListRow[] = [];
  if (runs.length > 0) rows.push({ kind: 'day', key: 'd:runs', title: historyTexts.day.interrupted });
  for (const run of runs) rows.push({ kind: 'run', key: `r:${run.run_id}`, run });
  let day = '';
  for (const item of items) {
    const title = dayOf(item.at, now);
    if (title !== day) rows.push({ kind: 'day', key: `d:${title}`, title });
    day = title;
    rows.push({ kind: 'item', key: `${item.kind}:${item.id}`, item });
  }
  return rows;
}

/** Returns the heading of a day: `Today`, `Yesterday`, `Monday, Nov 3`, `Nov 3, 2024`. */
export function dayOf(rfc3339: string, now: Date): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return historyTexts.day.earlier;
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  if (days <= 0) return historyTexts.day.today;
  if (days === 1) return historyTexts.day.yesterday;
  const sameYear = at.getFullYear() === now.getFullYear();
  return at.toLocaleDateString('en', {
    ...(sameYear ? { weekday: 'long' as const } : { year: 'numeric' as const }),
    month: 'short',
    day: 'numeric',
  });
}

/** Returns the number of findings of each severity that occurs, the worst first. */
export function severityCounts(item: HistoryItem): { severity: Severity; count: number }[] {
  return severities
    .map((severity, index) => ({ severity, count: item.severities[index] ?? 0 }))
    .filter((one) => one.count > 0);
}

/** Returns the facts of a row besides its findings. */
export function factsOf(item: HistoryItem, titleOf: (agent: string) => string): string[] {
  const facts = [item.agent ? titleOf(item.agent) : '', item.model ?? ''];
  if (item.kind === 'conversation') facts.push(historyTexts.row.messages(item.messages));
  if (item.tokens != null) facts.push(historyTexts.row.tokens(item.tokens));
  if (item.cost_usd) facts.push(dollars(item.cost_usd));
  return facts.filter(Boolean);
}

/** Returns the progress of the triage: open, accepted, dismissed, posted. */
export function stateOf(item: HistoryItem): string {
  const all = item.severities.reduce((sum, count) => sum + count, 0);
  const open = Math.max(0, all - item.accepted - item.dismissed);
  const parts: [number, string][] = [
    [open, historyTexts.row.open],
    [item.accepted, historyTexts.row.accepted],
    [item.dismissed, historyTexts.row.dismissed],
    [item.posted, historyTexts.row.posted],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

/** Returns the warning before a row is removed. */
export function removalWarning(item: HistoryItem): string {
  if (item.kind === 'conversation')
    return historyTexts.row.removeConversation(item.title || item.change, item.messages);
  const all = item.severities.reduce((sum, count) => sum + count, 0);
  const decided = item.accepted + item.dismissed;
  return historyTexts.row.removeReview(item.change || item.place, all, decided, item.posted > 0);
}

/** Splits the text of a search hit at the matched words. */
export function matchParts(text: string): { text: string; found: boolean }[] {
  const parts: { text: string; found: boolean }[] = [];
  let found = false;
  let piece = '';
  const end = () => {
    if (piece) parts.push({ text: piece, found });
    piece = '';
  };
  for (const one of text.replace(/\s+/g, ' ')) {
    const code = one.codePointAt(0);
    // The core encloses each match between the characters 1 and 2.
    if (code === 1 || code === 2) {
      end();
      found = code === 1;
    } else piece += one;
  }
  end();
  return parts;
}

const rounds = {
  new: historyTexts.rounds.new,
  still: historyTexts.rounds.remaining,
  fixed: historyTexts.rounds.fixed,
  gone: historyTexts.rounds.removed,
} as const;
export type Round = keyof typeof rounds;
export const roundNames: Record<Round, string> = rounds;
