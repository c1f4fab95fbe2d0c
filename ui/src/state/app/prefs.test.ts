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

it('saves what was typed without a connection when the core is reached again', async () => {
  vi.useFakeTimers();
  const [{ connection }, { prefs }] = await Promise.all([
    import('./connection.svelte'),
    import('./prefs.svelte'),
  ]);
  const transport = new FakeTransport();
  connection.start(transport);
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const saves = () => transport.sent.filter(({ method }) => method === 'state.set');
  const loaded = prefs.load();
  await settle();
  transport.answer(transport.sent[0]!.id, { key: 'desk', value: JSON.stringify({ drafts: { a: 'one' } }) });
  await loaded;
  transport.broken = true;
  transport.link('lost');
  prefs.setDraft('a', 'two');
  prefs.flush();
  await settle();
  expect(saves()).toEqual([]);
  transport.broken = false;
  transport.link('open');
  // The effect of the page calls this again, because the number of returns has changed.
  prefs.saveSoon();
  await vi.advanceTimersByTimeAsync(1_000);
  // Another window has saved a draft since.
  transport.answer(transport.sent.at(-1)!.id, {
    key: 'desk',
    value: JSON.stringify({ density: 'compact', drafts: { a: 'one', b: 'theirs' } }),
  });
  await settle();
  const { value } = saves().at(0)!.params as { value: string };
  expect(JSON.parse(value)).toMatchObject({ density: 'compact', drafts: { a: 'two', b: 'theirs' } });
  vi.useRealTimers();
});
