// In: method calls and subscriptions with typed parameters. Out: JSON-RPC 2.0 over a transport, and typed answers.
import { CoreError, UNANSWERED, UNREACHABLE } from './errors';
import type { Link, Transport } from './transport';
import { unsubscribeOf, type ErrorInfo, type Methods, type Subscriptions } from './types.gen';

type Params<T> = T extends { params: infer P } ? P : never;
/** A call whose signal is aborted is cancelled in the core. It fails with the core's error. */
type Args<P> = P extends undefined ? [] : [params: P, signal?: AbortSignal];
type SubscriptionId = string | number;

interface Pending {
  resolve(result: unknown): void;
  reject(error: CoreError): void;
}

interface Wire {
  id?: number;
  method?: string;
  result?: unknown;
  error?: { code: number; message: string; data?: Partial<ErrorInfo> };
  params?: { subscription: SubscriptionId; result: unknown };
}

/** The maximum number of stored notifications for subscriptions that are not known yet. More would belong to another client. */
const MAX_BUFFERED = 20_000;

export class Client {
  #transport: Transport;
  #next = 1;
  #pending = new Map<number, Pending>();
  #listeners = new Map<SubscriptionId, (event: unknown) => void>();
  /** Notifications usually come before the response that carries their id. */
  #buffered = new Map<SubscriptionId, unknown[]>();
  #bufferedCount = 0;
  #onLink: (link: Link) => void;

  constructor(transport: Transport, onLink: (link: Link) => void = () => {}) {
    this.#transport = transport;
    this.#onLink = onLink;
    transport.start({ message: (text) => this.#receive(text), link: (link) => this.#link(link) });
  }

  call<M extends keyof Methods>(
    method: M,
    ...[params, signal]: Args<Params<Methods[M]>>
  ): Promise<Methods[M]['result']> {
    return this.#request(method, params, signal) as Promise<Methods[M]['result']>;
  }

  /** Resolves when the subscription is active. Events that arrive earlier are delivered first, in order. */
  async subscribe<S extends keyof Subscriptions>(
    method: S,
    params: Subscriptions[S]['params'],
    listener: (event: Subscriptions[S]['event']) => void,
  ): Promise<() => Promise<void>> {
    const id = (await this.#request(method, params)) as SubscriptionId;
    const buffered = this.#buffered.get(id) ?? [];
    this.#buffered.delete(id);
    this.#bufferedCount -= buffered.length;
    this.#listeners.set(id, listener as (event: unknown) => void);
    for (const event of buffered) this.#listeners.get(id)?.(event);
    return async () => {
      this.#listeners.delete(id);
      await this.#request(unsubscribeOf[method], [id]);
    };
  }

  async #request(method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted) throw cancelled();
    const id = this.#next++;
    const text = JSON.stringify({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    const answer = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    this.#transport.send(text).catch((error: unknown) => this.#settle(id)?.reject(unreachable(error)));
    const cancel = () => void this.#request('rpc.cancel', { id }).catch(() => {});
    signal?.addEventListener('abort', cancel);
    return answer.finally(() => signal?.removeEventListener('abort', cancel));
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #receive(text: string): void {
    const wire = JSON.parse(text) as Wire;
    if (wire.params && wire.method) return this.#notify(wire.params.subscription, wire.params.result);
    const pending = wire.id === undefined ? undefined : this.#settle(wire.id);
    if (!pending) return;
    if (wire.error) pending.reject(new CoreError(wire.error.message, wire.error.code, wire.error.data ?? {}));
    else pending.resolve(wire.result);
  }

  #notify(id: SubscriptionId, event: unknown): void {
    const listener = this.#listeners.get(id);
    if (listener) return listener(event);
    if (this.#bufferedCount >= MAX_BUFFERED) return;
    this.#bufferedCount += 1;
    const buffered = this.#buffered.get(id);
    if (buffered) buffered.push(event);
    else this.#buffered.set(id, [event]);
  }

  #link(link: Link): void {
    if (link === 'lost') {
      // The server forgets the calls and subscriptions of a closed connection. It may have answered the calls before.
      for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(unanswered());
      this.#listeners.clear();
      this.#buffered.clear();
      this.#bufferedCount = 0;
    }
    this.#onLink(link);
  }
}

function cancelled(): CoreError {
  const error_code = 'CANCELLED';
  return new CoreError('The request was cancelled before it was sent.', 0, { error_code });
}

/** A call that was sent. Whether the core did what it asks for is not known. */
function unanswered(): CoreError {
  return new CoreError(
    'The connection to diffsan’s core was lost before it answered. It may have done this, or not.',
    UNANSWERED,
    {
      retryable: false,
      hint: 'The state is read again when the connection is back. Check it before you try again.',
    },
  );
}

function unreachable(thrown: unknown): CoreError {
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  return new CoreError('The request did not reach diffsan’s core. Nothing was changed.', UNREACHABLE, {
    retryable: true,
    hint: 'Try again in a moment. If it fails again, restart diffsan.',
    cause,
  });
}
