// Parses the text with which the user names a change; titles of targets.
import { escapeInvisible } from './text/invisible-characters';
import type { Target } from '../rpc/types.gen';
import { changeTexts } from './texts/change';

/** Parses `A..B`, `A...B`, the path of a patch file, or anything else as a commit. */
export function parseTarget(typed: string): Target | null {
  const text = typed.trim();
  if (text === '') return null;
  if (namesRequest(text)) return null;
  const looksLikeFile = /\.(patch|diff|mbox)$/i.test(text) || /^(\/|~\/|\.\.?\/|[A-Za-z]:\\)/.test(text);
  if (looksLikeFile) return { kind: 'patch', path: text };
  const range = /^(.*?)(\.\.\.?)(.*)$/.exec(text);
  if (range) return parseRange(range[1]!.trim(), range[2]!, range[3]!.trim());
  return /\s/.test(text) ? null : { kind: 'commit', rev: text };
}

/** Returns whether a text is the address of a merge request. */
export const isRequestAddress = (typed: string): boolean =>
  /^https?:\/\/\S+\/merge_requests\/\d+/.test(typed.trim());

/** Returns whether a text refers to a merge request. The core resolves the reference. */
export const namesRequest = (typed: string): boolean =>
  isRequestAddress(typed) || /^[\w./-]*!\d+$/.test(typed.trim());

function parseRange(base: string, dots: string, head: string): Target | null {
  if ((base === '' && head === '') || head.includes('..') || head.startsWith('.')) return null;
  return { kind: 'range', base: base || 'HEAD', head: head || 'HEAD', merge_base: dots === '...' };
}

/** Returns the title of a target, in the core's wording. */
export const targetTitle = (target: Target): string => escapeInvisible(wordsOf(target));

function wordsOf(target: Target): string {
  switch (target.kind) {
    case 'unstaged':
      return changeTexts.title.unstaged;
    case 'staged':
      return changeTexts.title.staged;
    case 'all':
      return target.untracked ? changeTexts.title.allLocal : changeTexts.title.allTracked;
    case 'commit':
      return changeTexts.title.commit(target.rev);
    case 'range':
      return `${target.base}${target.merge_base ? '...' : '..'}${target.head}`;
    case 'branch':
      return target.name ? branchTitle(target.name) : changeTexts.title.currentBranch;
    case 'merge_request':
      return `${target.project}!${target.iid}`;
    case 'patch':
      return changeTexts.title.patch(target.path.split(/[\\/]/).pop() ?? '');
  }
}

/** A change up to a detached HEAD has no branch. */
const branchTitle = (name: string): string =>
  /^[0-9a-f]{40,}$/i.test(name)
    ? changeTexts.title.commitsUpTo(name.slice(0, 10))
    : changeTexts.title.branch(name);

/** Returns whether two targets describe the same change. */
export const sameTarget = (a: Target | null | undefined, b: Target | null | undefined): boolean =>
  a != null && b != null && JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

const sorted = (target: Target) =>
  Object.entries(target)
    .filter(([, value]) => value != null)
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Splits the title of a merge request before its number: `group/project!7`. Other titles have no second part. */
export function splitNumber(title: string): [string, string] {
  const [, name, number] = /^(.+)(!\d+)$/.exec(title) ?? [];
  return name !== undefined && number !== undefined ? [name, number] : [title, ''];
}
