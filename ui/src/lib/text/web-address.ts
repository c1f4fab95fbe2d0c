// Parses a web address and lists its suspicious parts.
import { appTexts } from '../texts/app';

export interface WebAddress {
  /** The address as the browser resolves it: international names as `xn--…`, and a normalized path. */
  whole: string;
  host: string;
  /** Warnings about suspicious parts, as text. */
  warnings: string[];
}

/** Parses a text. Returns null if it is not a web address. */
export function parseWebAddress(text: string): WebAddress | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  const warnings = [];
  if (url.username || url.password) warnings.push(appTexts.link.userName);
  if (/(^|\.)xn--/.test(url.hostname)) warnings.push(appTexts.link.otherScript);
  if (/^[\d.]+$|^\[/.test(url.hostname)) warnings.push(appTexts.link.numeric);
  if (url.protocol === 'http:') warnings.push(appTexts.link.unencrypted);
  return { whole: url.href, host: url.host, warnings };
}
