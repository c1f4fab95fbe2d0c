// The transport of `diffsan serve`: a WebSocket to the page's host that reconnects after a loss.
import type { Listener, Transport } from './transport';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

/** Opens a WebSocket. Tests replace it. */
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
    // Only the first connection attempt is awaited. After a loss, a call fails at once.
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

/** Returns the address of `diffsan serve`, derived from the page's address. */
export const socketUrl = (at: Location): string =>
  `${at.protocol === 'https:' ? 'wss' : 'ws'}://${at.host}/rpc`;
