import { expect, test } from 'vitest';
import type { MessageView, SandboxReceipt } from '../../rpc/types.gen';
import { changedSandboxes, describeSandbox } from './sandbox';

test('describes a missing sandbox with its reason, and a sandbox with its hosts', () => {
  expect(describeSandbox({})).toBe('none, not available');
  expect(describeSandbox({ mechanism: 'none', reason: 'bubblewrap is not installed' })).toBe(
    'none, bubblewrap is not installed',
  );
  const connections = [
    { host: 'api.openai.com:443', allowed: true },
    { host: 'example.com:443', allowed: false },
  ];
  expect(describeSandbox({ mechanism: 'bubblewrap', connections, saved: ['/home/a/.codex/auth.json'] })).toBe(
    'bubblewrap; connected to api.openai.com:443; refused example.com:443; saved /home/a/.codex/auth.json',
  );
});

test('describes a sandbox without namespaces with its reason and limits', () => {
  const receipt: SandboxReceipt = {
    mechanism: 'landlock',
    reason: 'bubblewrap is not installed',
    not_covered: ['metadata'],
  };
  expect(describeSandbox(receipt)).toBe(
    'Landlock and seccomp, bubblewrap is not installed; not restricted: metadata',
  );
});

test('describes the sandbox of macOS with its limits', () => {
  expect(describeSandbox({ mechanism: 'seatbelt', not_covered: ['metadata'] })).toBe(
    'sandbox-exec; not restricted: metadata',
  );
});

test('describes the sandbox of an answer where it differs from the answer before', () => {
  const answer = (number: number, agent: string, sandbox: SandboxReceipt | null) =>
    ({ number, agent, sandbox }) as MessageView;
  const host = (host: string): SandboxReceipt => ({
    mechanism: 'bubblewrap',
    connections: [{ host, allowed: false }],
  });
  const changed = changedSandboxes([
    answer(1, '', null),
    answer(2, 'Codex', { mechanism: 'bubblewrap' }),
    answer(3, '', null),
    answer(4, 'Codex', { mechanism: 'bubblewrap' }),
    answer(6, 'Codex', host('example.com:443')),
    answer(8, 'Codex', host('example.com:443')),
    answer(10, 'Claude', host('example.com:443')),
    answer(12, 'Claude', { mechanism: 'none', reason: 'bubblewrap is not installed' }),
  ]);
  expect([...changed]).toEqual([
    [2, 'bubblewrap'],
    [6, 'bubblewrap; refused example.com:443'],
    [10, 'bubblewrap; refused example.com:443'],
    [12, 'none, bubblewrap is not installed'],
  ]);
});
