// In: a text. Out: whether it may be a patch; the core says for certain.

/** Whether a text has the header of a hunk, or of a file of a diff. */
export const looksLikePatch = (text: string): boolean =>
  /^(@@ -\d+(,\d+)? \+\d+(,\d+)? @@|diff --git |--- .+\n\+\+\+ )/m.test(text.replace(/\r\n/g, '\n'));
