// Finds the lines of an unsaved finding in another version of its file.

/** A line of one side of a file. */
export interface NumberedLine {
  number: number;
  text: string;
}

/**
 * Returns the number of the first line of a quoted text in the lines of a file, which are in order: `start` if it is still there, or
 * else its only other place. Null if there is none, or several.
 */
export function findQuote(lines: readonly NumberedLine[], quote: string, start: number): number | null {
  const wanted = quote.split('\n');
  const isAt = (from: number): boolean =>
    wanted.every((text, at) => {
      const line = lines[from + at];
      return line?.text === text && line.number === lines[from]!.number + at;
    });
  const starts = lines.flatMap((line, index) => (isAt(index) ? [line.number] : []));
  if (starts.includes(start)) return start;
  return starts.length === 1 ? starts[0]! : null;
}
