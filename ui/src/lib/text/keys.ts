// Names key presses for key bindings, and decides whether a key belongs to a text field.

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/**
 * Returns the name of a key press: `j`, `N`, `Mod+k`, `Alt+F12`, `Escape`. A character includes Shift. `Mod` is ⌘ on a Mac and Ctrl
 * elsewhere. Alt with a character types another character on many keyboards, so it has no name.
 */
export function keyName(press: KeyPress, mac: boolean): string | null {
  if (['Shift', 'Control', 'Meta', 'Alt', 'AltGraph'].includes(press.key)) return null;
  if (press.altKey && (press.key.length === 1 || press.ctrlKey || press.metaKey)) return null;
  const mod = mac ? press.metaKey : press.ctrlKey;
  const other = mac ? press.ctrlKey : press.metaKey;
  if (other) return null;
  // Shift is part of a character's name, but not of a named key.
  if (!mod)
    return `${press.altKey ? 'Alt+' : ''}${press.shiftKey && press.key.length > 1 ? 'Shift+' : ''}${press.key}`;
  return `Mod+${press.shiftKey ? 'Shift+' : ''}${press.key.length === 1 ? press.key.toLowerCase() : press.key}`;
}

/** Returns whether a key press does the main action of a form or a dialog: Ctrl+Enter, or ⌘Enter. */
export const isSubmit = (press: Pick<KeyPress, 'key' | 'ctrlKey' | 'metaKey'>): boolean =>
  press.key === 'Enter' && (press.ctrlKey || press.metaKey);

/** Returns whether an element receives typed text. */
export function isTyping(
  target: { tagName?: string; type?: string; isContentEditable?: boolean } | null,
): boolean {
  if (!target) return false;
  if (target.isContentEditable) return true;
  if (target.tagName === 'TEXTAREA' || target.tagName === 'SELECT') return true;
  const presses = ['checkbox', 'radio', 'button', 'submit', 'reset', 'range'];
  return target.tagName === 'INPUT' && !presses.includes(target.type ?? 'text');
}

/** Key bindings for editing text. In a text field, they belong to the field. */
const editing: ReadonlySet<string> = new Set(
  ['a', 'c', 'v', 'x', 'y', 'z', 'Shift+v', 'Shift+z'].map((key) => `Mod+${key}`),
);

/** Returns whether a key belongs to a text field: every key without `Mod`, and the keys for editing. */
export const isTextKey = (name: string): boolean => !name.startsWith('Mod+') || editing.has(name);

const arrows: Record<string, string> = { ArrowDown: '↓', ArrowUp: '↑', ArrowLeft: '←', ArrowRight: '→' };

/** Returns the label of a key: `⌘K` or `Ctrl+K`. */
export function keyLabel(name: string, mac: boolean): string {
  const parts = name.split('+').filter(Boolean);
  const shown = parts.map((part) => {
    if (part === 'Mod') return mac ? '⌘' : 'Ctrl';
    if (part === 'Shift') return mac ? '⇧' : 'Shift';
    if (part === 'Alt') return mac ? '⌥' : 'Alt';
    if (part === 'Escape') return 'Esc';
    if (part in arrows) return arrows[part]!;
    return parts.length > 1 && part.length === 1 ? part.toUpperCase() : part;
  });
  return shown.join(mac ? '' : '+') || name;
}
