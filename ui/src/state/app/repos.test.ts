import { describe, expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';

vi.stubGlobal('window', {});
const tick = () => new Promise((resolve) => setTimeout(resolve));

describe('opening a repository with a change', () => {
  it('cancels the change that is being opened without an error', async () => {
    const [{ change }, { connection }, { openChange }, { repos }] = await Promise.all([
      import('../change/change.svelte'),
      import('./connection.svelte'),
      import('../change/open-change.svelte'),
      import('./repos.svelte'),
    ]);
    const transport = new FakeTransport();
    connection.start(transport);
    openChange.repo = { path: '/one', name: 'one', local: [], branches: [], commits: [] };
    const before = change.open({ kind: 'unstaged' });
    await tick();
    void repos.open('/two', { kind: 'staged' });
    await tick();
    const asked = transport.sent.find((one) => one.method === 'change.open')!;
    expect(transport.sent.find((one) => one.method === 'rpc.cancel')?.params).toEqual({ id: asked.id });
    const data = { error_code: 'AGENT_CANCELLED' };
    transport.fail(asked.id, { code: -32000, message: 'The opening was cancelled.', data });
    await before;
    expect([change.error, change.failedTarget]).toEqual([null, null]);
  });
});
