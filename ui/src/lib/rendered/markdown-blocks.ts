// Splits Markdown into blocks, compares them, and marks the words that differ in rendered blocks.
import { lexer } from 'marked';
import { differingWords } from '../diff/word-diff';
import type { Span } from '../diff/segments';
import { NotRendered } from './kinds';
import { sequenceDiff, type Step } from './sequence-diff';

/** The maximum number of blocks of a side. */
const MAX_BLOCKS = 5_000;

export interface Block {
  /** The kind of the parser: `paragraph`, `heading`, `list`, `code`, `table`. */
  type: string;
  /** The Markdown, with the link definitions that it may use. */
  source: string;
}

export interface MarkdownDiff {
  old: Block[];
  new: Block[];
  steps: Step[];
}

/** Compares two texts by blocks. A null text has no blocks. */
export function markdownDiff(old: string | null, now: string | null): MarkdownDiff {
  const [before, after] = [blocksOf(old ?? ''), blocksOf(now ?? '')];
  const key = ({ type, source }: Block) => `${type} ${source.trim()}`;
  const steps = sequenceDiff(before.map(key), after.map(key), (a, b) => before[a]?.type === after[b]?.type);
  return { old: before, new: after, steps };
}

function blocksOf(text: string): Block[] {
  const whole = text.replaceAll('\r\n', '\n');
  const matter = /^---\n([\s\S]*?\n)---(?:\n|$)/.exec(whole);
  let tokens: ReturnType<typeof lexer>;
  try {
    tokens = lexer(matter ? whole.slice(matter[0].length) : whole);
  } catch {
    throw new NotRendered('it is nested too deeply');
  }
  const shown = tokens.filter(({ type }) => type !== 'space' && type !== 'def');
  if (shown.length > MAX_BLOCKS) throw new NotRendered(`it has more than ${MAX_BLOCKS} blocks`);
  const definitions = tokens.filter(({ type }) => type === 'def').map(({ raw }) => raw.trim());
  // A block is rendered alone, so it gets the definitions of the links that it names.
  const withLinks = (raw: string) => {
    const used = definitions.filter((one) => raw.includes(one.slice(0, one.indexOf(']') + 1)));
    return [raw, ...used].join('\n\n');
  };
  const blocks = shown.map(({ type, raw }): Block => ({ type, source: withLinks(raw) }));
  const front: Block[] = matter ? [{ type: 'front', source: `\`\`\`yaml\n${matter[1]}\`\`\`` }] : [];
  return [...front, ...blocks];
}

/** Wraps the words of rendered nodes that differ from other text. */
export function markDifferences(nodes: DocumentFragment, other: string, tag: 'ins' | 'del'): void {
  const spans = differingWords(nodes.textContent ?? '', other);
  const texts: Text[] = [];
  const walk = document.createTreeWalker(nodes, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) texts.push(walk.currentNode as Text);
  let at = 0;
  for (const text of texts) {
    const [from, to] = [at, at + text.data.length];
    at = to;
    const inside = spans
      .map(([start, end]): Span => [Math.max(start, from) - from, Math.min(end, to) - from])
      .filter(([start, end]) => end > start);
    if (inside.length > 0) text.replaceWith(...pieces(text.data, inside, tag));
  }
}

function pieces(text: string, spans: readonly Span[], tag: 'ins' | 'del'): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  for (const [from, to] of spans) {
    if (from > at) nodes.push(document.createTextNode(text.slice(at, from)));
    const mark = document.createElement(tag);
    mark.textContent = text.slice(from, to);
    nodes.push(mark);
    at = to;
  }
  if (at < text.length) nodes.push(document.createTextNode(text.slice(at)));
  return nodes;
}
