import { describe, expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';

vi.stubGlobal('window', {});
const tick = () => new Promise((resolve) => setTimeout(resolve));

describe('the inbox', () => {
  it('is read once when it is shown at the start', async () => {
    const [{ connection }, { inbox }] = await Promise.all([
      import('../app/connection.svelte'),
      import('./inbox.svelte'),
    ]);
    const transport = new FakeTransport();
    connection.start(transport);
    const begun = inbox.begin();
    inbox.show();
    await tick();
    const lists = transport.sent.filter((one) => one.method === 'inbox.list');
    expect(lists).toHaveLength(1);
    transport.answer(lists[0]!.id, { accounts: [], rows: [], now: '' });
    await begun;
    expect(inbox.view).not.toBeNull();
  });
});
