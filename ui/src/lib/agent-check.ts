// In: what a test of an agent found, now or some time ago. Out: words for it.
import type { AgentCheck, ErrorInfo, LastCheckView } from '../rpc/types.gen';
import { ago, duration, short } from './text/format';

/** How a test stands; `works` is not known while it runs. */
export interface Tested {
  works: boolean | null;
  words: string;
}

export const running: Tested = { works: null, words: 'Asking it one line…' };

export function worked(found: AgentCheck): Tested {
  const used = found.tokens ? `, ${short(found.tokens.input + found.tokens.output)} tokens` : '';
  const version = found.version ? ` Version: ${found.version}.` : '';
  const note = found.note ? ` But ${found.note}.` : '';
  return { works: true, words: `It works: ${duration(found.milliseconds)}${used}.${version}${note}` };
}

export const failed = (error: Pick<ErrorInfo, 'message' | 'hint'>): Tested => ({
  works: false,
  words: [error.message, error.hint].filter(Boolean).join(' '),
});

/** What the last test found, with its time. */
export function remembered(last: LastCheckView | null | undefined, now = Date.now()): Tested | null {
  const then = last?.found ? worked(last.found) : last?.error ? failed(last.error) : null;
  if (!last || !then) return null;
  return { ...then, words: `Checked ${ago(Date.parse(last.at) / 1_000, now)}: ${then.words}` };
}
