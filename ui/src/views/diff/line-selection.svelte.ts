// Selects lines of the diff by their numbers, and text on one side at a time.
import { copiedText, sideOf } from '../../lib/diff/copy-selection';
import type { Line } from '../../lib/diff/lines';
import type { Side } from '../../rpc/types.gen';
import { cursor } from '../../state/change/cursor.svelte';
import { findingEditor } from '../../state/findings/finding-editor.svelte';
import { rows } from '../../state/change/rows.svelte';

export class LineSelection {
  /** The side on which text is selected. */
  half = $state<'left' | 'right' | null>(null);
  #dragging = false;
  /** The row of the last pointer press. It may no longer be drawn when its text is copied. */
  #began: number | null = null;

  /** Selects one line by a press on its number, or several with Shift. */
  press(event: PointerEvent): void {
    this.half = sideOf(event.target as Node);
    this.#began = rowOf(event.target as Node);
    if (event.button !== 0 || !(event.target as HTMLElement).closest('.no')) return;
    const at = lineAt(event);
    if (!at) return;
    event.preventDefault();
    cursor.set(at.line, at.side, event.shiftKey);
    this.#dragging = true;
  }

  move(event: PointerEvent): void {
    const at = this.#dragging ? lineAt(event) : null;
    if (at) cursor.set(at.line, at.side, true);
  }

  release(): void {
    if (!this.#dragging) return;
    this.#dragging = false;
    if (cursor.place) findingEditor.begin(cursor.place);
  }

  copy(event: ClipboardEvent): void {
    const selection = window.getSelection();
    const text = this.#longText(selection) ?? copiedText(selection);
    if (text === null) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
  }

  /** Returns the whole lines of a selection that began in a row that is no longer drawn. Null for other selections. */
  #longText(selection: Selection | null): string | null {
    const began = this.#began;
    const ends = rowOf(selection?.focusNode ?? null);
    if (selection?.isCollapsed !== false || began === null || ends === null) return null;
    if (document.querySelector(`[data-row="${began}"]`)) return null;
    const lines = rows.all.slice(Math.min(began, ends), Math.max(began, ends) + 1).flatMap((row) => {
      if (row.kind === 'line') return [row.line];
      const one = row.kind !== 'pair' ? null : this.half === 'left' ? row.left : row.right;
      return one ? [one] : [];
    });
    return lines.map((line) => line.text).join('\n');
  }
}

/** Returns the line under the pointer, on the side that the pointer is over. */
function lineAt(event: Event): { line: Line; side: Side } | null {
  const target = event.target as HTMLElement;
  const at = target.closest<HTMLElement>('[data-row]')?.dataset.row;
  const row = at === undefined ? undefined : rows.all[Number(at)];
  if (row?.kind === 'line') return { line: row.line, side: row.line.new === null ? 'old' : 'new' };
  if (row?.kind !== 'pair') return null;
  const side: Side = sideOf(target) === 'left' ? 'old' : 'new';
  const line = side === 'old' ? row.left : row.right;
  return line ? { line, side } : null;
}

function rowOf(node: Node | null): number | null {
  const element = node instanceof Element ? node : node?.parentElement;
  const at = element?.closest<HTMLElement>('[data-row]')?.dataset.row;
  return at === undefined ? null : Number(at);
}
