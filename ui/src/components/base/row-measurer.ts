// Measures the heights of rows in a virtual list and reports changes.

export interface RowMeasurer {
  /** Reports the height of a row from now on. The index may be a different one in each call. */
  watch(element: HTMLElement, key: string, index: number): void;
  forget(element: HTMLElement): void;
}

export interface Measured {
  key: string;
  index: number;
  height: number;
}

/** Creates a measurer. Heights that change together are reported in one call. */
export function createRowMeasurer(report: (changed: Measured[]) => void): RowMeasurer & { stop(): void } {
  const rows = new Map<Element, { key: string; index: number }>();
  const observer = new ResizeObserver((entries) => {
    const changed = entries.flatMap(({ target }) => {
      const row = rows.get(target);
      const height = (target as HTMLElement).offsetHeight;
      return row && height > 0 ? [{ ...row, height }] : [];
    });
    if (changed.length > 0) report(changed);
  });
  return {
    watch(element, key, index) {
      const known = rows.get(element);
      rows.set(element, { key, index });
      if (known?.key === key) return;
      // If the element shows another row, it is measured again even if its height is the same.
      if (known) observer.unobserve(element);
      observer.observe(element);
    },
    forget(element) {
      if (rows.delete(element)) observer.unobserve(element);
    },
    stop: () => observer.disconnect(),
  };
}
