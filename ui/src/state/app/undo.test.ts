import { describe, expect, it } from 'vitest';
import { Undo, type Step } from './undo.svelte';

/** A step between two values that takes a moment in each direction, like a step that the core saves. */
function setting(place: { value: number }, to: number): Step {
  return {
    what: `set ${to}`,
    back: async () => {
      const was = place.value;
      place.value = to;
      await new Promise((resolve) => setTimeout(resolve, 5));
      return setting(place, was);
    },
  };
}

describe('undo', () => {
  it('redoes a step whose undo is still running', async () => {
    const undo = new Undo();
    const place = { value: 1 };
    undo.push(setting(place, 0));
    const undone = undo.undo();
    expect(undo.canRedo).toBe(true);
    const redone = undo.redo();
    expect((await undone)?.what).toBe('set 0');
    expect((await redone)?.what).toBe('set 1');
    expect(place.value).toBe(1);
    expect([undo.can, undo.canRedo]).toEqual([true, false]);
  });

  it('undoes and redoes joined steps together', async () => {
    const undo = new Undo();
    const place = { value: 2 };
    undo.push(setting(place, 0));
    const first = undo.latest;
    undo.push(setting(place, 1));
    undo.join(first);
    expect((await undo.undo())?.what).toBe('set 0');
    expect([place.value, undo.can]).toEqual([0, false]);
    await undo.redo();
    expect([place.value, undo.canRedo]).toEqual([2, false]);
    await undo.undo();
    expect([place.value, undo.can]).toEqual([0, false]);
  });

  it('joins only steps that follow each other', async () => {
    const undo = new Undo();
    const place = { value: 3 };
    undo.push(setting(place, 0));
    const first = undo.latest;
    undo.push(setting(place, 1));
    undo.push(setting(place, 2));
    undo.join(first);
    undo.join(null);
    await undo.undo();
    expect([place.value, undo.can]).toEqual([2, true]);
  });

  it('undoes steps one after another', async () => {
    const undo = new Undo();
    const place = { value: 2 };
    undo.push(setting(place, 0));
    undo.push(setting(place, 1));
    await Promise.all([undo.undo(), undo.undo(), undo.undo()]);
    expect(place.value).toBe(0);
    expect([undo.can, undo.canRedo]).toEqual([false, true]);
  });

  it('clears the redo steps after a new step', async () => {
    const undo = new Undo();
    const place = { value: 1 };
    undo.push(setting(place, 0));
    const undone = undo.undo();
    await Promise.resolve();
    undo.push({ what: 'else', back: () => null });
    await undone;
    expect(undo.canRedo).toBe(false);
  });

  it('continues after a failed step', async () => {
    const undo = new Undo();
    undo.push({ what: 'first', back: () => ({ what: 'again', back: () => null }) });
    undo.push({ what: 'broken', back: () => Promise.reject(new Error('no')) });
    await expect(undo.undo()).rejects.toThrow('no');
    expect((await undo.undo())?.what).toBe('first');
  });
});
