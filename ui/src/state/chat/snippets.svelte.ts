// The snippets in force, and the user's snippets.
import type { SnippetsView, Snippet } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { chatTexts } from '../../lib/texts/chat';

class Snippets {
  view = $state.raw<SnippetsView>({ snippets: [], path: null, notices: [] });

  /** Loads the snippets again, because the file may have been edited. */
  async load(): Promise<void> {
    try {
      this.view = await connection.client.call('snippets.list');
    } catch (thrown) {
      notices.fail(thrown, chatTexts.snippets.notRead);
    }
  }

  /** Saves the user's snippets. Null restores the built-in ones. Resolves with whether it succeeded. */
  async save(snippets: Snippet[] | null): Promise<boolean> {
    try {
      this.view = await connection.client.call('snippets.save', { snippets });
      return true;
    } catch (thrown) {
      notices.fail(thrown, chatTexts.snippets.notSaved);
      return false;
    }
  }

  async take(text: string): Promise<boolean> {
    try {
      this.view = await connection.client.call('snippets.import', { text });
      return true;
    } catch (thrown) {
      notices.fail(thrown, chatTexts.snippets.notImported);
      return false;
    }
  }
}

export const snippets = new Snippets();
