import { expect, it } from 'vitest';
import { lastCheck } from './agent-check';

const at = '2026-03-01T12:00:00Z';
const now = Date.parse('2026-03-04T13:00:00Z');

it('formats the result and time of the last check', () => {
  const found = {
    title: 'Codex',
    place: '/usr/bin/one',
    version: 'one 1.2',
    milliseconds: 2100,
    usage: { input: 90, output: 10, cached_input: 0 },
  };
  expect(lastCheck({ at, found }, now)).toEqual({
    works: true,
    words: 'Checked 3 days ago: Works: 2.1 s, 100 tokens. Version: one 1.2.',
  });
  const error = {
    error_code: 'AGENT_EXEC_FAILED' as const,
    message: 'One is not signed in.',
    hint: 'Sign in.',
    retryable: false,
    context: {},
  };
  expect(lastCheck({ at, error }, now)).toEqual({
    works: false,
    words: 'Checked 3 days ago: One is not signed in. Sign in.',
  });
  expect(lastCheck(null, now)).toBeNull();
});
