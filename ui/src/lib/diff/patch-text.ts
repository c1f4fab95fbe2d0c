// A quick test whether a text may be a patch. The core parses it to be certain.

/** Returns whether a text has the header of a hunk or of a file. */
export const looksLikePatch = (text: string): boolean =>
  /^(@@ -\d+(,\d+)? \+\d+(,\d+)? @@|diff --git |--- .+\n\+\+\+ )/m.test(text.replace(/\r\n/g, '\n'));
