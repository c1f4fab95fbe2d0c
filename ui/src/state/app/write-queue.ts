// What the reviewer decides and marks, on its way to the core.
import { inTurn } from '../../lib/serial-queue';

/** Sends one behind the other: what was decided last is what is kept. */
export const keep = inTurn();

/** Resolves once all that was sent is kept or refused. Who reads anew waits for it, and finds it there. */
export const kept = (): Promise<void> => keep(() => Promise.resolve());
