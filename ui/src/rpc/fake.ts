// The transport of unit tests. It stores requests, and the test sends the responses.
import type { Link, Listener, Transport } from './transport';

export class FakeTransport implements Transport {
  /** The requests so far, parsed. */
  readonly sent: { id: number; method: string; params?: unknown }[] = [];
  /** Set to make `send` fail. */
  broken = false;
  #listener: Listener | undefined;

  start(listener: Listener): void {
    this.#listener = listener;
    listener.link('open');
  }

  async send(text: string): Promise<void> {
    if (this.broken) throw new Error('no connection');
    this.sent.push(JSON.parse(text));
  }

  answer(id: number, result: unknown): void {
    this.#listener?.message(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  fail(id: number, error: unknown): void {
    this.#listener?.message(JSON.stringify({ jsonrpc: '2.0', id, error }));
  }

  notify(subscription: string | number, result: unknown): void {
    const params = { subscription, result };
    this.#listener?.message(JSON.stringify({ jsonrpc: '2.0', method: 'review.event', params }));
  }

  link(link: Link): void {
    this.#listener?.link(link);
  }
}
