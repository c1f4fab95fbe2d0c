// What only a desktop can do: choose a folder, open a link in the system's browser. In a browser: what is possible.
import { inWindow } from './tauri';

/** Asks for a folder; null if the reviewer thought better of it. Only in the window. */
export async function chooseFolder(): Promise<string | null> {
  const { open } = await import('@tauri-apps/plugin-dialog');
  return open({ directory: true, multiple: false, title: 'Open a repository' });
}

/** Opens an address outside. The caller has shown it. */
export async function openOutside(url: string): Promise<void> {
  if (inWindow()) {
    const { openUrl } = await import('@tauri-apps/plugin-opener');
    await openUrl(url);
  } else {
    window.open(url, '_blank', 'noopener,noreferrer');
  }
}

export { inWindow };
