// The review queue: its items, their order, and whether it works.
import type { QueueItem, QueueView } from '../../rpc/types.gen';
import { inboxTexts } from '../../lib/texts/inbox';
import { ViewOrder } from '../../lib/view-order';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';

/** How often the queue is read while it works. */
const WORKING_MS = 2_000;

class ReviewQueue {
  view = $state.raw<QueueView | null>(null);
  /** Whether the panel is shown. */
  shown = $state(false);
  /** Called after an item has ended. */
  onEnded: () => void = () => {};
  #order = new ViewOrder();

  byKey = $derived(new Map((this.view?.items ?? []).map((item) => [item.key, item])));
  waiting = $derived((this.view?.items ?? []).filter((item) => item.state === 'waiting'));
  /** Whether an item runs, or will run without a further action. */
  busy = $derived(
    (this.view?.items ?? []).some((item) => item.state === 'running') ||
      (this.view?.on === true && this.waiting.length > 0),
  );

  async load(): Promise<void> {
    try {
      this.#adopt(await this.#order.read(() => connection.client.call('queue.list')));
    } catch {
      // The next reading tries again.
    }
  }

  /** Reads the queue again and again while it works. Returns a function that ends it. */
  follow(): () => void {
    const timer = setInterval(() => {
      if (this.busy) void this.load();
    }, WORKING_MS);
    return () => clearInterval(timer);
  }

  /** Adds a row, or removes it if it waits or runs. */
  toggle(key: string): Promise<void> {
    const state = this.byKey.get(key)?.state;
    return state === 'waiting' || state === 'running' ? this.remove(key) : this.add([key]);
  }

  add(keys: string[], all = false): Promise<void> {
    this.shown = true;
    return this.#change(() => connection.client.call('queue.add', { keys, all, agents: [] }));
  }

  remove(key: string): Promise<void> {
    return this.#change(() => connection.client.call('queue.remove', { keys: [key] }));
  }

  clear(): Promise<void> {
    return this.#change(() => connection.client.call('queue.remove', { keys: [] }));
  }

  /** Moves an item that waits to an earlier or a later place. */
  async move(key: string, by: 1 | -1): Promise<void> {
    const at = this.waiting.findIndex((item) => item.key === key);
    const place = at + by;
    if (at < 0 || place < 0 || place >= this.waiting.length) return;
    await this.#change(() => connection.client.call('queue.move', { key, place }));
  }

  switch(on: boolean): Promise<void> {
    this.shown = true;
    return this.#change(() => connection.client.call('queue.switch', { on }));
  }

  async #change(call: () => Promise<QueueView>): Promise<void> {
    try {
      this.#adopt(await this.#order.change(call));
    } catch (thrown) {
      notices.fail(thrown, inboxTexts.queue.notChanged);
    }
  }

  #adopt(view: QueueView): void {
    const ended = (item: QueueItem) => item.state === 'done' || item.state === 'failed';
    const before = new Set((this.view?.items ?? []).filter(ended).map((item) => item.key));
    const known = this.view !== null;
    this.view = view;
    if (known && view.items.some((item) => ended(item) && !before.has(item.key))) this.onEnded();
  }
}

export const reviewQueue = new ReviewQueue();
