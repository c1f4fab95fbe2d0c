// Rows and texts of the history list.
import type { HistoryItem, InterruptedItem, Severity } from '../rpc/types.gen';
import { dollars, plural, short } from './text/format';
import { severities } from './findings/findings';

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
  if (runs.length > 0) rows.push({ kind: 'day', key: 'd:runs', title: 'Interrupted' });
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
  if (Number.isNaN(at.getTime())) return 'Earlier';
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
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
  if (item.kind === 'conversation') facts.push(plural(item.messages, 'message'));
  if (item.tokens != null) facts.push(`${short(item.tokens)} tokens`);
  if (item.cost_usd) facts.push(dollars(item.cost_usd));
  return facts.filter(Boolean);
}

/** Returns the progress of the triage: open, accepted, dismissed, posted. */
export function stateOf(item: HistoryItem): string {
  const all = item.severities.reduce((sum, count) => sum + count, 0);
  const open = Math.max(0, all - item.accepted - item.dismissed);
  const parts: [number, string][] = [
    [open, 'open'],
    [item.accepted, 'accepted'],
    [item.dismissed, 'dismissed'],
    [item.posted, 'posted'],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

/** Returns the warning before a row is removed. */
export function removalWarning(item: HistoryItem): string {
  if (item.kind === 'conversation')
    return `Remove the conversation “${item.title || item.change}” with ${plural(item.messages, 'message')}?`;
  const all = item.severities.reduce((sum, count) => sum + count, 0);
  const decided = item.accepted + item.dismissed;
  const what = [plural(all, 'finding'), ...(decided > 0 ? [plural(decided, 'decision')] : [])].join(', ');
  const posted = item.posted > 0 ? ' Posted comments stay in GitLab.' : '';
  return `Remove the review of ${item.change || item.place} with ${what} and its run folder?${posted}`;
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

const rounds = { new: 'New', still: 'Remaining', fixed: 'Fixed', gone: 'Removed' } as const;
export type Round = keyof typeof rounds;
export const roundNames: Record<Round, string> = rounds;
