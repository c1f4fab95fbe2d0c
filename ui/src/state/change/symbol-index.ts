// Has the core read the symbols of a change in the background, so that navigation answers at once.
import { afterPaint } from '../../lib/after-paint';
import { connection } from '../app/connection.svelte';
import { callers } from './callers.svelte';
import { change } from './change.svelte';
import { openChange } from './open-change.svelte';
import { symbols } from './symbols.svelte';

/** The time for which a change is shown before its symbols are read, in milliseconds. A change that is only passed by is not read. */
const WAIT_MS = 1500;

let of = '';
let timer: ReturnType<typeof setTimeout> | undefined;
let running: AbortController | undefined;

/** Reads the symbols of each change that is shown, and of the one that is shown now. */
export function prepareSymbols(): void {
  const follow = () => {
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
  };
  change.onShown(follow);
  // The first change can be shown before this module is loaded.
  follow();
}

async function read(): Promise<void> {
  if (!openChange.repo) return;
  running = new AbortController();
  const { signal } = running;
  try {
    await openChange.call((change_id) => connection.client.call('navigation.prepare', { change_id }, signal));
    if (!signal.aborted) await callers.load(signal);
  } catch {
    // Each question reads the missing symbols, and reports its own error.
  }
}
