// Prints the rows of a run of all benchmarks as one table, beside the median of the last runs, and keeps the run.
//   node tests/bench/table.mjs ROWS RUNS: files with one JSON object per line
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { median } from './median.mjs';

/** The number of earlier runs that a measurement is compared with. */
const RUNS = 5;
/** The ratio to the earlier runs from which a measurement is marked. Two runs on the same machine differ by less. */
const MARKED = 1.25;

const [rowsFile, runsFile] = process.argv.slice(2);
const lines = (file) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)) : []);
const rows = lines(rowsFile);
const machine = `${os.cpus()[0]?.model ?? 'unknown processor'} × ${os.cpus().length}`;
const earlier = lines(runsFile)
  .filter((run) => run.machine === machine)
  .slice(-RUNS);
const key = ({ what, size, unit }) => `${what}\n${size}\n${unit}`;

const number = (value) => {
  if (value === undefined || value === null || Number.isNaN(value)) return '';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2);
};

/** Returns the cells of a row. */
function cells(one) {
  const ratio = one.theirs === undefined ? undefined : one.ours / one.theirs;
  const measured = ratio ?? one.ours;
  const met = one.goal === undefined ? '' : (one.higher ? measured >= one.goal : measured <= one.goal) ? 'yes' : 'NO';
  const before = earlier.flatMap((run) => run.rows.filter((row) => key(row) === key(one)).map(({ ours }) => ours));
  const usual = before.length > 0 ? median(before) : undefined;
  const worse = usual === undefined ? 1 : one.higher ? usual / one.ours : one.ours / usual;
  const goal = one.goal === undefined ? '' : `${one.higher ? '≥' : '≤'} ${number(one.goal)}${ratio === undefined ? ` ${one.unit}` : ''}`;
  return [
    one.what,
    one.size,
    `${number(one.ours)} ${one.unit}`,
    one.peer === undefined ? '' : `${one.peer} ${number(one.theirs)} ${one.unit}`,
    number(ratio),
    goal,
    met,
    usual === undefined ? '' : `${number(usual)} ${one.unit}${worse > MARKED ? ' WORSE' : ''}`,
  ];
}

const head = ['what', 'size', 'ours', 'peer', 'ratio', 'goal', 'met', `median of the last ${earlier.length} runs`];
const table = [head, ...rows.map(cells)];
const widths = head.map((_, column) => Math.max(...table.map((row) => row[column].length)));
const right = new Set([2, 4, 5]);
for (const row of table)
  console.log(row.map((cell, column) => (right.has(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]))).join('  ').trimEnd());
const missed = table.filter((row) => row[6] === 'NO').length;
const judged = table.filter((row) => row[6] === 'yes').length + missed;
console.log(`${rows.length} measurements, ${judged - missed} of ${judged} goals met`);

const commit = spawnSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).stdout.trim();
appendFileSync(runsFile, `${JSON.stringify({ at: new Date().toISOString(), commit, machine, rows })}\n`);
