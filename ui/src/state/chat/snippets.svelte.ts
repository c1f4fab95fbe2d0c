// The snippets in force, and the reviewer's own.
import type { SnippetsView, SnippetView } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';

class Snippets {
  view = $state.raw<SnippetsView>({ snippets: [], path: null, notices: [] });

  /** Reads them anew: the file may have been edited. */
  async load(): Promise<void> {
    try {
      this.view = await connection.client.call('snippets.list');
    } catch (thrown) {
      notices.fail(thrown, 'The snippets were not read');
    }
  }

  /** Keeps the reviewer's own; null goes back to the built-in ones. Whether they are kept. */
  async keep(snippets: SnippetView[] | null): Promise<boolean> {
    try {
      this.view = await connection.client.call('snippets.keep', { snippets });
      return true;
    } catch (thrown) {
      notices.fail(thrown, 'The snippets were not kept');
      return false;
    }
  }

  async take(text: string): Promise<boolean> {
    try {
      this.view = await connection.client.call('snippets.import', { text });
      return true;
    } catch (thrown) {
      notices.fail(thrown, 'The snippets were not taken');
      return false;
    }
  }
}

export const snippets = new Snippets();
