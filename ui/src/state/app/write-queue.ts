// Sends the reviewer's decisions and marks to the core, one at a time.
import { serialQueue } from '../../lib/serial-queue';

/** Sends one behind the other: what was decided last is what is kept. */
export const queueWrite = serialQueue();

/** Resolves once all that was sent is kept or refused. Who reads anew waits for it, and finds it there. */
export const writesSettled = (): Promise<void> => queueWrite(() => Promise.resolve());
