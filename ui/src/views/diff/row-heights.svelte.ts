// Estimates the heights of diff rows before they are drawn.
import { lineEndingChanged, type Line } from '../../lib/diff/lines';
import type { Row } from '../../lib/diff/rows';
import { appearance } from '../../state/app/appearance.svelte';
import { prefs } from '../../state/app/prefs.svelte';
import { rows } from '../../state/change/rows.svelte';

/** Sizes in px that match diff.css: coverage gutter, sign and padding of the code; padding of a number. */
const COVER_AND_SIGN = 4 + 20 + 12;
const NUMBER_PADDING = 2 * 7;
const SCROLL_BAR = 12;
/** The space above the header of a file, as in DiffRow.svelte. */
const HEADER_SPACE = 8;

/** The notes after a line (no newline at end, changed line ending) take room too. */
const room = (line: Line | null): number =>
  line ? line.columns + (line.noEol ? 24 : 0) + (lineEndingChanged(line) ? 16 : 0) : 0;
const widest = (row: Row): number =>
  row.kind === 'line' ? room(row.line) : row.kind === 'pair' ? Math.max(room(row.left), room(row.right)) : 0;
const linesOf = (row: Row): Line[] =>
  row.kind === 'line'
    ? [row.line]
    : row.kind === 'pair'
      ? [row.left, row.right].filter((one) => one !== null)
      : [];
const isAscii = ({ text }: Line): boolean => /^[\x20-\x7e]*$/.test(text);

/** Returns whether the font has a fixed width. The two halves of the element contain equally many narrow and wide characters. */
function isEven(element: HTMLElement): boolean {
  const [narrow, wide] = [...element.children].map((half) => half.getBoundingClientRect().width);
  return narrow === wide;
}

export class RowHeights {
  /** The width of the diff, in px. */
  width = $state(0);
  /** An element with 100 characters of code: 50 narrow ones, then 50 wide ones. */
  probe = $state<HTMLElement>();

  /** Counts loaded fonts, because a font changes the width of text. */
  #fonts = $state(0);

  /** Call it during component initialization. */
  constructor() {
    $effect(() => {
      const came = () => (this.#fonts += 1);
      document.fonts.addEventListener('loadingdone', came);
      return () => document.fonts.removeEventListener('loadingdone', came);
    });
  }

  #metrics = $derived.by(() => {
    void this.#fonts;
    const { probe } = this;
    return appearance.measured(() => ({
      ch: (probe?.getBoundingClientRect().width ?? 720) / 100,
      even: probe ? isEven(probe) : true,
    }));
  });
  linePx = $derived(Math.round(appearance.rem * prefs.lineRem));

  /** The width of a line number, in px. */
  number = $derived(Math.ceil(rows.digits * this.#metrics.ch) + NUMBER_PADDING);

  /** The number of columns before a line wraps. */
  #columns = $derived.by(() => {
    const { ch } = this.#metrics;
    const { number } = this;
    const room = this.width - SCROLL_BAR;
    const text =
      prefs.values.mode === 'split' ? room / 2 - number - COVER_AND_SIGN : room - 2 * number - COVER_AND_SIGN;
    return Math.max(20, Math.floor(text / ch));
  });

  /** The height of the header of a file, in px, and of the space above it. */
  header = $derived({ height: Math.round(appearance.rem * 2.75) - HEADER_SPACE, space: HEADER_SPACE });

  /** The height of the names of functions below that header, in px. */
  functionBar = $derived(Math.round(appearance.rem * 1.625));

  /** The number of px by which the widest line exceeds the view. 0 if lines wrap. */
  excess = $derived(
    prefs.values.wrap ? 0 : Math.max(0, Math.ceil((rows.columns + 2 - this.#columns) * this.#metrics.ch)),
  );

  /** Returns the estimated height of a row, in px. */
  heightOf = $derived.by(() => {
    const [rem, linePx] = [appearance.rem, this.linePx];
    const columns = prefs.values.wrap ? this.#columns : Infinity;
    const [file, hunk, notice, fold, chapter] = [2.75, 1.75, 3, 1.625, 3.25].map((of) =>
      Math.round(rem * of),
    ) as [number, number, number, number, number];
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
        case 'fold':
          return fold;
        case 'chapter':
          return chapter;
        case 'image':
          return 280;
        case 'rendered':
          return 400;
        case 'notice':
          return notice;
        case 'card':
          return 170;
        case 'pending':
          return row.lines * linePx + row.hunks * hunk;
      }
    };
  });

  /** Returns whether the real height of a row may differ from the estimate. */
  varies = $derived.by(() => {
    const columns = this.#columns;
    const { even } = this.#metrics;
    const { wrap } = prefs.values;
    return (row: Row): boolean => {
      if (row.kind === 'card' || row.kind === 'image' || row.kind === 'rendered') return true;
      if (!wrap) return false;
      const wide = widest(row);
      // Text with characters of different widths may be wider than its number of columns.
      return wide > columns - 4 || (wide > columns / 2 && !(even && linesOf(row).every(isAscii)));
    };
  });
}
