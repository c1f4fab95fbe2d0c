import { describe, expect, test } from 'vitest';
import { renderedKind } from './kinds';
import { markdownDiff } from './markdown-blocks';
import { notebookDiff } from './notebook';
import { runsOf, sequenceDiff } from './sequence-diff';
import { parse, tableDiff } from './table';

const shown = (steps: readonly { kind: string; old: number | null; new: number | null }[]) =>
  steps.map((step) => `${step.kind}${step.old ?? ''}:${step.new ?? ''}`).join(' ');

describe('sequences', () => {
  test('steps lead from one sequence to the other', () => {
    expect(shown(sequenceDiff(['a', 'b', 'c'], ['a', 'x', 'c', 'd']))).toBe(' 0:0 ~1:1  2:2 +:3');
    expect(shown(sequenceDiff([], ['a']))).toBe('+:0');
    expect(shown(sequenceDiff(['a'], []))).toBe('-0:');
    expect(shown(sequenceDiff(['a'], ['b'], () => false))).toBe('-0: +:0');
  });

  test('every item is in exactly one step, in order, for random sequences', () => {
    let seed = 7;
    const roll = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
    for (let round = 0; round < 300; round++) {
      const make = () => Array.from({ length: roll(14) }, () => 'abcd'[roll(4)]!);
      const [a, b] = [make(), make()];
      const steps = sequenceDiff(a, b, () => roll(2) === 0);
      expect(steps.flatMap((step) => step.old ?? [])).toEqual(a.map((_, at) => at));
      expect(steps.flatMap((step) => step.new ?? [])).toEqual(b.map((_, at) => at));
      for (const step of steps) if (step.kind === ' ') expect(a[step.old!]).toBe(b[step.new!]);
    }
  });

  test('equal items far from changes are hidden', () => {
    const items = Array.from({ length: 12 }, (_, at) => String(at));
    const runs = runsOf(sequenceDiff(items, [...items.slice(0, 6), 'x', ...items.slice(7)]), 2);
    expect(runs.map(({ hidden, steps }) => `${hidden ? 'hidden' : 'shown'} ${steps.length}`)).toEqual([
      'hidden 4',
      'shown 5',
      'hidden 3',
    ]);
  });
});

test('the kind follows from the ending', () => {
  expect(renderedKind('docs/README.MD')).toBe('markdown');
  expect(renderedKind('a/b.ipynb')).toBe('notebook');
  expect(renderedKind('data.tsv')).toBe('table');
  expect(renderedKind('md')).toBe(null);
  expect(renderedKind('a.md/file')).toBe(null);
});

describe('Markdown', () => {
  test('blocks are compared, and keep the definitions of their links', () => {
    const diff = markdownDiff(
      '# A\n\nOne [x].\n\nTwo\n\n[x]: https://a.example\n',
      '# A\n\nOne [x]!\n\n- new\n\nTwo\n\n[x]: https://a.example\n',
    );
    expect(shown(diff.steps)).toBe(' 0:0 ~1:1 +:2  2:3');
    expect(diff.new[1]!.source).toContain('[x]: https://a.example');
  });

  test('front matter is a block of its own', () => {
    const diff = markdownDiff('---\ntitle: a\n---\ntext\n', '---\ntitle: b\n---\ntext\n');
    expect(shown(diff.steps)).toBe('~0:0  1:1');
    expect(diff.new[0]!.source).toBe('```yaml\ntitle: b\n```');
  });
});

describe('tables', () => {
  test('quoted values have separators, line feeds and quotes', () => {
    expect(parse('\ufeffa,"b, ""c""\nd"\r\n1,\n', ',')).toEqual([
      ['a', 'b, "c"\nd'],
      ['1', ''],
    ]);
    expect(() => parse('a,"b\n', ',')).toThrow('a quoted value does not end');
  });

  test('rows are compared, and changed rows are paired', () => {
    const diff = tableDiff('id;name\n1;a\n2;b\n3;c\n', 'id;name\n1;a\n2;B\n4;d\n3;c\n', 'x.csv');
    expect(diff.columns).toBe(2);
    expect(diff.header.kind).toBe(' ');
    expect(shown(diff.steps)).toBe(' 1:1 ~2:2 +:3  3:4');
  });

  test('too large tables are refused', () => {
    expect(() => tableDiff(null, 'a\n'.repeat(5_001), 'x.csv')).toThrow('more than 5000 rows');
  });
});

describe('notebooks', () => {
  const notebook = (...cells: object[]) =>
    JSON.stringify({ cells, metadata: { language_info: { file_extension: '.py' } } });
  const code = (source: string, outputs: object[] = []) => ({
    cell_type: 'code',
    source: [source],
    execution_count: 1,
    outputs,
  });

  test('cells are compared with their outputs', () => {
    const text = (text: string) => [{ output_type: 'stream', text: [`${text}\n`, '\u001b[31mred\u001b[0m'] }];
    const diff = notebookDiff(
      notebook(code('a = 1'), code('b', text('x'))),
      notebook(code('a = 2'), code('b', text('y')), code('c')),
    );
    expect(shown(diff.steps)).toBe('~0:0 ~1:1 +:2');
    expect(diff.new[1]!.text).toBe('y\nred');
    expect(diff.language).toBe('py');
  });

  test('images are data of known types, and other outputs are named', () => {
    const output = (data: object) => ({ output_type: 'display_data', data });
    const outputs = [
      output({ 'image/png': 'aGk=\n' }),
      output({ 'image/png': '"><script>' }),
      output({ 'text/html': '<b>' }),
    ];
    const [cell] = notebookDiff(null, notebook(code('x', outputs))).new;
    expect(cell!.images).toEqual(['data:image/png;base64,aGk=']);
    expect(cell!.others).toEqual(['image/png', 'text/html']);
  });

  test('a file that is not a notebook says so', () => {
    expect(() => notebookDiff(null, '{')).toThrow('it is not valid JSON');
    expect(() => notebookDiff(null, '{"worksheets":[]}')).toThrow('not a notebook of version 4');
  });
});
