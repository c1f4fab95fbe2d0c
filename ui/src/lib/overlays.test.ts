// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { OverlayStack } from './overlays.svelte';

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
const field = (parent: Element = document.body): HTMLElement => {
  const input = document.createElement('input');
  parent.append(input);
  return input;
};
const box = (): HTMLElement => {
  const element = document.createElement('div');
  document.body.append(element);
  return element;
};

let stack: OverlayStack;
beforeEach(() => {
  document.body.replaceChildren();
  stack = new OverlayStack();
});

describe('OverlayStack', () => {
  it('closes the top overlay only', () => {
    const [below, above] = [vi.fn(), vi.fn()];
    stack.push({ kind: 'modal', onclose: below });
    const dialog = stack.push({ kind: 'modal', onclose: above });
    expect(stack.closeTop()).toBe(true);
    expect([below.mock.calls.length, above.mock.calls.length]).toEqual([0, 1]);
    stack.remove(dialog);
    stack.closeTop();
    expect([below.mock.calls.length, above.mock.calls.length]).toEqual([1, 1]);
  });

  it('closes nothing when it is empty', () => {
    expect(stack.closeTop()).toBe(false);
    expect(stack.blocking).toBe(false);
  });

  it('closes a form only while the focus is inside', () => {
    const onclose = vi.fn();
    const form = stack.push({ kind: 'form', onclose });
    form.element = box();
    expect(stack.closeTop()).toBe(false);
    field(form.element).focus();
    expect(stack.closeTop()).toBe(true);
    expect(onclose).toHaveBeenCalledOnce();
  });

  it('closes the panel with the focus before one that opened later', () => {
    const [first, second] = [vi.fn(), vi.fn()];
    const bar = stack.push({ kind: 'panel', onclose: first });
    bar.element = box();
    stack.push({ kind: 'panel', onclose: second }).element = box();
    field(bar.element).focus();
    stack.closeTop();
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 0]);
  });

  it('returns the focus to where it was', async () => {
    const before = field();
    before.focus();
    const overlay = stack.push({ kind: 'modal', onclose: () => {} });
    overlay.element = box();
    field(overlay.element).focus();
    overlay.element.remove();
    stack.remove(overlay);
    await frame();
    expect(document.activeElement).toBe(before);
  });

  it('returns the focus past an overlay that was replaced', async () => {
    const before = field();
    before.focus();
    const first = stack.push({ kind: 'modal', onclose: () => {} });
    first.element = box();
    field(first.element).focus();
    first.element.remove();
    stack.remove(first);
    const second = stack.push({ kind: 'modal', onclose: () => {} });
    const inside = field();
    inside.focus();
    await frame();
    inside.remove();
    stack.remove(second);
    await frame();
    expect(document.activeElement).toBe(before);
  });

  it('leaves the focus if it moved meanwhile', async () => {
    field().focus();
    const overlay = stack.push({ kind: 'popover', onclose: () => {} });
    const elsewhere = field();
    elsewhere.focus();
    stack.remove(overlay);
    await frame();
    expect(document.activeElement).toBe(elsewhere);
  });

  it('focuses the fallback if the earlier element is gone', async () => {
    const gone = field();
    gone.focus();
    const form = stack.push({ kind: 'form', onclose: () => {} });
    gone.remove();
    const diff = field();
    stack.fallback = () => diff;
    stack.remove(form);
    await frame();
    expect(document.activeElement).toBe(diff);
  });
});
