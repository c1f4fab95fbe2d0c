import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';
import type { UpdateView } from '../../rpc/types.gen';

vi.stubGlobal('window', {});
const tick = () => new Promise((resolve) => setTimeout(resolve));
const view: UpdateView = {
  version: '1.2.0',
  not_offered: null,
  url: 'https://example.com/update.json',
  available: { version: '1.3.0', released: '2026-11-20T10:00:00Z', size: 1000 },
  phase: 'ready',
  received: 1000,
  checked_at: '2026-11-26T10:00:00Z',
  outcome: null,
};

async function start() {
  const [{ connection }, { notices }, { prefs }, { updates }] = await Promise.all([
    import('../app/connection.svelte'),
    import('../app/notices.svelte'),
    import('../app/prefs.svelte'),
    import('./updates.svelte'),
  ]);
  const transport = new FakeTransport();
  connection.start(transport);
  const loaded = prefs.load();
  await tick();
  transport.answer(transport.sent[0]!.id, { key: 'desk', value: null });
  await loaded;
  const sent = (method: string) => transport.sent.filter((one) => one.method === method);
  return { notices, prefs, transport, updates, sent };
}

describe('the restart with a new version', () => {
  beforeEach(() => vi.resetModules());

  it('saves drafts before it begins', async () => {
    const { prefs, transport, updates, sent } = await start();
    prefs.setDraft('a', 'unposted');
    const installed = updates.install();
    await tick();
    expect(sent('state.set').length).toBeGreaterThan(0);
    expect(JSON.stringify(sent('state.set'))).toContain('unposted');
    expect(sent('update.install')).toEqual([]);
    for (const save of sent('state.set')) transport.answer(save.id, {});
    await tick();
    expect(sent('update.install').length).toBe(1);
    transport.answer(sent('update.install')[0]!.id, {});
    await tick();
    transport.answer(sent('update.state')[0]!.id, { ...view, phase: 'restarting' });
    await installed;
    expect(updates.view?.phase).toBe('restarting');
  });

  it('does not begin if drafts cannot be saved', async () => {
    const { notices, prefs, transport, updates, sent } = await start();
    prefs.setDraft('a', 'unposted');
    const installed = updates.install();
    await tick();
    for (const save of sent('state.set'))
      transport.fail(save.id, { code: -32000, message: 'The disk is full.' });
    await installed;
    expect(sent('update.install')).toEqual([]);
    expect(notices.all[0]?.text).toContain('drafts could not be saved');
  });
});

describe('the start of a page', () => {
  beforeEach(() => vi.resetModules());

  it('completes an update, checks, and shows why an earlier update failed', async () => {
    const { notices, transport, updates, sent } = await start();
    const end = updates.follow();
    await tick();
    transport.answer(sent('update.started')[0]!.id, {});
    await tick();
    expect(sent('update.check')[0]?.params).toEqual({ automatic: true });
    const outcome = 'Version 1.3.0 could not be installed.';
    transport.answer(sent('update.check')[0]!.id, { ...view, outcome });
    await tick();
    expect(notices.all[0]?.text).toBe(outcome);
    end();
  });

  it('shows no error of a check that nobody asked for', async () => {
    const { notices, transport, updates, sent } = await start();
    const end = updates.follow();
    await tick();
    transport.answer(sent('update.started')[0]!.id, {});
    await tick();
    transport.fail(sent('update.check')[0]!.id, { code: -32000, message: 'No network.' });
    await tick();
    transport.answer(sent('update.state')[0]!.id, view);
    await tick();
    expect([notices.all, updates.error]).toEqual([[], null]);
    expect(updates.view?.available?.version).toBe('1.3.0');
    end();
  });
});
