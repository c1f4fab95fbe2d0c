import { expect, it, vi } from 'vitest';
import { FakeTransport } from '../../rpc/fake';
import type { ChangeView, RequestView, ReviewView, PlannedComment } from '../../rpc/types.gen';

vi.stubGlobal('window', {});
vi.stubGlobal('requestAnimationFrame', () => 0);
vi.stubGlobal('cancelAnimationFrame', () => {});

const [{ posting }, { CommentTexts }, { connection }, { openChange }, { mergeRequest }, { review }] =
  await Promise.all([
    import('./posting.svelte'),
    import('./comment-texts.svelte'),
    import('../app/connection.svelte'),
    import('../change/open-change.svelte'),
    import('./merge-request.svelte'),
    import('../review/review.svelte'),
  ]);

it('posts the user’s summary, keeps it over a restart, and restores the agent’s', async () => {
  vi.useFakeTimers();
  const transport = new FakeTransport();
  connection.start(transport);
  openChange.view = { change_id: 'one', files: [] } as unknown as ChangeView;
  mergeRequest.view = {} as RequestView;
  review.view = { review_id: 'r1', summary_markdown: 'All good.', findings: [] } as unknown as ReviewView;
  const asked = () =>
    transport.sent
      .filter((one) => one.method === 'post.plan')
      .map((one) => (one.params as { summary_text: string | null }).summary_text);
  const answer = async () => {
    const comments = [{ key: 'summary', placement: 'summary' } as PlannedComment];
    await vi.advanceTimersByTimeAsync(0);
    const last = transport.sent.filter((one) => one.method === 'post.plan').at(-1)!;
    transport.answer(last.id, { plan_id: 'plan', comments, elsewhere: [] });
    await vi.advanceTimersByTimeAsync(0);
  };
  const opened = posting.open();
  await answer();
  await opened;
  posting.texts.begin('summary');
  expect(posting.texts.typed).toEqual({ summary: 'All good.' });
  posting.texts.type('summary', 'One thing to mend.');
  expect(posting.editing).toBe(true);
  void posting.saveText('summary');
  await answer();
  expect(posting.editing).toBe(false);

  const restarted = new CommentTexts();
  restarted.open('r1');
  expect(restarted.saved).toEqual({ summary: 'One thing to mend.' });
  restarted.open('another review');
  expect(restarted.saved).toEqual({});

  void posting.restoreText('summary');
  await answer();
  // The agent's own text is no edit.
  posting.texts.begin('summary');
  void posting.saveText('summary');
  await answer();
  expect(asked()).toEqual([null, 'One thing to mend.', null, null]);
});
