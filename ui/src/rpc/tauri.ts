// The transport of the window: one Tauri command carries requests, one channel carries notifications.
import { Channel, invoke } from '@tauri-apps/api/core';
import type { Listener, Transport } from './transport';

/** Whether the page runs in diffsan's window. */
export const inWindow = (): boolean => '__TAURI_INTERNALS__' in window;

/** Results that the window has put into the page, by method and parameters. Each answers only the first call. */
const initialAnswers =
  (window as { __DIFFSAN_INITIAL_ANSWERS__?: Record<string, unknown> }).__DIFFSAN_INITIAL_ANSWERS__ ?? {};

export class TauriTransport implements Transport {
  #listener: Listener | undefined;

  start(listener: Listener): void {
    this.#listener = listener;
    const channel = new Channel<string>();
    channel.onmessage = (text) => listener.message(text);
    listener.link('connecting');
    // Requests do not wait for the channel. The window stores notifications until the channel is connected.
    invoke<void>('rpc_connect', { channel }).then(
      () => listener.link('open'),
      () => listener.link('lost'),
    );
  }

  async send(text: string): Promise<void> {
    const { id, method, params } = JSON.parse(text) as { id: number; method: string; params?: unknown };
    const name = params === undefined ? method : `${method} ${JSON.stringify(params)}`;
    if (name in initialAnswers) {
      const result = initialAnswers[name];
      delete initialAnswers[name];
      return this.#listener?.message(JSON.stringify({ jsonrpc: '2.0', id, result }));
    }
    // The response is the result of the command. It does not use the channel.
    this.#listener?.message(await invoke<string>('rpc', { request: text }));
  }
}
