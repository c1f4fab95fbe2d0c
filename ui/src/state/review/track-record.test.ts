import { expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';

vi.stubGlobal('window', {});
const tick = () => new Promise((resolve) => setTimeout(resolve));

it('reads the records after the decisions before are saved', async () => {
  const [{ trackRecord }, { connection }, { queueWrite }] = await Promise.all([
    import('./track-record.svelte'),
    import('../app/connection.svelte'),
    import('../app/write-queue'),
  ]);
  const transport = new FakeTransport();
  connection.start(transport);
  let saved = () => {};
  void queueWrite(() => new Promise<void>((resolve) => (saved = resolve)));
  void trackRecord.load();
  await tick();
  const asked = () => transport.sent.filter((one) => one.method === 'agents.record').length;
  expect(asked()).toBe(0);
  saved();
  await tick();
  expect(asked()).toBe(1);
});
