// Sends decisions and viewed marks to the core, one at a time.
import { serialQueue } from '../../lib/serial-queue';

/** Queues a write. The order is preserved, so that the latest decision wins. */
export const queueWrite = serialQueue();

/** Resolves when all queued writes are saved or rejected. Await it before reading the data from the core. */
export const writesSettled = (): Promise<void> => queueWrite(() => Promise.resolve());
