// Opens files that are dropped onto the window, and patches that are pasted.
import { looksLikePatch } from '../../lib/diff/patch-text';
import { appTexts } from '../../lib/texts/app';
import { onDropped } from '../../rpc/desktop';
import { toCoreError } from '../../rpc/errors';
import { connection } from './connection.svelte';
import { openTarget } from './launches.svelte';
import { navigationGuard } from './navigation-guard';
import { notices } from './notices.svelte';
import { repos } from './repos.svelte';

/** The maximum size of a file that the page reads, in bytes. The core opens larger files by their path. */
const MAX_FILE_BYTES = 48 * 1024 * 1024;

class FileDrop {
  /** Whether a file is dragged over the window. */
  dragging = $state(false);

  /** Starts to accept dropped files. */
  listen(): void {
    navigationGuard.onDragged = (over) => (this.dragging = over);
    navigationGuard.onFile = (file) => void this.#openFile(file);
    onDropped((over, paths) => {
      this.dragging = over;
      if (paths) void this.#openPaths(paths);
    }).catch((thrown: unknown) => notices.fail(toCoreError(thrown), appTexts.drop.notHere));
  }

  /** Opens a file by its path. Only in the window. */
  async #openPaths(paths: string[]): Promise<void> {
    const [path] = paths;
    if (!path) return;
    if (/\.(patch|diff|mbox|eml|txt)$/i.test(path)) await openTarget({ kind: 'patch', path });
    else if (!(await repos.open(path))) await openTarget({ kind: 'patch', path });
  }

  /** Opens a file without a path. Only in a browser. */
  async #openFile(file: File): Promise<void> {
    if (file.size > MAX_FILE_BYTES) {
      notices.info(appTexts.drop.tooLarge);
      return;
    }
    const text = await file.text().catch(() => '');
    await this.openText(file.name, text);
  }

  /** Opens the text of a patch. */
  async openText(name: string, text: string): Promise<void> {
    if (!looksLikePatch(text)) {
      notices.info(appTexts.drop.notAPatch);
      return;
    }
    try {
      const { path } = await connection.client.call('patch.save', { name, text });
      await openTarget({ kind: 'patch', path });
    } catch (thrown) {
      notices.fail(thrown, appTexts.drop.notOpened);
    }
  }
}

export const fileDrop = new FileDrop();
