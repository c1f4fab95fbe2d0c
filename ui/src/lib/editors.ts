// The addresses with which editors open a file at a line.

export type EditorName = 'vscode' | 'vscodium' | 'cursor' | 'windsurf' | 'zed' | 'jetbrains';

export const editors: readonly { value: EditorName; title: string }[] = [
  { value: 'vscode', title: 'VS Code' },
  { value: 'vscodium', title: 'VSCodium' },
  { value: 'cursor', title: 'Cursor' },
  { value: 'windsurf', title: 'Windsurf' },
  { value: 'zed', title: 'Zed' },
  { value: 'jetbrains', title: 'JetBrains IDE' },
];

/** Returns the address that opens a file at a line. The window opens only addresses of these forms. */
export function editorAddress(editor: EditorName, root: string, path: string, line: number): string {
  const whole = `${root.replace(/[\\/]+$/, '')}/${path}`.replaceAll('\\', '/');
  const encoded = whole
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^([A-Za-z])%3A/, '$1:');
  if (editor === 'jetbrains') return `idea://open?file=${encodeURIComponent(whole)}&line=${line}`;
  return `${editor}://file${encoded.startsWith('/') ? '' : '/'}${encoded}:${line}`;
}
