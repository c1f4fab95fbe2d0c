/** The keys that scroll a list, and the distance in heights of its view. */
const pages: Record<string, number> = {
  PageDown: 0.9,
  PageUp: -0.9,
  ' ': 0.9,
  'Shift+ ': -0.9,
  Home: -Infinity,
  End: Infinity,
};

/** Returns the position to which a key scrolls a list, or null for another key. */
export function pagedTo(
  list: Pick<HTMLElement, 'scrollTop' | 'clientHeight' | 'scrollHeight'>,
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
): number | null {
  const by = pages[shiftKey ? `Shift+${key}` : key];
  if (by === undefined) return null;
  const last = list.scrollHeight - list.clientHeight;
  return Math.min(Math.max(list.scrollTop + by * list.clientHeight, 0), Math.max(last, 0));
}
