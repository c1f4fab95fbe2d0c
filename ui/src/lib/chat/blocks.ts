// Splits a streaming message into blocks. Unchanged blocks keep their identity, so only the last one is drawn again.

export interface Block {
  /** The offset in the text. */
  start: number;
  /** The line in the text, from 0. */
  line: number;
  raw: string;
  kind: 'prose' | 'code' | 'fix';
  /** The text after the opening fence. */
  info: string;
  /** Whether the block's closing fence has arrived. */
  closed: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const LIST = /^\s*([-*+]|\d{1,9}[.)])\s/;

/** Splits a text into blocks. Blocks of `before` that end before `changed` are reused, except the last two. */
export function splitBlocks(text: string, before: readonly Block[] = [], changed = 0): readonly Block[] {
  // The last unchanged blocks may still grow or merge.
  let reused = before.length;
  while (reused > 0 && before[reused - 1]!.start + before[reused - 1]!.raw.length > changed) reused--;
  reused = Math.max(0, reused - 2);
  const from = before[reused];
  const start = reused > 0 && from ? from.start : 0;
  const first = reused > 0 && from ? from.line : 0;
  if (reused === 0 || !from) reused = 0;
  return [...before.slice(0, reused), ...split(text, start, first)];
}

/** Splits a text that may have changed anywhere. Unchanged blocks are reused, so that they are not drawn again. */
export function updateBlocks(text: string, before: readonly Block[]): readonly Block[] {
  const other = before.find((block) => !text.startsWith(block.raw, block.start));
  const last = before.at(-1);
  return splitBlocks(text, before, other?.start ?? (last ? last.start + last.raw.length : 0));
}

function split(text: string, start: number, first: number): Block[] {
  const blocks: Block[] = [];
  let proseStart = -1;
  let startLine = 0;
  let details = 0;
  let list = false;
  let blank = false;
  let at = start;
  let number = first;

  const close = (end: number): void => {
    const raw = proseStart >= 0 ? text.slice(proseStart, end) : '';
    if (raw.trim())
      blocks.push({ start: proseStart, line: startLine, raw, kind: 'prose', info: '', closed: true });
    proseStart = -1;
    details = 0;
  };

  while (at < text.length) {
    const end = lineEnd(text, at);
    const line = text.slice(at, end).replace(/\r?\n$/, '');
    const fence = FENCE.exec(line);
    if (fence && details === 0 && !(fence[1]![0] === '`' && fence[2]!.includes('`'))) {
      close(at);
      const block = fenced(text, at, end, number, fence[1]!, fence[2]!.trim());
      blocks.push(block);
      number += count(block.raw);
      at += block.raw.length;
      blank = false;
      continue;
    }
    if (!line.trim()) blank = true;
    else {
      const continues = details > 0 || /^\s/.test(line) || (list && LIST.test(line));
      if (proseStart >= 0 && blank && !continues) close(at);
      if (proseStart < 0) {
        proseStart = at;
        startLine = number;
        list = LIST.test(line);
      }
      blank = false;
      details += (line.match(/<details\b/gi) ?? []).length - (line.match(/<\/details>/gi) ?? []).length;
      details = Math.max(0, details);
    }
    at = end;
    number += 1;
  }
  close(text.length);
  return blocks;
}

function fenced(
  text: string,
  start: number,
  inner: number,
  line: number,
  ticks: string,
  info: string,
): Block {
  let at = inner;
  let closed = false;
  while (at < text.length && !closed) {
    const end = lineEnd(text, at);
    const trimmed = text.slice(at, end).trim();
    closed = trimmed.length >= ticks.length && [...trimmed].every((char) => char === ticks[0]);
    at = end;
  }
  const kind = /^fix(\s|$)/.test(info) && ticks[0] === '`' ? 'fix' : 'code';
  return { start, line, raw: text.slice(start, at), kind, info, closed };
}

/** Returns the code of a fenced block, without its fences. */
export function codeOf(block: Block): string {
  const lines = block.raw.replace(/\n$/, '').split('\n').slice(1);
  if (block.closed) lines.pop();
  return lines.join('\n');
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

function count(raw: string): number {
  const ends = raw.split('\n').length - 1;
  return raw.endsWith('\n') ? ends : ends + 1;
}
