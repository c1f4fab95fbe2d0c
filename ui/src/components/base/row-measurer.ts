// Measures the heights of rows in a virtual list and reports changes.

export interface RowMeasurer {
  /** Tells a row's height from now on; its index may be another one each time. */
  watch(element: HTMLElement, key: string, index: number): void;
  forget(element: HTMLElement): void;
}

export interface Measured {
  key: string;
  index: number;
  height: number;
}

/** All heights that changed at once are told at once. */
export function createRowMeasurer(tell: (changed: Measured[]) => void): RowMeasurer & { stop(): void } {
  const rows = new Map<Element, { key: string; index: number }>();
  const observer = new ResizeObserver((entries) => {
    const changed = entries.flatMap(({ target }) => {
      const row = rows.get(target);
      const height = (target as HTMLElement).offsetHeight;
      return row && height > 0 ? [{ ...row, height }] : [];
    });
    if (changed.length > 0) tell(changed);
  });
  return {
    watch(element, key, index) {
      const known = rows.get(element);
      rows.set(element, { key, index });
      if (known?.key === key) return;
      // Another row in the same element is measured even where its height happens to be the same.
      if (known) observer.unobserve(element);
      observer.observe(element);
    },
    forget(element) {
      if (rows.delete(element)) observer.unobserve(element);
    },
    stop: () => observer.disconnect(),
  };
}
