// The settings for the open change, and changes to the user's settings.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { SettingView, SettingsView } from '../../rpc/types.gen';
import { agents } from '../review/agents.svelte';
import { change } from '../change/change.svelte';
import { connection } from '../app/connection.svelte';
import { desk } from '../desk/desk.svelte';
import { openChange } from '../change/open-change.svelte';
import { settingsTexts } from '../../lib/texts/settings';

export const PAGES = [
  { id: 'agents', title: settingsTexts.page.agents },
  { id: 'gitlab', title: settingsTexts.page.gitlab },
  { id: 'redaction', title: settingsTexts.page.redaction },
  { id: 'prompts', title: settingsTexts.page.prompts },
  { id: 'snippets', title: settingsTexts.page.snippets },
  { id: 'limits', title: settingsTexts.page.limits },
  { id: 'trust', title: settingsTexts.page.trust },
  { id: 'appearance', title: settingsTexts.page.appearance },
  { id: 'keys', title: settingsTexts.page.keys },
  { id: 'data', title: settingsTexts.page.data },
  { id: 'updates', title: settingsTexts.page.updates },
  { id: 'all', title: settingsTexts.page.all },
] as const;
export type Page = (typeof PAGES)[number]['id'];

/** A change of one key. Without a value and TOML, the key is removed. */
export interface SettingChange {
  key: string;
  value?: unknown;
  toml?: string;
}

class Settings {
  page = $state<Page>('agents');
  view = $state.raw<SettingsView | null>(null);
  error = $state.raw<CoreError | null>(null);
  busy = $state(false);
  /** The error of the last change, and its key. */
  refused = $state.raw<{ key: string; error: CoreError } | null>(null);
  #byKey = $derived(new Map(this.view?.entries.map((entry) => [entry.key, entry])));

  open(page: Page = this.page): void {
    this.page = page;
    this.refused = null;
    desk.overlay = 'settings';
    void this.load();
  }

  entry(key: string): SettingView | undefined {
    return this.#byKey.get(key);
  }

  /** Returns the value in force, as the expected type. */
  value<T>(key: string, otherwise: T): T {
    return (this.entry(key)?.value as T | undefined) ?? otherwise;
  }

  async load(): Promise<void> {
    try {
      this.view = await this.#ask((of) => connection.client.call('settings.view', of));
      this.error = null;
    } catch (thrown) {
      this.error = toCoreError(thrown);
    }
  }

  /** Changes the user's file, and applies it to the open change. Resolves with whether it succeeded. */
  async set(changes: SettingChange[]): Promise<boolean> {
    this.busy = true;
    this.refused = null;
    try {
      const stamp = this.view?.stamp ?? null;
      const edits = changes as { key: string; value?: Record<string, unknown>; toml?: string }[];
      this.view = await this.#ask((of) =>
        connection.client.call('settings.set', { ...of, stamp, changes: edits }),
      );
      await this.#follow();
      return true;
    } catch (thrown) {
      await this.#reload();
      this.refused = { key: changes[0]?.key ?? '', error: toCoreError(thrown) };
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Reloads the settings if another program has changed the file, so that the next attempt is based on it. */
  async #reload(): Promise<void> {
    try {
      const now = await this.#ask((of) => connection.client.call('settings.view', of));
      if (now.stamp !== this.view?.stamp) this.view = now;
    } catch {
      // The error of the rejected change is more useful.
    }
  }

  reset(key: string): Promise<boolean> {
    return this.set([{ key }]);
  }

  /** Reloads the agents and the open change with the new values. */
  async #follow(): Promise<void> {
    void agents.load();
    if (openChange.target) await change.open(openChange.target, openChange.since);
  }

  #ask<T>(use: (of: { change_id: string | null; repo: string | null }) => Promise<T>): Promise<T> {
    if (openChange.view) return openChange.call((change_id) => use({ change_id, repo: null }));
    return use({ change_id: null, repo: openChange.repo?.path ?? null });
  }
}

export const settings = new Settings();
