// Characters that show nothing, or turn around what stands beside them, so that a text reads other than it is: in code and names they
// are shown by their number.

/* eslint-disable no-control-regex */
const HIDDEN =
  /[\0-\x08\x0b\f\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|[\u{e0000}-\u{e007f}]/u;
/** Those that emoji and some scripts need, but no code. */
const JOINERS = /\u200c|\u200d/u;
const IN_PROSE = new RegExp(HIDDEN, 'gu');
const IN_CODE = new RegExp(`(${HIDDEN.source}|${JOINERS.source})`, 'u');

export const hasInvisible = (code: string): boolean => IN_CODE.test(code);

/** Code around and at such characters: at odd places one of them each. */
export const splitInvisible = (code: string): string[] => code.split(IN_CODE);

/** `U+202E`. */
export const codePoint = (char: string): string =>
  `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Words with such characters by their number, for where nothing but text can be shown. */
export const escapeInvisible = (words: string): string =>
  words.replace(IN_PROSE, (char) => `<${codePoint(char)}>`);
