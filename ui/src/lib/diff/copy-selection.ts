// The text to copy for a selection in the diff: code of one side, without line numbers and signs.

/** Returns the drawn diff lines that a range touches. */
export function rowsIn(range: Range): HTMLElement[] {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')];
  return rows.filter((row) => range.intersectsNode(row));
}

/** Returns the code of a selection in the diff. Null where the selection contains no code. */
export function copiedText(selection: Selection | null): string | null {
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const within = rowsIn(range);
  if (within.length === 0 || inCard(selection)) return null;
  const side = sideOf(selection.anchorNode);
  const parts = within.flatMap((row) => {
    const codes = [...row.querySelectorAll<HTMLElement>('code')];
    const code = codes.find((one) => side === null || one.closest('.half') === null || sideOf(one) === side);
    return code ? [clipped(code, range)] : [];
  });
  return parts.length > 0 ? parts.join('\n') : null;
}

/** Returns the side of a split row that contains a node. */
export function sideOf(node: Node | null): 'left' | 'right' | null {
  const element = node instanceof Element ? node : node?.parentElement;
  const half = element?.closest('.half');
  return half ? (half.classList.contains('right') ? 'right' : 'left') : null;
}

/** A selection inside a finding or a thread is copied unchanged. */
const inCard = ({ anchorNode, focusNode }: Selection): boolean =>
  [anchorNode, focusNode].some(
    (node) => (node instanceof Element ? node : node?.parentElement)?.closest('article') != null,
  );

function clipped(code: HTMLElement, range: Range): string {
  if (!range.intersectsNode(code)) return '';
  const own = document.createRange();
  own.selectNodeContents(code);
  if (range.compareBoundaryPoints(Range.START_TO_START, own) > 0)
    own.setStart(range.startContainer, range.startOffset);
  if (range.compareBoundaryPoints(Range.END_TO_END, own) < 0) own.setEnd(range.endContainer, range.endOffset);
  return own.toString();
}
