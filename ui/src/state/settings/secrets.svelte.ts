// The stored tokens and keys, by name. Their values never reach the interface.
import { toCoreError } from '../../rpc/errors';
import type { SecretView, TokenView } from '../../rpc/types.gen';
import { agents } from '../review/agents.svelte';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { gitlabTexts } from '../../lib/texts/gitlab';

export interface TokenStatus {
  /** Cancels the check while it runs. */
  cancel: (() => void) | null;
  found: TokenView | null;
  wrong: string | null;
}

class SecretsState {
  items = $state.raw<SecretView[]>([]);
  /** The results of token checks, by the secret's name. */
  checks = $state<Record<string, TokenStatus>>({});
  /** The error of storing a key. `noKeyring` says that it can only be stored for this session. */
  refused = $state.raw<{ words: string; noKeyring: boolean } | null>(null);

  async load(): Promise<void> {
    try {
      this.items = (await connection.client.call('secret.list')).items;
    } catch (thrown) {
      notices.fail(thrown, gitlabTexts.page.namesNotRead);
    }
  }

  async check(name: string): Promise<void> {
    const controller = new AbortController();
    this.checks[name] = { cancel: () => controller.abort(), found: null, wrong: null };
    try {
      const host = name.replace(/^gitlab:/, '');
      const found = await connection.client.call('token.check', { name: host }, controller.signal);
      this.checks[name] = { cancel: null, found, wrong: null };
    } catch (thrown) {
      const error = toCoreError(thrown);
      if (error.cancelled) return void delete this.checks[name];
      const words = [error.message, error.info.hint].filter(Boolean).join(' ');
      this.checks[name] = { cancel: null, found: null, wrong: words };
    }
  }

  async remove(name: string): Promise<void> {
    try {
      await connection.client.call('secret.remove', { name });
      delete this.checks[name];
      await this.load();
    } catch (thrown) {
      notices.fail(thrown, gitlabTexts.page.notRemoved);
    }
  }

  /** Stores a key that an agent reads from a variable. Resolves with whether it succeeded. */
  async keepKey(variable: string, value: string, session_only: boolean): Promise<boolean> {
    this.refused = null;
    try {
      await connection.client.call('secret.set', { name: `key:${variable}`, value, session_only });
      await this.load();
      void agents.load();
      return true;
    } catch (thrown) {
      const error = toCoreError(thrown);
      this.refused = {
        words: [error.message, error.info.hint].filter(Boolean).join(' '),
        noKeyring: error.info.error_code === 'SECRET_STORE_UNAVAILABLE',
      };
      return false;
    }
  }
}

export const secrets = new SecretsState();
