// Has the core read the symbols of a change in the background, so that navigation answers at once.
import { afterPaint } from '../../lib/after-paint';
import { connection } from '../app/connection.svelte';
import { change } from './change.svelte';
import { openChange } from './open-change.svelte';
import { symbols } from './symbols.svelte';

/** The time for which a change is shown before its symbols are read, in milliseconds. A change that is only passed by is not read. */
const WAIT_MS = 1500;

let of = '';
let timer: ReturnType<typeof setTimeout> | undefined;
let running: AbortController | undefined;

/** Reads the symbols of each change that is shown. */
export function prepareSymbols(): void {
  change.onShown(() => {
    const fingerprint = openChange.view?.fingerprint ?? '';
    if (fingerprint === of) return;
    of = fingerprint;
    clearTimeout(timer);
    running?.abort();
    if (!fingerprint) return;
    afterPaint(() => {
      // The function names above the first visible line.
      void symbols.load();
      timer = setTimeout(() => void read(), WAIT_MS);
    });
  });
}

async function read(): Promise<void> {
  if (!openChange.repo) return;
  running = new AbortController();
  const { signal } = running;
  try {
    await openChange.call((change_id) => connection.client.call('navigation.prepare', { change_id }, signal));
  } catch {
    // Each question reads the missing symbols, and reports its own error.
  }
}
