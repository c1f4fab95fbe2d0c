// Editable fields of a finding: extracted, compared, and found among unsaved drafts.
import type { FindingView, NewFinding, Side } from '../../rpc/types.gen';

export interface LineRange {
  path: string;
  side: Side;
  line_start: number;
  line_end: number;
}

/** Unsaved fields of a finding. */
export interface UnsavedWords extends NewFinding {
  /** The text of the lines that a new finding is about, so that it follows them to another version. */
  quote?: string;
  /** Whether these lines are not in the shown version. */
  stale?: boolean;
}

/** Returns the fields that are saved. */
export function savedWords({ quote: _quote, stale: _stale, ...words }: UnsavedWords): NewFinding {
  return { ...words, line_end: Math.max(words.line_start, words.line_end) };
}

/** Returns the drafts of new findings. A key consists of the prefix of the change, path, side and last line; a path may contain spaces. */
export function unsavedFindings(
  words: Readonly<Record<string, UnsavedWords>>,
  prefix: string,
): { key: string; place: LineRange; words: UnsavedWords }[] {
  return Object.entries(words).flatMap(([key, draft]) => {
    const found = key.startsWith(prefix) ? /^(.+) (new|old) (\d+)$/.exec(key.slice(prefix.length)) : null;
    if (!found) return [];
    const line_end = Number(found[3]);
    const line_start = Math.min(draft.line_start, line_end);
    return [{ key, place: { path: found[1]!, side: found[2] as Side, line_start, line_end }, words: draft }];
  });
}

export const emptyWords = { severity: 'medium', category: 'correctness', title: '', body: '' } as const;

export function wordsOf({ finding }: FindingView): NewFinding {
  const { anchor } = finding;
  const line_start = anchor.line_start ?? finding.line_start;
  return {
    severity: finding.severity,
    category: finding.category,
    path: anchor.path,
    side: anchor.side,
    line_start,
    line_end: anchor.line_end ?? line_start,
    title: finding.title ?? '',
    body: finding.body_markdown,
  };
}

export const hasText = ({ title, body }: NewFinding): boolean => title.trim() !== '' || body.trim() !== '';

/** Returns whether the fields differ from the finding. */
export function isEdited(words: NewFinding, view: FindingView): boolean {
  const now = wordsOf(view);
  return (Object.keys(now) as (keyof NewFinding)[]).some((key) => now[key] !== words[key]);
}

/** Returns whether the user is the only source of a finding. */
export const isOwn = (view: FindingView | undefined): boolean =>
  view?.finding.sources.length === 1 && view.finding.sources[0] === 'you';
