// Parses a web address and lists what is suspicious about it.

export interface WebAddress {
  /** As a browser would go there: names in other scripts as `xn--…`, dots and slashes as they count. */
  whole: string;
  host: string;
  /** What is odd about it, in words. */
  warnings: string[];
}

/** None if it is no web address. */
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
