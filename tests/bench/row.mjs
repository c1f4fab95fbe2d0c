import { appendFileSync } from 'node:fs';

/**
 * Adds a row to the table that `make bench` prints: what was measured, the size of the input, the measurement and its unit. It is compared
 * with `goal`, a maximum (a minimum with `higher`), or with `theirs`, the measurement of a peer, and then `goal` is the maximum ratio.
 */
export const row = (fields) => {
  const file = process.env.DIFFSAN_BENCH_ROWS;
  if (file) appendFileSync(file, `${JSON.stringify(fields)}\n`);
};
