import { describe, expect, it } from 'vitest';
import { Client } from './client';
import { CHANGE_EXPIRED, CoreError, UNANSWERED, UNREACHABLE } from './errors';
import { FakeTransport } from './fake';
import type { ReviewEvent } from './types.gen';

const tick = () => new Promise((resolve) => setTimeout(resolve));
const progress = (message: string): ReviewEvent => ({
  kind: 'progress',
  run_id: 'r',
  line: { elapsed_ms: 1, message },
});

function connect() {
  const transport = new FakeTransport();
  return { transport, client: new Client(transport) };
}

describe('calls', () => {
  it('are answered by id, in any order', async () => {
    const { transport, client } = connect();
    const one = client.call('state.get', { key: 'one' });
    const two = client.call('state.get', { key: 'two' });
    await tick();
    expect(transport.sent.map((sent) => [sent.method, sent.params])).toEqual([
      ['state.get', { key: 'one' }],
      ['state.get', { key: 'two' }],
    ]);
    transport.answer(transport.sent[1]!.id, { key: 'two', value: '2' });
    transport.answer(transport.sent[0]!.id, { key: 'one', value: '1' });
    expect((await one).value).toBe('1');
    expect((await two).value).toBe('2');
  });

  it('send no params for a method without params', async () => {
    const { transport, client } = connect();
    void client.call('app.info');
    await tick();
    expect('params' in transport.sent[0]!).toBe(false);
  });

  it('fail with the message, code and hint of the core', async () => {
    const { transport, client } = connect();
    const call = client.call('change.prepared', { change_id: 'c1' });
    await tick();
    const data = {
      error_code: 'DIFF_FETCH_FAILED',
      message: 'gone',
      hint: 'open it again',
      retryable: false,
    };
    transport.fail(transport.sent[0]!.id, { code: CHANGE_EXPIRED, message: 'gone', data });
    const error = (await call.catch((thrown: unknown) => thrown)) as CoreError;
    expect(error).toBeInstanceOf(CoreError);
    expect(error.code).toBe(CHANGE_EXPIRED);
    expect(error.info.hint).toBe('open it again');
    expect(error.heading).toBe('The change could not be read');
    expect(error.next).toBe('change');
  });

  it('that cannot be sent fail immediately and are retryable', async () => {
    const { transport, client } = connect();
    transport.broken = true;
    const error = (await client.call('app.info').catch((thrown: unknown) => thrown)) as CoreError;
    expect(error.code).toBe(UNREACHABLE);
    expect(error.next).toBe('retry');
  });

  it('that are aborted are cancelled by id, once, and only while pending', async () => {
    const { transport, client } = connect();
    const [before, after, never] = [new AbortController(), new AbortController(), new AbortController()];
    const call = client.call('change.prepared', { change_id: 'c1' }, before.signal);
    const done = client.call('state.get', { key: 'one' }, after.signal);
    await tick();
    transport.answer(transport.sent[1]!.id, { key: 'one', value: '1' });
    await done;
    for (const one of [before, after, never]) one.abort();
    await tick();
    expect(transport.sent.slice(2).map((sent) => [sent.method, sent.params])).toEqual([
      ['rpc.cancel', { id: transport.sent[0]!.id }],
    ]);
    const data = { error_code: 'AGENT_CANCELLED', message: 'cancelled', retryable: false };
    transport.fail(transport.sent[0]!.id, { code: -32000, message: 'cancelled', data });
    expect(((await call.catch((thrown: unknown) => thrown)) as CoreError).cancelled).toBe(true);
    const late = client.call('state.get', { key: 'two' }, never.signal);
    expect(((await late.catch((thrown: unknown) => thrown)) as CoreError).cancelled).toBe(true);
    expect(transport.sent).toHaveLength(3);
  });

  it('that were sent before the connection was lost do not claim that nothing was changed', async () => {
    const { transport, client } = connect();
    const call = client.call('app.info').catch((thrown: unknown) => thrown);
    await tick();
    transport.link('lost');
    const error = (await call) as CoreError;
    expect(error.code).toBe(UNANSWERED);
    expect(error.message).toContain('It may have done this, or not.');
    expect(error.info.retryable).toBe(false);
  });
});

describe('subscriptions', () => {
  const params = {};

  it('deliver events that arrived before the id, first and in order', async () => {
    const { transport, client } = connect();
    const seen: string[] = [];
    const subscribed = client.subscribe('review.follow', params, (event) => {
      if (event.kind === 'progress') seen.push(event.line.message);
    });
    await tick();
    transport.notify('s1', progress('a'));
    transport.notify('other', progress('not ours'));
    transport.notify('s1', progress('b'));
    expect(seen).toEqual([]);
    transport.answer(transport.sent[0]!.id, 's1');
    await subscribed;
    transport.notify('s1', progress('c'));
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('end with the unsubscribe method and their id', async () => {
    const { transport, client } = connect();
    const seen: ReviewEvent[] = [];
    const subscribed = client.subscribe('review.follow', params, (event) => seen.push(event));
    await tick();
    transport.answer(transport.sent[0]!.id, 7);
    const stop = await subscribed;
    const stopped = stop();
    await tick();
    expect(transport.sent[1]).toMatchObject({ method: 'review.unfollow', params: [7] });
    transport.answer(transport.sent[1]!.id, true);
    await stopped;
    transport.notify(7, progress('late'));
    expect(seen).toEqual([]);
  });
});
