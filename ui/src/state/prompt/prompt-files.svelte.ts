// The prompt files in force, and the user's copies.
import type { PromptFileView } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { promptTexts } from '../../lib/texts/prompt';

class PromptFiles {
  files = $state.raw<PromptFileView[]>([]);

  /** Loads the files again, because they may have been edited elsewhere. */
  async load(): Promise<void> {
    try {
      this.files = (await connection.client.call('prompts.list')).files;
    } catch (thrown) {
      notices.fail(thrown, promptTexts.skills.filesNotRead);
    }
  }

  /** Saves the user's text of a file. Null restores the built-in text. Resolves with whether it succeeded. */
  async save(name: string, text: string | null): Promise<boolean> {
    try {
      this.files = (await connection.client.call('prompts.save', { name, text })).files;
      return true;
    } catch (thrown) {
      notices.fail(thrown, promptTexts.skills.fileNotSaved(name));
      return false;
    }
  }
}

export const promptFiles = new PromptFiles();
