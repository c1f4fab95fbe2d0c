// Histories for benchmarks of whole commands: real repositories, and generated ones where there are none.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The sizes of diffs that are measured, in bytes. */
const SIZES = [10e6, 100e6];
/** The ratio to a size up to which a diff stands for it. */
const NEAR = 2;
/** The number of commits of a small change. */
const FEW = 3;

const git = (cwd, args, input) => {
  const done = spawnSync('git', args, { cwd, input, maxBuffer: 1 << 30 });
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
};

export const diffOf = (range) => ['diff', '--no-color', '--no-ext-diff', '--no-textconv', range];

/** Returns the ranges to measure: `{ cwd, range, name }`. `folder` names a folder of real repositories, in place of generated ones. */
export function histories(folder) {
  if (!folder) return generated();
  const repositories = readdirSync(folder).map((name) => path.join(folder, name));
  return repositories
    .map((cwd) => (existsSync(path.join(cwd, 'repo', 'HEAD')) ? path.join(cwd, 'repo') : cwd))
    .filter((cwd) => existsSync(path.join(cwd, '.git')) || existsSync(path.join(cwd, 'HEAD')))
    .flatMap(rangesOf);
}

/** Returns the ranges of a real repository: a few commits, and for each size the range whose diff is nearest. */
export function rangesOf(cwd) {
  const name = path.basename(cwd) === 'repo' ? path.basename(path.dirname(cwd)) : path.basename(cwd);
  const commits = Number(git(cwd, ['rev-list', '--count', '--first-parent', 'HEAD']));
  const measured = [];
  for (let back = FEW; back < commits; back = Math.ceil(back * 1.8)) {
    const range = `HEAD~${back}..HEAD`;
    const size = git(cwd, diffOf(range)).length;
    measured.push({ cwd, range, name, size });
    if (size > Math.max(...SIZES) * NEAR) break;
  }
  const distance = (one, size) => Math.abs(Math.log(one.size / size));
  const nearest = SIZES.map((size) => {
    const best = measured.toSorted((one, other) => distance(one, size) - distance(other, size))[0];
    return best && distance(best, size) <= Math.log(NEAR) ? best : undefined;
  });
  return [measured[0], ...nearest].filter(Boolean);
}

/** Returns a function that gives whole numbers below a limit, always the same ones. */
function dice(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const WORDS = 'account user order total price parse value index buffer stream token cache entry state view path line'.split(' ');

/** Generates code in the style of a language, in functions. */
class Code {
  constructor(roll, { open, statement, comment, close }) {
    Object.assign(this, { roll, open, statement, comment, close });
  }

  word() {
    const { roll } = this;
    const [one, other] = [WORDS[roll(WORDS.length)], WORDS[roll(WORDS.length)]];
    return `${one}${other[0].toUpperCase()}${other.slice(1)}${roll(400)}`;
  }

  line() {
    return this.roll(8) === 0 ? this.comment(this.word(), this.word()) : this.statement(this.word(), this.word(), this.roll(1000));
  }

  /** Returns the lines of one function. */
  block() {
    return [this.open(this.word(), this.word()), ...Array.from({ length: 3 + this.roll(20) }, () => this.line()), this.close, ''];
  }

  file(lines) {
    const all = [];
    while (all.length < lines) all.push(...this.block());
    return all;
  }

  /** Edits lines as people do: most are replaced, some functions move, some lines only get another indent. */
  edit(lines, edits) {
    const { roll } = this;
    const edited = [...lines];
    for (let edit = 0; edit < edits; edit++) {
      const at = roll(edited.length);
      const kind = roll(10);
      if (kind < 6) edited.splice(at, roll(4), ...Array.from({ length: roll(6) }, () => this.line()));
      else if (kind < 8) edited.splice(at, 0, ...this.block());
      else if (kind < 9) edited.splice(roll(edited.length), 0, ...edited.splice(at, 12));
      else edited.splice(at, 5, ...edited.slice(at, at + 5).map((line) => `  ${line}`));
    }
    return edited;
  }
}

const LANGUAGES = {
  typescript: {
    extension: 'ts',
    open: (name, argument) => `export function ${name}(${argument}: Input, depth = 0): Output {`,
    statement: (name, other, number) => `  const ${name} = compute(${other}, "${name} ${number}", depth + ${number % 7});`,
    comment: (name, other) => `  // The ${name} is read before the ${other}.`,
    close: '}',
  },
  rust: {
    extension: 'rs',
    open: (name, argument) => `pub fn ${name.toLowerCase()}(${argument.toLowerCase()}: &Input) -> Output {`,
    statement: (name, other, number) => `    let ${name.toLowerCase()} = ${other.toLowerCase()}.get(${number}).unwrap_or("${name}");`,
    comment: (name, other) => `    // The ${name} is read before the ${other}.`,
    close: '}',
  },
  java: {
    extension: 'java',
    open: (name, argument) => `    public Output ${name}(Input ${argument}) {`,
    statement: (name, other, number) => `        Output ${name} = this.${other}.apply(${number}, "${name}");`,
    comment: (name, other) => `        // The ${name} is read before the ${other}.`,
    close: '    }',
  },
};

/** The shapes of generated changes. A megabyte of diff needs `files` files of `lines` lines with `edits` edits each. */
const SHAPES = {
  'many small files': { language: 'typescript', files: 220, lines: 60, edits: 5, added: 3 },
  'few large files': { language: 'rust', files: 2, lines: 12_000, edits: 560, added: 0 },
  'many renames': { language: 'java', files: 9, lines: 1600, edits: 110, added: 0, renamed: true },
};

/** Returns generated histories, for all shapes and sizes. They are deleted at the end. */
function generated() {
  return Object.entries(SHAPES).flatMap(([name, shape]) =>
    SIZES.map((size) => ({ cwd: generate(shape, size / 1e6), range: 'HEAD~1..HEAD', name: `generated, ${name}` })),
  );
}

/** Creates a repository of two commits. One of `added` files is new in the second one. */
function generate({ language, files, lines, edits, added, renamed }, megabytes) {
  const roll = dice(megabytes + files);
  const { extension, ...style } = LANGUAGES[language];
  const code = new Code(roll, style);
  const commits = [[], []];
  const put = (commit, name, content) => {
    const text = Buffer.from(content.join('\n') + '\n');
    commits[commit].push(Buffer.from(`M 100644 inline ${name}\ndata ${text.length}\n`), text, Buffer.from('\n'));
  };
  for (let file = 0; file < files * megabytes; file++) {
    const folder = `part${file % 23}/module${file % 211}`;
    const name = `src/${folder}/file${file}.${extension}`;
    const old = code.file(lines / 2 + roll(lines));
    const isNew = added > 0 && file % added === 0;
    if (!isNew) put(0, name, old);
    if (renamed && !isNew) commits[1].push(Buffer.from(`D ${name}\n`));
    put(1, renamed ? `main/${folder}/file${file}.${extension}` : name, isNew ? old : code.edit(old, 1 + roll(2 * edits)));
  }
  const head = (number, when) =>
    Buffer.from(`commit refs/heads/main\ncommitter A <a@example.com> ${when} +0000\ndata 1\n${number}\n`);
  const cwd = mkdtempSync(path.join(tmpdir(), 'diffsan-history-'));
  process.on('exit', () => rmSync(cwd, { recursive: true, force: true }));
  git(cwd, ['init', '--quiet', '--initial-branch', 'main', '--bare']);
  git(cwd, ['fast-import', '--quiet'], Buffer.concat([head(1, 1_577_836_800), ...commits[0], head(2, 1_577_836_900), ...commits[1]]));
  return cwd;
}
