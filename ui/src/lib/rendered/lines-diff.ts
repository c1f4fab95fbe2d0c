// Compares two texts by lines, as a small diff.
import { findMates } from '../diff/lines';
import type { PatchLine } from '../diff/patch';
import { sequenceDiff } from './sequence-diff';

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/));

/** Returns the lines of both texts. Removed lines of a change precede added ones. */
export function linesDiff(old: string, now: string): PatchLine[] {
  const [before, after] = [linesOf(old), linesOf(now)];
  const lines: PatchLine[] = [];
  let added: PatchLine[] = [];
  for (const step of sequenceDiff(before, after, () => false)) {
    if (step.kind === ' ') lines.push(...added.splice(0), { kind: ' ', text: after[step.new!]!, mate: null });
    if (step.old !== null && step.kind !== ' ')
      lines.push({ kind: '-', text: before[step.old]!, mate: null });
    if (step.new !== null && step.kind !== ' ') added.push({ kind: '+', text: after[step.new]!, mate: null });
  }
  lines.push(...added);
  added = [];
  findMates(lines);
  return lines;
}
