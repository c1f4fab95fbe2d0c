// The result of an agent check as text.
import type { AgentCheck, ErrorInfo, LastCheck } from '../rpc/types.gen';
import { ago, duration, short } from './text/format';

/** The state of an agent check. `works` is null while the check runs. */
export interface CheckStatus {
  works: boolean | null;
  words: string;
}

export const checkRunning: CheckStatus = { works: null, words: 'Testing…' };

export function checkSucceeded(found: AgentCheck): CheckStatus {
  const used = found.usage ? `, ${short(found.usage.input + found.usage.output)} tokens` : '';
  const version = found.version ? ` Version: ${found.version}.` : '';
  const note = found.note ? ` Note: ${found.note}.` : '';
  return { works: true, words: `Works: ${duration(found.milliseconds)}${used}.${version}${note}` };
}

export const checkFailed = (error: Pick<ErrorInfo, 'message' | 'hint'>): CheckStatus => ({
  works: false,
  words: [error.message, error.hint].filter(Boolean).join(' '),
});

/** Returns the result of the last check, with its time. */
export function lastCheck(last: LastCheck | null | undefined, now = Date.now()): CheckStatus | null {
  const then = last?.found ? checkSucceeded(last.found) : last?.error ? checkFailed(last.error) : null;
  if (!last || !then) return null;
  return { ...then, words: `Checked ${ago(Date.parse(last.at) / 1_000, now)}: ${then.words}` };
}
