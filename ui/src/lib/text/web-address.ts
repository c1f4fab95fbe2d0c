// Parses a web address and lists its suspicious parts.

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
  if (url.username || url.password)
    warnings.push('It contains a user name. The part before the @ is not the site.');
  if (/(^|\.)xn--/.test(url.hostname))
    warnings.push('Its name has letters of another script that can look like Latin ones.');
  if (/^[\d.]+$|^\[/.test(url.hostname)) warnings.push('It is a numeric address.');
  if (url.protocol === 'http:') warnings.push('It is not encrypted.');
  return { whole: url.href, host: url.host, warnings };
}
