// Splits a GitLab comment into prose and suggestions.
import { splitBlocks, codeOf, type Block } from '../chat/blocks';

export type CommentPart =
  { kind: 'prose'; text: string } | { kind: 'suggestion'; above: number; below: number; text: string };

const SUGGESTION = /^suggestion(?::-(\d+)\+(\d+))?$/;

/** The maximum number of lines above or below that GitLab accepts in a suggestion. */
const MAX_DISTANCE = 100;

/** Splits a comment into parts. A text without suggestions is one part. */
export function commentParts(text: string): CommentPart[] {
  const pieces: CommentPart[] = [];
  let from = 0;
  const prose = (to: number): void => {
    if (text.slice(from, to).trim()) pieces.push({ kind: 'prose', text: text.slice(from, to) });
  };
  for (const block of splitBlocks(text)) {
    const range = replacedRange(block);
    if (!range) continue;
    prose(block.start);
    pieces.push({ kind: 'suggestion', ...range, text: codeOf(block) });
    from = block.start + block.raw.length;
  }
  prose(text.length);
  return pieces;
}

/** Returns how many lines above and below the comment's line a block replaces. Null where the block is not a suggestion. */
function replacedRange({ kind, closed, info }: Block): { above: number; below: number } | null {
  const found = kind === 'code' && closed ? SUGGESTION.exec(info) : null;
  const [above, below] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? 0)];
  return found && Math.max(above, below) <= MAX_DISTANCE ? { above, below } : null;
}
