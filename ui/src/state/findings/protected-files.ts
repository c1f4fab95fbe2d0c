// Applies fixes. A fix of a file that configures git, an agent or a tool needs the user's confirmation.
import { toCoreError } from '../../rpc/errors';
import { confirmation } from '../app/confirmation.svelte';

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
      title: 'Write a file that configures your tools?',
      subject: path,
      text: [
        'Git, an agent or another tool reads this file and can run commands from it.',
        'An agent proposed the text. Read the fix before you write it.',
      ],
      agree: 'Write this file',
      testid: 'confirm-protected',
    });
    return agreed ? apply(path) : null;
  }
}
