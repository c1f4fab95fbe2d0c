// Words for screen readers: what a key has changed in the reading of a change.
import type { Decision, Side } from '../rpc/types.gen';
import { announcementTexts as texts } from './texts/announcements';

/** Where the reader is, and what was decided. */
export interface ReadingState {
  /** The change and the review. After another one is shown, nothing is announced. */
  of: string;
  finding: { key: string; title: string; place: string } | null;
  /** The requested file, with its number from 1. */
  file: { path: string; number: number; count: number } | null;
  /** The selected lines. */
  lines: { path: string; side: Side; from: number; to: number; kind: '+' | '-' | ' '; text: string } | null;
  decisions: ReadonlyMap<string, Decision>;
}

/** Returns what to announce after a step. Empty if nothing has changed that a key changes. */
export function announcement(before: ReadingState | null, now: ReadingState): string {
  if (!before || before.of !== now.of) return '';
  const parts = [decided(before, now)];
  const { finding, file, lines } = now;
  if (finding && finding.key !== before.finding?.key) parts.push(`${finding.title}, ${finding.place}`);
  else if (lines && !same(lines, before.lines)) parts.push(linesText(before, lines));
  else if (file && !same(file, before.file)) parts.push(texts.file(file.path, file.number, file.count));
  return parts.filter(Boolean).join(' ');
}

function decided(before: ReadingState, now: ReadingState): string {
  if (before.decisions === now.decisions) return '';
  const changed = [...now.decisions].filter(([key, decision]) => {
    const was = before.decisions.get(key);
    return was !== undefined && was !== decision;
  });
  const [first] = changed;
  return first ? texts.decided(first[1], changed.length) : '';
}

/** The file is named only where it is another one than before. */
function linesText(before: ReadingState, lines: NonNullable<ReadingState['lines']>): string {
  const path = before.lines?.path === lines.path ? '' : lines.path;
  return lines.from === lines.to
    ? texts.line(path, lines.from, lines.kind, lines.text)
    : texts.lines(path, lines.from, lines.to);
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
