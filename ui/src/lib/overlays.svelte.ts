// The stack of open overlays: dialogs, popovers, drawers and inline forms. It owns Escape and the focus. Opening an overlay pushes
// it, Escape closes one overlay at a time, and closing one returns the focus to where it was.
import { onDestroy } from 'svelte';

export interface OverlayOptions {
  /**
   * `modal` covers the page. `popover` floats above it. Both block the shortcuts of the page. `panel` is part of the page, like
   * the find bar. `form` is part of the page, and Escape closes it only while the focus is inside.
   */
  kind: 'modal' | 'popover' | 'panel' | 'form';
  /** Closes the overlay. Called on Escape. */
  onclose: () => void;
}

interface Overlay extends OverlayOptions {
  element: HTMLElement | null;
  /** The element that had the focus when the overlay opened. */
  returnTo: Element | null;
}

export class OverlayStack {
  #stack: Overlay[] = [];
  /** The return target of an overlay that closed in this frame. An overlay that replaces it inherits the target. */
  #closing: Element | null = null;
  /** Gets the focus when a panel or form closes and its return target is gone. */
  fallback: () => HTMLElement | null = () => null;
  /** How often a modal overlay opened or closed. */
  modalChanges = $state(0);

  /** Whether an overlay blocks the shortcuts of the page. */
  get blocking(): boolean {
    return this.#stack.some(blocks);
  }

  /** The element of the top modal overlay. */
  get topModal(): HTMLElement | null {
    return this.#stack.findLast(({ kind }) => kind === 'modal')?.element ?? null;
  }

  /** Returns whether an element is the top overlay of those that block the page. */
  isTop(element: HTMLElement): boolean {
    return this.#stack.findLast(blocks)?.element === element;
  }

  push(options: OverlayOptions): Overlay {
    const focused = document.activeElement;
    const returnTo = focused === document.body || !focused?.isConnected ? this.#closing : focused;
    const overlay = { ...options, element: null, returnTo };
    this.#stack.push(overlay);
    return overlay;
  }

  remove(overlay: Overlay): void {
    const at = this.#stack.indexOf(overlay);
    if (at < 0) return;
    this.#stack.splice(at, 1);
    const { element, returnTo } = overlay;
    for (const above of this.#stack.slice(at))
      if (above.returnTo && element?.contains(above.returnTo)) above.returnTo = returnTo;
    this.#closing = returnTo;
    requestAnimationFrame(() => {
      this.#closing = null;
      // The focus may have gone elsewhere by itself.
      if (document.activeElement !== document.body && document.activeElement !== null) return;
      const inline = overlay.kind === 'panel' || overlay.kind === 'form';
      const target = returnTo?.isConnected ? returnTo : inline ? this.fallback() : null;
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    });
  }

  /** Closes one overlay for Escape: the innermost one with the focus, else the top one. Returns whether there was one. */
  closeTop(): boolean {
    const focused = document.activeElement;
    const hasFocus = ({ element }: Overlay) => element?.contains(focused) === true;
    // Nothing below an overlay that blocks the page closes before it.
    const reachable = this.#stack.slice(Math.max(0, this.#stack.findLastIndex(blocks)));
    const overlay =
      reachable.findLast(hasFocus) ??
      reachable.find(blocks) ??
      reachable.findLast(({ kind }) => kind !== 'form');
    overlay?.onclose();
    return overlay !== undefined;
  }
}

const blocks = ({ kind }: Overlay): boolean => kind === 'modal' || kind === 'popover';

export const overlays = new OverlayStack();

/**
 * Opens an overlay for the lifetime of a component. Call it in the component's script, before anything takes the focus, and apply
 * the returned action to the overlay's element.
 */
export function useOverlay(options: OverlayOptions): (element: HTMLElement) => void {
  const overlay = overlays.push(options);
  onDestroy(() => overlays.remove(overlay));
  return (element) => {
    overlay.element = element;
  };
}
