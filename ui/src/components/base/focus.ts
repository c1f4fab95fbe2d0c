// Where the keyboard is when something opens, and where it goes back to when that closes.
import { onDestroy } from 'svelte';

/**
 * The focus goes back to where it was, or to the diff, when a component goes that had it. Call where the component is made,
 * before anything in it takes the focus.
 */
export function givesFocusBack(): void {
  const before = document.activeElement;
  onDestroy(() =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      const there = before instanceof HTMLElement && before !== document.body && before.isConnected;
      const to = there ? before : document.querySelector<HTMLElement>('[data-testid="diff"]');
      to?.focus({ preventScroll: true });
    }),
  );
}
