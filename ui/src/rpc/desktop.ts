// What only a desktop can do: choose a folder, save a file, open a link in the system's browser. In a browser: what is possible.
import { invoke } from '@tauri-apps/api/core';
import { inWindow } from './tauri';

/** Asks for a folder; null if the reviewer thought better of it. Only in the window. */
export async function chooseFolder(): Promise<string | null> {
  const { open } = await import('@tauri-apps/plugin-dialog');
  return open({ directory: true, multiple: false, title: 'Open a repository' });
}

/** Opens an address outside. The caller has shown it. */
export async function openOutside(url: string): Promise<void> {
  if (inWindow()) {
    await invoke('open_link', { url });
  } else {
    window.open(url, '_blank', 'noopener,noreferrer');
  }
}

/** Saves a text where the reviewer says. Gives where; null if they thought better of it, or the browser keeps that to itself. */
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

/** Says that a review ended, to somebody who looks elsewhere. `findings` is null where there is no result. Only in the window. */
export async function tellEnded(findings: number | null): Promise<void> {
  if (!inWindow() || document.hasFocus()) return;
  await invoke('ended', { findings });
}

/** Hears of files that are dragged over the window and dropped: the shell knows their paths. Only in the window. */
export async function onDropped(onevent: (over: boolean, paths: string[] | null) => void): Promise<void> {
  if (!inWindow()) return;
  const { getCurrentWebview } = await import('@tauri-apps/api/webview');
  await getCurrentWebview().onDragDropEvent(({ payload }) => {
    if (payload.type === 'drop') onevent(false, payload.paths);
    else onevent(payload.type !== 'leave', null);
  });
}

/** A menu of the menu bar: actions by their names. */
export interface MenuGroup {
  title: string;
  items: { id: string; title: string }[];
}

/** Shows the menu bar, or hides it. Only in the window. */
export async function showMenu(groups: MenuGroup[], shown: boolean): Promise<void> {
  if (inWindow()) await invoke('menu', { groups, shown });
}

/** Hears what is chosen in the menu bar. Only in the window. */
export async function onMenu(chosen: (id: string) => void): Promise<void> {
  if (!inWindow()) return;
  const { listen } = await import('@tauri-apps/api/event');
  await listen<string>('menu', ({ payload }) => chosen(payload));
}

export { inWindow };
