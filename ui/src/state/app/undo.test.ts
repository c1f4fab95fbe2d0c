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
  it('does again what is still being taken back, where both keys come at once', async () => {
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

  it('takes steps back one behind the other', async () => {
    const undo = new Undo();
    const place = { value: 2 };
    undo.push(setting(place, 0));
    undo.push(setting(place, 1));
    await Promise.all([undo.undo(), undo.undo(), undo.undo()]);
    expect(place.value).toBe(0);
    expect([undo.can, undo.canRedo]).toEqual([false, true]);
  });

  it('does nothing again once something else was done meanwhile', async () => {
    const undo = new Undo();
    const place = { value: 1 };
    undo.push(setting(place, 0));
    const undone = undo.undo();
    await Promise.resolve();
    undo.push({ what: 'else', back: () => null });
    await undone;
    expect(undo.canRedo).toBe(false);
  });

  it('goes on after a step that fails', async () => {
    const undo = new Undo();
    undo.push({ what: 'first', back: () => ({ what: 'again', back: () => null }) });
    undo.push({ what: 'broken', back: () => Promise.reject(new Error('no')) });
    await expect(undo.undo()).rejects.toThrow('no');
    expect((await undo.undo())?.what).toBe('first');
  });
});
