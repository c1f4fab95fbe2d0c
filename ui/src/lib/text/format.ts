// Formats numbers, times and paths for display.

// Created on first use, because it is slow to create.
let number: Intl.NumberFormat | undefined;

/** `12,034`: a number with separators. */
export const count = (value: number): string =>
  Math.abs(value) < 1_000 && Number.isInteger(value)
    ? String(value)
    : (number ??= new Intl.NumberFormat('en')).format(value);

/** `1 file`, `3 files`. */
export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** `950`, `41k`, `1.2M`: a rounded number, for tokens. */
export function short(value: number): string {
  if (value < 1_000) return String(value);
  if (value < 9_950) return `${(value / 1_000).toFixed(1)}k`;
  if (value < 999_500) return `${Math.round(value / 1_000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** `$0.04`, `under $0.01`. */
export const dollars = (value: number): string => (value < 0.01 ? 'under $0.01' : `$${value.toFixed(2)}`);

/** `0.8 s`, `38 s`, `2 min 05 s`. */
export function duration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** A running clock: `0:07`, `12:40`. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** `14:02` today, `Nov 3, 14:02` on other days. */
export function moment(rfc3339: string, now = new Date()): string {
  const at = new Date(rfc3339);
  if (Number.isNaN(at.getTime())) return rfc3339;
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  if (at.toDateString() === now.toDateString()) return time;
  return `${at.toLocaleDateString('en', { month: 'short', day: 'numeric' })}, ${time}`;
}

/** `just now`, `5 min ago`, `3 h ago`, `2 days ago`, `Nov 3, 2024`. */
export function ago(secondsSince1970: number, now = Date.now()): string {
  const minutes = Math.floor((now / 1_000 - secondsSince1970) / 60);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.floor(hours / 24);
  if (days < 30) return days === 1 ? 'yesterday' : `${days} days ago`;
  const date = new Date(secondsSince1970 * 1_000);
  return date.toLocaleDateString('en', { month: 'short', day: 'numeric', year: 'numeric' });
}

/** Splits a path into its folder (with the trailing slash) and its name. */
export function splitPath(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/') + 1;
  return { folder: path.slice(0, at), name: path.slice(at) };
}

/** `950 B`, `41 KB`, `1.2 MB`. */
export function bytesText(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 999_500) return `${Math.round(value / 1_000)} KB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}
