import { expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';
import type { ChangeView, RequestView } from '../../rpc/types.gen';

vi.stubGlobal('window', {});
vi.stubGlobal('requestAnimationFrame', () => 0);
vi.stubGlobal('cancelAnimationFrame', () => {});
const tick = () => new Promise((resolve) => setTimeout(resolve));

it('learns of a pushed version while the merge request is open, without a message if the server fails', async () => {
  const [{ mergeRequest }, { connection }, { openChange }, { notices }] = await Promise.all([
    import('./merge-request.svelte'),
    import('../app/connection.svelte'),
    import('../change/open-change.svelte'),
    import('../app/notices.svelte'),
  ]);
  const transport = new FakeTransport();
  connection.start(transport);
  const request = { iid: 7, moved: false, approved: true, threads: [] } as unknown as RequestView;
  openChange.view = { change_id: 'a', files: [] } as unknown as ChangeView;
  mergeRequest.adopt(request);
  const sent = () => transport.sent.filter((one) => one.method === 'request.refresh');
  const minutes = (count: number) => 1_000_000 + count * 60_000;

  void mergeRequest.check(minutes(0));
  void mergeRequest.check(minutes(0.5));
  await tick();
  expect(sent()).toHaveLength(1);
  transport.fail(sent()[0]!.id, { code: -32000, message: 'gone' });
  await tick();
  expect(notices.all).toEqual([]);

  void mergeRequest.check(minutes(2));
  await tick();
  transport.answer(sent()[1]!.id, { ...request, moved: true });
  await tick();
  expect(mergeRequest.view?.moved).toBe(true);
});
