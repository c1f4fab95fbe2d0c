// Fuzzy matching for the command palette, best match first.

/** Returns how well the letters of `typed` occur in `text`, in order. Null if they do not. Higher is better. */
export function score(typed: string, text: string): number | null {
  const want = typed.toLowerCase().replace(/\s+/g, '');
  const have = text.toLowerCase();
  if (want === '') return 0;
  const whole = have.indexOf(typed.toLowerCase().trim());
  if (whole >= 0) return 1_000 - whole - have.length / 100 + (startsWord(have, whole) ? 200 : 0);
  let points = 0;
  let at = -1;
  for (const letter of want) {
    const next = have.indexOf(letter, at + 1);
    if (next < 0) return null;
    points += next === at + 1 ? 6 : startsWord(have, next) ? 4 : -Math.min(next - at, 4);
    at = next;
  }
  // Scattered letters do not count as a match.
  return points < want.length * 2 ? null : points - have.length / 100;
}

const startsWord = (text: string, at: number): boolean => at === 0 || /[^a-z0-9]/.test(text[at - 1]!);

/** Returns the best matches. The sort is stable. */
export function bestMatches<T>(
  typed: string,
  items: readonly T[],
  textOf: (item: T) => string,
  limit: number,
): T[] {
  const found: { item: T; points: number; order: number }[] = [];
  items.forEach((item, order) => {
    const points = score(typed, textOf(item));
    if (points !== null) found.push({ item, points, order });
  });
  found.sort((a, b) => b.points - a.points || a.order - b.order);
  return found.slice(0, limit).map((one) => one.item);
}
