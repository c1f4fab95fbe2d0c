// Filters and groups findings for the list, and steps through it.
import { escapeInvisible } from '../text/invisible-characters';
import type { AnchorState, Decision, Finding, FindingView, Severity } from '../../rpc/types.gen';
import { triageTexts } from '../texts/triage';

export type Grouping = 'severity' | 'file' | 'agent';
export const groupings: readonly Grouping[] = ['severity', 'file', 'agent'];

/** All severities, the worst first. */
export const severities: readonly Severity[] = ['critical', 'high', 'medium', 'low', 'info'];

export type ListRow =
  | { kind: 'group'; key: string; title: string; count: number; severity?: Severity }
  | { kind: 'finding'; key: string; view: FindingView };

export type Badge = AnchorState | 'disputed';

const places: Record<AnchorState, string> = {
  verified: triageTexts.badge.verified,
  moved: triageTexts.badge.moved,
  unverified: triageTexts.badge.unverified,
  file: triageTexts.badge.file,
  unplaced: triageTexts.badge.unplaced,
};

/** Returns the badge of a finding: `disputed`, or the state of its anchor. */
export function badgeOf(finding: Finding): { name: Badge; why: string } {
  const against = (finding.claims ?? []).filter((claim) => claim.verdict === 'contradicted');
  const notes = finding.anchor.notes ?? [];
  if (finding.verdict === 'contradicted')
    return {
      name: 'disputed',
      why: [triageTexts.badge.disputed, ...against.map((one) => one.claim), ...notes].join('\n'),
    };
  return { name: finding.anchor.state, why: [places[finding.anchor.state], ...notes].join('\n') };
}

/** Filters findings. Each word must occur in the text, the place, or the properties (`high`, `security`, `moved`, `accepted`). */
export function filterFindings(findings: FindingView[], typed: string): FindingView[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return findings;
  return findings.filter((view) => {
    const text = haystack(view);
    return words.every((word) => text.includes(word));
  });
}

/** The searchable text of each view. A view is replaced when it changes, so the cache stays valid. */
const haystacks = new WeakMap<FindingView, string>();

function haystack(view: FindingView): string {
  const known = haystacks.get(view);
  if (known !== undefined) return known;
  const { finding, decision, reason } = view;
  const { anchor } = finding;
  const text = [
    titleOf(finding),
    finding.body_markdown,
    `${anchor.path}:${anchor.line_start ?? ''}`,
    finding.severity,
    finding.category,
    badgeOf(finding).name,
    finding.unedited_since ? triageTexts.before.badge : '',
    view.opinion?.verdict ?? '',
    decision,
    reason ?? '',
    ...finding.sources,
  ]
    .join('\n')
    .toLowerCase();
  haystacks.set(view, text);
  return text;
}

/**
 * Returns the rows of the list: a heading for each group, followed by its findings in the order of the diff. If `inOrder` is set, findings
 * of equal severity stay in their order.
 */
export function groupFindings(findings: FindingView[], by: Grouping, inOrder = false): ListRow[] {
  const groups = new Map<string, FindingView[]>();
  if (by === 'severity') for (const severity of severities) groups.set(severity, []);
  for (const view of inOrder && by === 'severity' ? findings : [...findings].sort(byPlace)) {
    const { severity, anchor, sources } = view.finding;
    const key = by === 'severity' ? severity : by === 'file' ? anchor.path : sources.join(', ');
    const group = groups.get(key);
    if (group) group.push(view);
    else groups.set(key, [view]);
  }
  const rows: ListRow[] = [];
  for (const [title, views] of groups) {
    if (views.length === 0) continue;
    const severity = by === 'severity' ? (title as Severity) : undefined;
    rows.push({
      kind: 'group',
      key: `g:${title}`,
      title,
      count: views.length,
      ...(severity ? { severity } : {}),
    });
    for (const view of views) rows.push({ kind: 'finding', key: view.finding.key, view });
  }
  return rows;
}

/** Compares by file, then by the line below which the diff shows the finding. Findings without a file are last. */
function byPlace(a: FindingView, b: FindingView): number {
  const file = (a.file ?? Infinity) - (b.file ?? Infinity);
  if (file !== 0 && !Number.isNaN(file)) return file;
  return (a.finding.anchor.line_end ?? 0) - (b.finding.anchor.line_end ?? 0);
}

const viewsOf = (rows: readonly ListRow[]): FindingView[] =>
  rows.flatMap((row) => (row.kind === 'finding' ? [row.view] : []));

/** Returns the open finding after or before another one. At the end of the list it continues at the other end. */
export function stepOpenFinding(rows: ListRow[], from: string | null, step: 1 | -1): string | null {
  const views = step === 1 ? viewsOf(rows) : viewsOf(rows).reverse();
  const at = views.findIndex((view) => view.finding.key === from);
  const others = [...views.slice(at + 1), ...views.slice(0, Math.max(at, 0))];
  return others.find((view) => view.decision === 'open')?.finding.key ?? null;
}

/** Returns the finding `step` further in the list. Returns the first or last one if no finding is selected. */
export function stepFinding(rows: ListRow[], from: string | null, step: 1 | -1): string | null {
  const ids = viewsOf(rows).map((view) => view.finding.key);
  if (ids.length === 0) return null;
  const at = from === null ? -1 : ids.indexOf(from);
  if (at < 0) return (step === 1 ? ids[0] : ids.at(-1)) ?? null;
  return ids[Math.min(Math.max(at + step, 0), ids.length - 1)] ?? null;
}

/** Returns the title: the agent's title, or the first sentence of the text. */
export function titleOf(finding: { title?: string | null; body_markdown: string }): string {
  if (finding.title) return escapeInvisible(finding.title);
  const plain = escapeInvisible(finding.body_markdown)
    .replace(/[`*_#>]/g, '')
    .trim();
  const sentence = /^.*?[.!?](?=\s|$)/s.exec(plain)?.[0] ?? plain;
  const line = sentence.replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

/** Returns the place as text, for example `src/auth.rs:88–90`. */
export function placeOf({ anchor }: FindingView['finding']): string {
  const path = escapeInvisible(anchor.path);
  if (anchor.line_start == null) return path;
  const range = anchor.line_end != null && anchor.line_end !== anchor.line_start ? `–${anchor.line_end}` : '';
  return `${path}:${anchor.line_start}${range}`;
}

/** Returns the lines as text, for example `Lines 88–90`, for a list in which the path is known. */
export function linesOf({ anchor }: FindingView['finding']): string {
  const { line_start: start, line_end: end } = anchor;
  if (start == null) return triageTexts.place.file;
  return end != null && end !== start ? triageTexts.place.lines(start, end) : triageTexts.place.line(start);
}

export function countDecisions(findings: FindingView[]): Record<Decision, number> {
  const counts = { open: 0, accepted: 0, dismissed: 0 };
  for (const view of findings) counts[view.decision] += 1;
  return counts;
}

/** Counts the findings of each file that are not dismissed, with their worst severity. */
export function countByFile(findings: FindingView[]): Map<number, { count: number; worst: Severity }> {
  const counts = new Map<number, { count: number; worst: Severity }>();
  for (const { file, finding, decision } of findings) {
    if (file == null || decision === 'dismissed') continue;
    const had = counts.get(file);
    const worse = !had || severities.indexOf(finding.severity) < severities.indexOf(had.worst);
    counts.set(file, { count: (had?.count ?? 0) + 1, worst: worse ? finding.severity : had.worst });
  }
  return counts;
}

export function countSeverities(findings: FindingView[]): Record<Severity, number> {
  const counts = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };
  for (const { finding } of findings) counts[finding.severity] += 1;
  return counts;
}
