// Repositories and reviews for the benchmarks of the desk: a change of 50,000 lines in 250 files, and 5,000 findings on it.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const FILES = 250;
const LINES = 200;

const git = (folder, ...args) =>
  execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', '-C', folder, ...args], {
    maxBuffer: 100_000_000,
  });

const code = (file, line, edited) =>
  line % 8 === 0
    ? `export function step${file}_${line}(input: Input, ${edited ? 'options: Options, ' : ''}depth = ${line}): Output {`
    : line % 8 === 7
      ? '}'
      : `  const value${line} = compute(input.items[${line}], "${edited ? 'after' : 'before'} ${file}", depth + ${line % 5}); // note ${line}`;

/** Creates a repository with the change in its work tree: 100 of the 200 lines of each file are replaced. Returns its folder. */
export async function bigChange(files = FILES) {
  const folder = await mkdtemp(path.join(tmpdir(), 'diffsan-big-'));
  git(folder, 'init', '-q', '-b', 'main');
  await mkdir(path.join(folder, 'src'));
  const write = (edited) =>
    Promise.all(
      Array.from({ length: files }, (_, file) => {
        const lines = Array.from({ length: LINES }, (_, line) => code(file, line, edited && line % 20 < 10));
        return writeFile(path.join(folder, 'src', `file${String(file).padStart(3, '0')}.ts`), lines.join('\n') + '\n');
      }),
    );
  await write(false);
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '-m', 'base');
  await write(true);
  const stat = git(folder, 'diff').toString();
  return { folder, lines: stat.split('\n').length };
}

/** Returns the answer of a model with many findings. */
export function manyFindings(count = 5_000) {
  const severity = ['critical', 'high', 'medium', 'low', 'info'];
  const category = ['correctness', 'security', 'performance', 'style'];
  const findings = Array.from({ length: count }, (_, at) => {
    const file = at % FILES;
    // Each finding has a line of its own, changed or beside a change. Two findings at the same place would be merged.
    const line = (Math.floor(at / FILES) * 10 + 1) % LINES;
    return {
      severity: severity[at % 5],
      category: category[at % 4],
      path: `src/file${String(file).padStart(3, '0')}.ts`,
      line_start: line + 1,
      line_end: line + 1,
      title: `Number ${at}: value${line} is computed twice`,
      body_markdown: `The call in \`step${file}\` computes the same thing again. Keep the first result, and pass it on to where it is needed.`,
      quote: code(file, line, line % 20 < 10).trim(),
    };
  });
  return { summary_markdown: 'Many.', findings };
}
