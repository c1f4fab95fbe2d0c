import { expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';

vi.stubGlobal('window', {});

it('reads preferences under the names of earlier versions, and ignores invalid ones', async () => {
  const [{ connection }, { prefs }] = await Promise.all([
    import('./connection.svelte'),
    import('./prefs.svelte'),
  ]);
  const transport = new FakeTransport();
  connection.start(transport);
  const loaded = prefs.load();
  const value = JSON.stringify({
    theme: 'dark',
    scale: 'large',
    also: ['codex'],
    left: [['r1', null, '', 'diff']],
  });
  transport.answer(transport.sent[0]!.id, { key: 'desk', value });
  await loaded;
  expect(prefs.values).toMatchObject({
    theme: 'dark',
    scale: 1,
    additionalAgents: ['codex'],
    reviewViews: [['r1', null, '', 'diff']],
  });
});
