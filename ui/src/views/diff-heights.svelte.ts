// How high rows of the diff are, known before they are drawn.
import type { Row } from '../pure/rows';
import { prefs } from '../state/prefs.svelte';
import { rows } from '../state/rows.svelte';

const COVER_AND_SIGN = 4 + 20 + 12;
const SCROLL_BAR = 12;

const widest = (row: Row): number =>
  row.kind === 'line'
    ? row.line.columns
    : row.kind === 'pair'
      ? Math.max(row.left?.columns ?? 0, row.right?.columns ?? 0)
      : 0;

export class Heights {
  /** Of the diff, px. */
  width = $state(0);
  /** An element of 100 characters of code. */
  probe = $state<HTMLElement>();

  /** How often fonts came: text has other widths then. */
  #fonts = $state(0);

  /** Call where a component is made. */
  constructor() {
    $effect(() => {
      const came = () => (this.#fonts += 1);
      document.fonts.addEventListener('loadingdone', came);
      return () => document.fonts.removeEventListener('loadingdone', came);
    });
  }

  #metrics = $derived.by(() => {
    void [this.#fonts, prefs.kept.scale, prefs.kept.codeFont, prefs.kept.codeSize];
    const root = parseFloat(getComputedStyle(document.documentElement).fontSize);
    return { rem: root, ch: (this.probe?.getBoundingClientRect().width ?? 720) / 100 };
  });
  #rem = $derived(this.#metrics.rem);
  linePx = $derived(Math.round(this.#rem * prefs.lineRem));

  /** The width of a number, px. */
  number = $derived(Math.ceil(rows.digits * this.#metrics.ch) + 14);

  /** Columns that a line has before it wraps. */
  #columns = $derived.by(() => {
    const { ch } = this.#metrics;
    const { number } = this;
    const room = this.width - SCROLL_BAR;
    const text =
      prefs.kept.mode === 'split' ? room / 2 - number - COVER_AND_SIGN : room - 2 * number - COVER_AND_SIGN;
    return Math.max(20, Math.floor(text / ch));
  });

  /** The usual height of a row, px. */
  heightOf = $derived.by(() => {
    const [rem, linePx, columns] = [this.#rem, this.linePx, this.#columns];
    const [file, hunk, notice] = [2.75, 1.75, 3].map((of) => Math.round(rem * of)) as [
      number,
      number,
      number,
    ];
    return (row: Row): number => {
      switch (row.kind) {
        case 'line':
        case 'pair':
          return Math.max(1, Math.ceil(widest(row) / columns)) * linePx;
        case 'file':
          return file;
        case 'hunk':
        case 'tail':
          return hunk;
        case 'image':
          return 280;
        case 'notice':
          return notice;
        case 'card':
          return 170;
        case 'pending':
          return row.lines * linePx + row.hunks * hunk;
      }
    };
  });

  /** Whether it may turn out to be another one. */
  varies = $derived.by(() => {
    const columns = this.#columns;
    return (row: Row): boolean => row.kind === 'card' || row.kind === 'image' || widest(row) > columns - 4;
  });
}
