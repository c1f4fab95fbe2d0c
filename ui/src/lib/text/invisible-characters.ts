// Invisible characters, and characters that change the direction of text, so that it reads differently from its content. Code and names
// show them as code points.

/* eslint-disable no-control-regex */
const HIDDEN =
  /[\0-\x08\x0b\f\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|[\u{e0000}-\u{e007f}]/u;
/** Joiners, which some scripts need, but code does not. The zero-width joiner between the parts of an emoji is visible as the emoji. */
const JOINERS =
  /\u200c|(?<!\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)\u200d|\u200d(?!\p{Extended_Pictographic})/u;
const IN_PROSE = new RegExp(HIDDEN, 'gu');
const IN_CODE = new RegExp(`(${HIDDEN.source}|${JOINERS.source})`, 'u');

export const hasInvisible = (code: string): boolean => IN_CODE.test(code);

/** Splits code at invisible characters. Every odd part is one such character. */
export const splitInvisible = (code: string): string[] => code.split(IN_CODE);

/** Returns the code point of a character: `U+202E`. */
export const codePoint = (char: string): string =>
  `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Replaces invisible characters by code points, for places that can show only text. */
export const escapeInvisible = (words: string): string =>
  words.replace(IN_PROSE, (char) => `<${codePoint(char)}>`);
