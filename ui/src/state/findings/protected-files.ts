// Applies fixes. A fix of a file that configures git, an agent or a tool needs the reviewer's confirmation.
import { toCoreError } from '../../rpc/errors';
import { confirmation } from '../app/confirmation.svelte';

/** Runs `apply`; where the core wants a file to be confirmed, asks, and runs it again with that file. Null if that was refused. */
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
        'Git, an agent or another tool obeys this file and may run commands that it names.',
        'The text was proposed by an agent. Read the fix before you write it.',
      ],
      agree: 'Write this file',
      testid: 'confirm-protected',
    });
    return agreed ? apply(path) : null;
  }
}
