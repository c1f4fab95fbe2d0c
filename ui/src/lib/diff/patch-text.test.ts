import { expect, it } from 'vitest';
import { looksLikePatch } from './patch-text';

it('distinguishes a patch from other text', () => {
  expect(looksLikePatch('diff --git a/x b/x\nold mode 100644\nnew mode 100755\n')).toBe(true);
  expect(
    looksLikePatch('From 1 Mon\r\nSubject: x\r\n---\r\n--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n'),
  ).toBe(true);
  expect(looksLikePatch('--- a/x\n+++ b/x\n')).toBe(true);
  expect(looksLikePatch('a text with --- dashes\nand +++ more')).toBe(false);
  expect(looksLikePatch('')).toBe(false);
});
