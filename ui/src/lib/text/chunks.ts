// Splits a long text into chunks of whole lines, so that the browser lays out only the visible ones.

const LINES = 120;

/** A part of a text, and its number of lines. Joined, the chunks are the whole text. */
export interface Chunk {
  text: string;
  lines: number;
}

export function splitChunks(text: string, linesEach = LINES): Chunk[] {
  const lines = text.split('\n');
  const chunks: Chunk[] = [];
  for (let at = 0; at < lines.length; at += linesEach) {
    const some = lines.slice(at, at + linesEach);
    const last = at + linesEach >= lines.length;
    chunks.push({ text: some.join('\n') + (last ? '' : '\n'), lines: some.length });
  }
  return chunks;
}

/** Splits a text at redaction marks. Every odd part is a mark. */
export const splitRedactions = (text: string): string[] => text.split(/(\[REDACTED(?::[^\]\s]+)?\])/);
