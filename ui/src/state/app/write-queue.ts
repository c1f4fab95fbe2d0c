// Sends decisions, edits and viewed marks to the core, one at a time.
import { serialQueue } from '../../lib/serial-queue';

const queue = serialQueue();
let unsaved = 0;
let queued = 0;

/** Queues a write. The order is preserved, so that the latest decision wins. */
export function queueWrite<T>(run: () => Promise<T>): Promise<T> {
  unsaved += 1;
  queued += 1;
  return queue(run).finally(() => (unsaved -= 1));
}

/** Returns whether a queued write is neither saved nor rejected. */
export const hasUnsavedWrites = (): boolean => unsaved > 0;

/** Resolves when all queued writes are saved or rejected. Await it before reading the data from the core. */
export const writesSettled = (): Promise<void> => queue(() => Promise.resolve());

/** The number of writes queued so far. Data that was requested before the latest of them may be older than it. */
export const writeCount = (): number => queued;
