// Applies fixes. A fix of a file that configures git, an agent or a tool needs the user's confirmation.
import { toCoreError } from '../../rpc/errors';
import { confirmation } from '../app/confirmation.svelte';
import { findingsTexts } from '../../lib/texts/findings';

/** Runs `apply`. If the core requires a confirmation for a file, asks the user and runs it again. Null if the user refuses. */
export async function applyConfirmed<T>(
  apply: (allow_protected: string | null) => Promise<T>,
): Promise<T | null> {
  try {
    return await apply(null);
  } catch (thrown) {
    const path = toCoreError(thrown).info.context?.confirm_path;
    if (typeof path !== 'string') throw thrown;
    const agreed = await confirmation.ask({
      title: findingsTexts.protected.title,
      subject: path,
      text: [findingsTexts.protected.meaning, findingsTexts.protected.advice],
      agree: findingsTexts.protected.write,
      testid: 'confirm-protected',
    });
    return agreed ? apply(path) : null;
  }
}
