// The result of an agent check as text.
import type { AgentCheck, ErrorInfo, LastCheck } from '../rpc/types.gen';
import { ago } from './text/format';
import { runTexts } from './texts/run';

/** The state of an agent check. `works` is null while the check runs. */
export interface CheckStatus {
  works: boolean | null;
  words: string;
}

export const checkRunning: CheckStatus = { works: null, words: runTexts.check.testing };

export function checkSucceeded(found: AgentCheck): CheckStatus {
  const { milliseconds, usage, version, note } = found;
  const tokens = usage ? usage.input + usage.output : null;
  return { works: true, words: runTexts.check.works(milliseconds, tokens, version ?? null, note ?? null) };
}

export const checkFailed = (error: Pick<ErrorInfo, 'message' | 'hint'>): CheckStatus => ({
  works: false,
  words: [error.message, error.hint].filter(Boolean).join(' '),
});

/** Returns the result of the last check, with its time. */
export function lastCheck(last: LastCheck | null | undefined, now = Date.now()): CheckStatus | null {
  const then = last?.found ? checkSucceeded(last.found) : last?.error ? checkFailed(last.error) : null;
  if (!last || !then) return null;
  return { ...then, words: runTexts.check.checked(ago(Date.parse(last.at) / 1_000, now), then.words) };
}
