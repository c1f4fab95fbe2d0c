import { describe, expect, it } from 'vitest';
import { ViewOrder } from './view-order';

/** A call that waits until the test answers it. */
function calls() {
  const open: ((answer: string) => void)[] = [];
  const call = () => new Promise<string>((resolve) => open.push(resolve));
  return { open, call };
}
const tick = () => new Promise((resolve) => setTimeout(resolve));

describe('the order of readings and changes', () => {
  it('reads again when a change was made during the reading', async () => {
    const order = new ViewOrder();
    const [reads, changes] = [calls(), calls()];
    const shown: string[] = [];
    const read = order.read(reads.call).then((view) => shown.push(view));
    const change = order.change(changes.call).then((view) => shown.push(view));
    await tick();
    changes.open[0]!('changed');
    await change;
    reads.open[0]!('before');
    await tick();
    reads.open[1]!('changed, read again');
    await read;
    expect(shown).toEqual(['changed', 'changed, read again']);
  });

  it('makes one change after the other, also after one that failed', async () => {
    const order = new ViewOrder();
    const { open, call } = calls();
    const failed = order.change(() => Promise.reject(new Error('no')));
    const [second, third] = [order.change(call), order.change(call)];
    await expect(failed).rejects.toThrow('no');
    await tick();
    expect(open.length).toBe(1);
    open[0]!('second');
    expect(await second).toBe('second');
    await tick();
    open[1]!('third');
    expect(await third).toBe('third');
  });
});
