// The transport of `diffsan serve`: a WebSocket to the page's host that reconnects after a loss.
import type { Listener, Transport } from './transport';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** The number of failed attempts after which the core counts as unreachable. */
const MAX_ATTEMPTS = 3;

/** Opens a WebSocket. Tests replace it. */
export type OpenSocket = (url: string) => WebSocket;

/** Asks the server for the page. Returns the HTTP status, or null if there is no server. A WebSocket does not tell why it failed. */
export type Probe = () => Promise<number | null>;

const probePage: Probe = () =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    (response) => response.status,
    () => null,
  );

export class WebSocketTransport implements Transport {
  #url: string;
  #open: OpenSocket;
  #socket: WebSocket | undefined;
  #listener: Listener | undefined;
  #first: Promise<void> | undefined;
  #wait = FIRST_WAIT_MS;
  #failed = 0;
  #probe: Probe;

  constructor(url: string, open: OpenSocket = (to) => new WebSocket(to), probe = probePage) {
    this.#url = url;
    this.#open = open;
    this.#probe = probe;
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
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.#failed = 0;
      this.#wait = FIRST_WAIT_MS;
      this.#listener?.link('open');
      settled();
    };
    socket.onmessage = (message: MessageEvent<string>) => this.#listener?.message(message.data);
    socket.onclose = () => {
      if (opened) this.#listener?.link('lost');
      else void this.#explain();
      settled();
      setTimeout(() => this.#connect(() => {}), this.#wait);
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT_MS);
    };
  }

  /** Reports why the latest attempt failed. */
  async #explain(): Promise<void> {
    const failed = ++this.#failed;
    const status = await this.#probe();
    if (failed !== this.#failed) return;
    if (status === 401) this.#listener?.link('refused');
    else this.#listener?.link(failed < MAX_ATTEMPTS ? 'lost' : 'unreachable');
  }
}

/** Returns the address of `diffsan serve`, derived from the page's address. */
export const socketUrl = (at: Location): string =>
  `${at.protocol === 'https:' ? 'wss' : 'ws'}://${at.host}/rpc`;
