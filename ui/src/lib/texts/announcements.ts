// Announcements for screen readers.
import type { Decision } from '../../rpc/types.gen';
import { count } from '../text/format';

const decisions: Record<Decision, string> = {
  open: 'Reopened',
  accepted: 'Accepted',
  dismissed: 'Dismissed',
};
const kinds = { '+': 'added', '-': 'removed', ' ': '' } as const;
const joined = (parts: readonly string[]) => parts.filter(Boolean).join(', ');

export const announcementTexts = {
  decided: (decision: Decision, findings: number) =>
    findings === 1 ? `${decisions[decision]}.` : `${decisions[decision]}: ${count(findings)} findings.`,
  file: (path: string, number: number, files: number) => `${path}, file ${count(number)} of ${count(files)}`,
  line: (path: string, line: number, kind: keyof typeof kinds, text: string) =>
    `${joined([path, `line ${line}`, kinds[kind]])}: ${text.trim() || 'empty'}`,
  lines: (path: string, from: number, to: number) => joined([path, `lines ${from} to ${to}`]),
} as const;
