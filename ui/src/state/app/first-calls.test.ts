import { expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';
import { firstCalls } from './first-calls';

vi.stubGlobal('window', {});

it('lists the calls that the next start makes, in the same form', async () => {
  const [{ connection }, { repos }] = await Promise.all([
    import('./connection.svelte'),
    import('./repos.svelte'),
  ]);
  const transport = new FakeTransport();
  connection.start(transport);
  const last = { repo: '/one', target: { kind: 'staged' as const } };
  const sent = (method: string) => transport.sent.find((one) => one.method === method)!;
  void repos.start();
  transport.answer(sent('state.get').id, { key: 'desk', value: JSON.stringify({ last }) });
  transport.answer(sent('app.info').id, { notices: [], recent: [] });
  await vi.waitFor(() => expect(sent('change.open')).toBeDefined());
  for (const { method, params } of firstCalls('desk', last))
    expect(JSON.stringify(sent(method).params), method).toBe(JSON.stringify(params));
});
