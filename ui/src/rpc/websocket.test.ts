import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Link } from './transport';
import { WebSocketTransport } from './websocket';

class FakeSocket {
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: string[] = [];
  onopen?: () => void;
  onclose?: () => void;
  onmessage?: (message: { data: string }) => void;
  constructor() {
    FakeSocket.all.push(this);
  }
  open() {
    this.readyState = 1;
    this.onopen?.();
  }
  close() {
    this.readyState = 3;
    this.onclose?.();
  }
  send(text: string) {
    this.sent.push(text);
  }
}

const start = (status: () => number | null = () => null) => {
  const links: Link[] = [];
  const open = () => new FakeSocket() as unknown as WebSocket;
  const transport = new WebSocketTransport('ws://x/rpc', open, () => Promise.resolve(status()));
  transport.start({ message: () => {}, link: (link) => links.push(link) });
  return { transport, links };
};

describe('the WebSocket transport', () => {
  beforeEach(() => {
    FakeSocket.all = [];
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  it('holds the first call until it is connected', async () => {
    const { transport, links } = start();
    const sent = transport.send('hello');
    expect(FakeSocket.all[0]!.sent).toEqual([]);
    FakeSocket.all[0]!.open();
    await sent;
    expect(FakeSocket.all[0]!.sent).toEqual(['hello']);
    expect(links).toEqual(['connecting', 'open']);
  });

  it('reconnects after a loss with growing delays', async () => {
    const { links } = start();
    FakeSocket.all[0]!.open();
    FakeSocket.all[0]!.close();
    expect(links.at(-1)).toBe('lost');
    await vi.advanceTimersByTimeAsync(249);
    expect(FakeSocket.all).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(FakeSocket.all).toHaveLength(2);
    FakeSocket.all[1]!.close();
    await vi.advanceTimersByTimeAsync(499);
    expect(FakeSocket.all).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    FakeSocket.all[2]!.open();
    expect(links.at(-1)).toBe('open');
  });

  it('tells a server that does not answer from one that refuses the page, and goes on trying', async () => {
    let status: number | null = null;
    const { links } = start(() => status);
    const fail = async () => {
      FakeSocket.all.at(-1)!.close();
      await vi.advanceTimersByTimeAsync(5_000);
    };
    FakeSocket.all[0]!.open();
    await fail();
    await fail();
    expect(links.at(-1)).toBe('lost');
    await fail();
    await fail();
    expect(links.at(-1)).toBe('unreachable');
    status = 401;
    await fail();
    expect(links.at(-1)).toBe('refused');
    FakeSocket.all.at(-1)!.open();
    expect(links.at(-1)).toBe('open');
  });

  it('queues nothing while the connection is lost', async () => {
    const { transport } = start();
    FakeSocket.all[0]!.open();
    FakeSocket.all[0]!.close();
    await expect(transport.send('lost words')).rejects.toThrow('no connection');
    await vi.advanceTimersByTimeAsync(250);
    FakeSocket.all[1]!.open();
    expect(FakeSocket.all[1]!.sent).toEqual([]);
  });
});
