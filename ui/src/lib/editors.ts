// The editors that open a file at a line, by an address or as a program that the core starts.

/** An editor that is opened by an address. */
type AddressedEditor = 'vscode' | 'vscodium' | 'cursor' | 'windsurf' | 'zed' | 'jetbrains';

/** `environment` is the editor that `$VISUAL` or `$EDITOR` names. */
export type EditorName = AddressedEditor | 'environment';

export const editors: readonly { value: EditorName; title: string }[] = [
  { value: 'vscode', title: 'VS Code' },
  { value: 'vscodium', title: 'VSCodium' },
  { value: 'cursor', title: 'Cursor' },
  { value: 'windsurf', title: 'Windsurf' },
  { value: 'zed', title: 'Zed' },
  { value: 'jetbrains', title: 'JetBrains IDE' },
  { value: 'environment', title: '$VISUAL or $EDITOR' },
];

/** Returns the address that opens a file at a line. The window opens only addresses of these forms. */
export function editorAddress(editor: AddressedEditor, root: string, path: string, line: number): string {
  const whole = `${root.replace(/[\\/]+$/, '')}/${path}`.replaceAll('\\', '/');
  const encoded = whole
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^([A-Za-z])%3A/, '$1:');
  if (editor === 'jetbrains') return `idea://open?file=${encodeURIComponent(whole)}&line=${line}`;
  return `${editor}://file${encoded.startsWith('/') ? '' : '/'}${encoded}:${line}`;
}
