import { expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';
import type { ChangeView, RequestView, PlannedComment } from '../../rpc/types.gen';

vi.stubGlobal('window', {});
vi.stubGlobal('requestAnimationFrame', () => 0);
vi.stubGlobal('cancelAnimationFrame', () => {});

const [{ posting }, { connection }, { openChange }, { mergeRequest }] = await Promise.all([
  import('./posting.svelte'),
  import('../app/connection.svelte'),
  import('../change/open-change.svelte'),
  import('./merge-request.svelte'),
]);

it('asks for one plan after several ticks, and posts nothing before it is there', async () => {
  vi.useFakeTimers();
  const transport = new FakeTransport();
  connection.start(transport);
  openChange.view = { change_id: 'one', files: [] } as unknown as ChangeView;
  mergeRequest.view = {} as RequestView;
  const comments = ['a', 'b', 'c'].map(
    (key) => ({ key, finding: key, placement: 'inline' }) as PlannedComment,
  );
  const plans = () => transport.sent.filter((one) => one.method === 'post.plan');
  const answer = async (id: string) => {
    transport.answer(plans().at(-1)!.id, { plan_id: id, comments, elsewhere: [] });
    await vi.advanceTimersByTimeAsync(0);
  };
  const opened = posting.open();
  await vi.advanceTimersByTimeAsync(0);
  await answer('first');
  await opened;

  posting.tick('a', false);
  posting.tick('b', false);
  posting.tick('a', true);
  await posting.post();
  expect(plans()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(plans()).toHaveLength(2);
  await posting.post();
  // A tick while a plan is requested makes its answer an outdated one.
  posting.tick('c', false);
  await answer('outdated');
  expect(posting.plan?.plan_id).toBe('first');
  await posting.post();
  expect(transport.sent.filter((one) => one.method === 'post.start')).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  await answer('last');
  expect(posting.planning).toBe(false);
  void posting.post();
  await vi.advanceTimersByTimeAsync(0);
  const started = transport.sent.filter((one) => one.method === 'post.start');
  expect(started.map((one) => (one.params as { plan_id: string }).plan_id)).toEqual(['last']);
});
