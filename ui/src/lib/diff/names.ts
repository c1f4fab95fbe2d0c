// Finds the names in a line of code.

export interface NameInLine {
  name: string;
  /** The column in UTF-16 units, from 0. */
  column: number;
}

const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** Converts a column in bytes of UTF-8 to UTF-16 units. */
export const columnOf = (text: string, bytes: number): number =>
  new TextDecoder().decode(new TextEncoder().encode(text).slice(0, bytes)).length;

/** Returns the names of a line, each once, in order. One-letter names and numbers are included. */
export function namesIn(text: string): NameInLine[] {
  const found = new Map<string, NameInLine>();
  for (const match of text.matchAll(NAME))
    if (!found.has(match[0])) found.set(match[0], { name: match[0], column: match.index });
  return [...found.values()];
}

/** Returns the name that a selection means, or null if the selection is not one name of the line. */
export function selectedName(text: string, selection: string): NameInLine | null {
  const wanted = selection.trim();
  return namesIn(text).find(({ name }) => name === wanted) ?? null;
}
