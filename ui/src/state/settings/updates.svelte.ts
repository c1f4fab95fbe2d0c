// Updates of the window: its state, checking, downloading, and the restart.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { UpdateView } from '../../rpc/types.gen';
import { updateTexts } from '../../lib/texts/updates';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { prefs } from '../app/prefs.svelte';
import { writesSettled } from '../app/write-queue';
import { posting } from '../posting/posting.svelte';

/** The pause between two automatic checks, in milliseconds. The core decides whether a check is due. */
const CHECK_INTERVAL_MS = 3_600_000;
/** The pause between two requests for the progress of a download, in milliseconds. */
const PROGRESS_INTERVAL_MS = 500;

class Updates {
  view = $state.raw<UpdateView | null>(null);
  error = $state.raw<CoreError | null>(null);
  #download: AbortController | null = null;

  /** Completes an update that led to this page, and checks for others until the returned function is called. */
  follow(): () => void {
    void this.#begin();
    const timer = setInterval(() => void this.#checkQuietly(), CHECK_INTERVAL_MS);
    return () => clearInterval(timer);
  }

  async load(): Promise<void> {
    await this.#show(() => connection.client.call('update.state'));
  }

  async check(): Promise<void> {
    if (this.view) this.view = { ...this.view, phase: 'checking' };
    await this.#show(() => connection.client.call('update.check', { automatic: false }));
  }

  async download(): Promise<void> {
    const abort = new AbortController();
    this.#download = abort;
    if (this.view) this.view = { ...this.view, phase: 'downloading', received: 0 };
    const timer = setInterval(() => void this.#follow(abort.signal), PROGRESS_INTERVAL_MS);
    try {
      await this.#show(() => connection.client.call('update.download', {}, abort.signal));
    } finally {
      clearInterval(timer);
      abort.abort();
    }
  }

  cancelDownload(): void {
    this.#download?.abort();
  }

  /** Saves everything that is unsaved, and restarts with the downloaded version. */
  async install(): Promise<void> {
    if (posting.running) return notices.info(updateTexts.posting);
    await writesSettled();
    if (!(await prefs.saveNow())) return notices.info(updateTexts.unsaved);
    await this.#show(async () => {
      await connection.client.call('update.install', {});
      return connection.client.call('update.state');
    });
  }

  async dismiss(): Promise<void> {
    await this.#show(async () => {
      await connection.client.call('update.dismiss', {});
      return connection.client.call('update.state');
    });
  }

  async #begin(): Promise<void> {
    try {
      await connection.client.call('update.started', {});
    } catch (thrown) {
      notices.fail(thrown, updateTexts.failed);
    }
    await this.#checkQuietly();
    if (this.view?.outcome) {
      const { outcome } = this.view;
      notices.info(outcome, { label: updateTexts.dismiss, run: () => void this.dismiss() });
    }
  }

  /** Checks without showing an error: the user did not ask. */
  async #checkQuietly(): Promise<void> {
    try {
      this.view = await connection.client.call('update.check', { automatic: true });
    } catch {
      this.view = await connection.client.call('update.state').catch(() => this.view);
    }
  }

  /** Shows the progress of a download that still runs. */
  async #follow(signal: AbortSignal): Promise<void> {
    const view = await connection.client.call('update.state').catch(() => null);
    if (view && !signal.aborted) this.view = view;
  }

  async #show(ask: () => Promise<UpdateView>): Promise<void> {
    try {
      this.view = await ask();
      this.error = null;
    } catch (thrown) {
      const error = toCoreError(thrown);
      this.error = error.info.error_code === 'CANCELLED' ? null : error;
      this.view = await connection.client.call('update.state').catch(() => this.view);
    }
  }
}

export const updates = new Updates();
