import { expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';
import type { ChangeView } from '../../rpc/types.gen';

vi.stubGlobal('window', {});
vi.stubGlobal('requestAnimationFrame', () => 0);
vi.stubGlobal('cancelAnimationFrame', () => {});
const tick = () => new Promise((resolve) => setTimeout(resolve));

it('saves viewed marks for the change that was shown when they were set, before another change is read', async () => {
  const [{ change }, { connection }, { openChange }, { viewed }] = await Promise.all([
    import('./change.svelte'),
    import('../app/connection.svelte'),
    import('./open-change.svelte'),
    import('./viewed.svelte'),
  ]);
  const transport = new FakeTransport();
  connection.start(transport);
  openChange.repo = { path: '/one', name: 'one', local: [], branches: [], commits: [] };
  const shown = { change_id: 'first', fingerprint: 'a', files: [{ path: 'x.ts', hunks: 2 }] };
  openChange.view = shown as unknown as ChangeView;
  const sent = (method: string) => transport.sent.filter((one) => one.method === method);
  viewed.mark(0, 0, true);
  viewed.mark(0, 1, true);
  void change.open({ kind: 'unstaged' });
  // Simulates an expired change that was opened again as another one.
  openChange.view = { ...shown, change_id: 'second', fingerprint: 'b' } as unknown as ChangeView;
  await tick();
  expect(sent('change.open')).toEqual([]);
  transport.answer(sent('change.viewed')[0]!.id, {});
  await tick();
  expect(sent('change.open')).toEqual([]);
  transport.answer(sent('change.viewed')[1]!.id, {});
  await tick();
  expect(sent('change.open')).toHaveLength(1);
  expect(sent('change.viewed').map((one) => one.params)).toEqual([
    { change_id: 'first', marks: [{ file: 0, hunk: 0 }], viewed: true },
    { change_id: 'first', marks: [{ file: 0, hunk: 1 }], viewed: true },
  ]);
});
