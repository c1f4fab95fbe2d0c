// In: a key press. Out: the name that actions bind to, and whether it belongs to what is being typed.

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** `j`, `N`, `Mod+k`, `Escape`. Shift is part of the character, as it is typed; `Mod` is ⌘ on a Mac, else Ctrl. */
export function keyName(press: KeyPress, mac: boolean): string | null {
  if (press.altKey || ['Shift', 'Control', 'Meta', 'Alt'].includes(press.key)) return null;
  const mod = mac ? press.metaKey : press.ctrlKey;
  const other = mac ? press.ctrlKey : press.metaKey;
  if (other) return null;
  // Shift is part of a character, but not of a key that has none.
  if (!mod) return press.shiftKey && press.key.length > 1 ? `Shift+${press.key}` : press.key;
  return `Mod+${press.shiftKey ? 'Shift+' : ''}${press.key.length === 1 ? press.key.toLowerCase() : press.key}`;
}

/** Whether plain keys are being typed into something. */
export function isTyping(
  target: { tagName?: string; type?: string; isContentEditable?: boolean } | null,
): boolean {
  if (!target) return false;
  if (target.isContentEditable) return true;
  if (target.tagName === 'TEXTAREA' || target.tagName === 'SELECT') return true;
  const presses = ['checkbox', 'radio', 'button', 'submit', 'reset', 'range'];
  return target.tagName === 'INPUT' && !presses.includes(target.type ?? 'text');
}

/** Keys that edit a text: where one is typed, they are the text's. */
const editing: ReadonlySet<string> = new Set(
  ['a', 'c', 'v', 'x', 'y', 'z', 'Shift+v', 'Shift+z'].map((key) => `Mod+${key}`),
);

/** Whether a key belongs to the text that is being typed: every one without `Mod`, and those that edit. */
export const isTextKey = (name: string): boolean => !name.startsWith('Mod+') || editing.has(name);

const arrows: Record<string, string> = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→' };

/** A key as it is printed on a keyboard: `⌘K` or `Ctrl+K`. */
export function keyLabel(name: string, mac: boolean): string {
  const parts = name.split('+').filter(Boolean);
  const shown = parts.map((part) => {
    if (part === 'Mod') return mac ? '⌘' : 'Ctrl';
    if (part === 'Shift') return mac ? '⇧' : 'Shift';
    if (part === 'Escape') return 'Esc';
    if (part in arrows) return arrows[part]!;
    return parts.length > 1 && part.length === 1 ? part.toUpperCase() : part;
  });
  return shown.join(mac ? '' : '+') || name;
}
