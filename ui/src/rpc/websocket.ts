// The transport of `diffsan serve`: a WebSocket to the page's own host, which comes back after a loss.
import type { Listener, Transport } from './transport';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** What a WebSocket is made with; tests give their own. */
export type OpenSocket = (url: string) => WebSocket;

export class WebSocketTransport implements Transport {
  #url: string;
  #open: OpenSocket;
  #socket: WebSocket | undefined;
  #listener: Listener | undefined;
  #first: Promise<void> | undefined;
  #wait = FIRST_WAIT_MS;

  constructor(url: string, open: OpenSocket = (to) => new WebSocket(to)) {
    this.#url = url;
    this.#open = open;
  }

  start(listener: Listener): void {
    this.#listener = listener;
    listener.link('connecting');
    this.#first = new Promise((resolve) => this.#connect(resolve));
  }

  async send(text: string): Promise<void> {
    // Only the very first connection is waited for; after a loss a call fails at once and says so.
    await this.#first;
    if (this.#socket?.readyState !== 1) throw new Error('There is no connection.');
    this.#socket.send(text);
  }

  #connect(settled: () => void): void {
    const socket = this.#open(this.#url);
    this.#socket = socket;
    socket.onopen = () => {
      this.#wait = FIRST_WAIT_MS;
      this.#listener?.link('open');
      settled();
    };
    socket.onmessage = (message: MessageEvent<string>) => this.#listener?.message(message.data);
    socket.onclose = () => {
      this.#listener?.link('lost');
      settled();
      setTimeout(() => this.#connect(() => {}), this.#wait);
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS);
    };
  }
}

/** Where `diffsan serve` listens, seen from its own page. */
export const socketUrl = (at: Location): string =>
  `${at.protocol === 'https:' ? 'wss' : 'ws'}://${at.host}/rpc`;
