// Functions of the desktop, with a fallback in the browser: choosing a folder, saving a file, opening a link.
import { invoke } from '@tauri-apps/api/core';
import { inWindow } from './tauri';

/** Asks for a folder. Resolves with null if the user cancels. Only in the window. */
export async function chooseFolder(): Promise<string | null> {
  const { open } = await import('@tauri-apps/plugin-dialog');
  return open({ directory: true, multiple: false, title: 'Open a repository' });
}

/** Opens an address in the system's browser. The caller has shown it to the user. */
export async function openOutside(url: string): Promise<void> {
  if (inWindow()) {
    await invoke('open_link', { url });
  } else if (!/^https?:/i.test(url)) {
    // The address of another program does not need a tab.
    window.open(url, '_self');
  } else {
    window.open(url, '_blank', 'noopener,noreferrer');
  }
}

/** Saves a text as a file. Resolves with the path, or null if the user cancels or the browser does not tell it. */
export async function saveText(name: string, text: string): Promise<string | null> {
  if (inWindow()) {
    return invoke<string | null>('save', { name, text });
  }
  const kind = name.endsWith('.html') ? 'text/html' : 'text/plain';
  const address = URL.createObjectURL(new Blob([text], { type: `${kind};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return null;
}

/** Notifies the user that a review ended, unless the window has the focus. `findings` is null without a result. Only in the window. */
export async function tellEnded(findings: number | null): Promise<void> {
  if (!inWindow() || document.hasFocus()) return;
  await invoke('ended', { findings });
}

/** Notifies the user of merge requests that came to wait, unless the page has the focus. In a browser, only if the user allowed it. */
export async function tellTurns(
  rows: { key: string; title: string; reason: { text: string } }[],
): Promise<void> {
  if (document.hasFocus()) return;
  if (inWindow()) return invoke('turns', { keys: rows.map((row) => row.key) });
  if (!('Notification' in window) || Notification.permission !== 'granted') return;
  for (const row of rows.slice(0, 3)) new Notification(row.title, { body: row.reason.text, tag: row.key });
}

/** Asks the browser to allow notifications. Returns whether they are allowed. The window needs no permission. */
export async function allowNotifications(): Promise<boolean> {
  if (inWindow()) return true;
  return 'Notification' in window && (await Notification.requestPermission()) === 'granted';
}

/** Reports files that are dragged over the window and dropped, with their paths. Only in the window. */
export async function onDropped(onevent: (over: boolean, paths: string[] | null) => void): Promise<void> {
  if (!inWindow()) return;
  const { getCurrentWebview } = await import('@tauri-apps/api/webview');
  await getCurrentWebview().onDragDropEvent(({ payload }) => {
    if (payload.type === 'drop') onevent(false, payload.paths);
    else onevent(payload.type !== 'leave', null);
  });
}

/** A menu of the menu bar. `id` is the name of an action. Null is a separator. */
export interface MenuGroup {
  title: string;
  items: ({ id: string; title: string } | null)[];
}

/** Shows or hides the menu bar. Only in the window. */
export async function showMenu(groups: MenuGroup[], shown: boolean): Promise<void> {
  if (inWindow()) await invoke('menu', { groups, shown });
}

/** Reports items that are selected in the menu bar. Only in the window. */
export async function onMenu(chosen: (id: string) => void): Promise<void> {
  if (!inWindow()) return;
  const { listen } = await import('@tauri-apps/api/event');
  await listen<string>('menu', ({ payload }) => chosen(payload));
}

export { inWindow };
