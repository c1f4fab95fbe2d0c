// The stack of the open change, and findings that belong to its lower layers.
import type { Layer, Target } from '../../rpc/types.gen';
import { stacksTexts } from '../../lib/texts/stacks';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { change } from '../change/change.svelte';
import { openChange } from '../change/open-change.svelte';
import { desk } from '../desk/desk.svelte';
import { posting } from '../posting/posting.svelte';
import { review } from '../review/review.svelte';

class Stack {
  /** The layers, the lowest one first. Empty if the open change is not part of a stack. */
  layers = $state.raw<Layer[]>([]);
  moving = $state(false);
  #turn = 0;

  get current(): Layer | undefined {
    return this.layers.find((layer) => layer.current);
  }

  /** Whether more than the layer's own change is shown, as for a branch that is compared with the default branch. */
  get shownWhole(): boolean {
    const { current } = this;
    const shown = openChange.view?.target;
    if (current?.target.kind !== 'branch' || shown?.kind !== 'branch') return false;
    return (current.target.base ?? null) !== (shown.base ?? null);
  }

  /** The layer below the open one. */
  get lower(): Layer | undefined {
    const { current } = this;
    return current && this.layers.find((layer) => layer.source === current.onto);
  }

  /** The first layer that builds on the open one. */
  get upper(): Layer | undefined {
    const { current } = this;
    return current && this.layers.find((layer) => layer.onto === current.source);
  }

  /** Reads the stack of the open change. The strip is an extra: without it, the change is shown as before. */
  async load(): Promise<void> {
    const turn = ++this.#turn;
    const kind = openChange.view?.target.kind;
    if (kind !== 'branch' && kind !== 'merge_request') {
      this.layers = [];
      return;
    }
    const found = await openChange
      .call((change_id) => connection.client.call('change.stack', { change_id }))
      .catch(() => ({ layers: [] }));
    if (turn === this.#turn) this.layers = found.layers;
  }

  /** Opens a layer. */
  open(layer: Layer | undefined): void {
    if (layer) void change.open(layer.target);
  }

  /** Adds findings to the review of the layer that introduced their lines, opens that layer, and shows what would be posted there. */
  async moveTo(target: Target, findings: string[]): Promise<void> {
    const review_id = review.view?.review_id;
    if (!review_id || this.moving) return;
    this.moving = true;
    try {
      const moved = await openChange.call((change_id) =>
        connection.client.call('stack.move', { change_id, review_id, findings, target }),
      );
      desk.overlay = null;
      notices.info(stacksTexts.moved(moved.added, moved.known));
      await change.open(target);
      if (change.error === null) await posting.open();
    } catch (thrown) {
      notices.fail(thrown, stacksTexts.notMoved);
    } finally {
      this.moving = false;
    }
  }
}

export const stack = new Stack();
