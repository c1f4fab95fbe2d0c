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
    warnings.push('It carries a user name: what stands before the @ is not the site.');
  if (/(^|\.)xn--/.test(url.hostname))
    warnings.push('Its name has letters of another script, which may look like ones of yours.');
  if (/^[\d.]+$|^\[/.test(url.hostname)) warnings.push('It names a machine by number.');
  if (url.protocol === 'http:') warnings.push('It is not encrypted.');
  return { whole: url.href, host: url.host, warnings };
}
