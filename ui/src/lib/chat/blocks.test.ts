import { describe, expect, it } from 'vitest';
import { updateBlocks, splitBlocks, codeOf, type Block } from './blocks';

const text = [
  'First paragraph',
  'goes on.',
  '',
  '1. one',
  '',
  '2. two',
  '',
  'After:',
  '```rust',
  'let a = 1;',
  '',
  '```',
  'And',
  '````fix a.md',
  '```sh',
  '```',
  '````',
  '<details><summary>More</summary>',
  '',
  'inside',
  '',
  '</details>',
  '',
  'Last.',
].join('\n');

describe('blocks', () => {
  it('keep lists and details together and split fences', () => {
    const blocks = splitBlocks(text);
    expect(blocks.map(({ kind, line, info }) => [kind, line, info])).toEqual([
      ['prose', 0, ''],
      ['prose', 3, ''],
      ['prose', 7, ''],
      ['code', 8, 'rust'],
      ['prose', 12, ''],
      ['fix', 13, 'fix a.md'],
      ['prose', 17, ''],
      ['prose', 23, ''],
    ]);
    expect(codeOf(blocks[3]!)).toBe('let a = 1;\n');
    expect(blocks[6]!.raw).toContain('inside');
  });

  it('do not depend on the chunks of the text, and earlier blocks keep their identity', () => {
    for (const step of [1, 2, 7]) {
      let blocks: readonly Block[] = [];
      let shown = '';
      for (let at = 0; at < text.length; at += step) {
        const before = blocks;
        blocks = splitBlocks(text.slice(0, at + step), before, shown.length);
        shown = text.slice(0, at + step);
        for (const [index, block] of blocks.slice(0, Math.max(0, before.length - 3)).entries())
          expect(block).toBe(before[index]);
      }
      expect(blocks).toEqual(splitBlocks(text));
    }
  });

  it('follow a correction', () => {
    const before = splitBlocks('One.\n\nThe key is abc');
    expect(splitBlocks('One.\n\nThe key is [REDACTED]', before, 17).map((block) => block.raw)).toEqual([
      'One.\n\n',
      'The key is [REDACTED]',
    ]);
  });

  it('keep their identity when the same text arrives again', () => {
    const before = splitBlocks(text);
    const again = updateBlocks(`${text}\n\nMore.`, before);
    expect(again[5]).toBe(before[5]);
    expect(again).toEqual(splitBlocks(`${text}\n\nMore.`));
    const other = text.replace('two', 'three');
    expect(updateBlocks(other, before)).toEqual(splitBlocks(other));
  });

  it('mark an open fence', () => {
    const [block] = splitBlocks('```fix a.rs\n<<<<<<< OLD\n');
    expect(block).toMatchObject({ kind: 'fix', closed: false });
    expect(codeOf(block!)).toBe('<<<<<<< OLD');
  });
});
