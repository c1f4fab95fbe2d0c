import { expect, test } from 'vitest';
import { editorAddress } from './editors';

test('an address names the file and the line, with special characters encoded', () => {
  expect(editorAddress('vscode', '/home/a b', 'src/c#.ts', 7)).toBe('vscode://file/home/a%20b/src/c%23.ts:7');
  expect(editorAddress('zed', 'C:\\code\\', 'a.rs', 1)).toBe('zed://file/C:/code/a.rs:1');
  expect(editorAddress('jetbrains', '/r', 'a&b.kt', 3)).toBe('idea://open?file=%2Fr%2Fa%26b.kt&line=3');
});
