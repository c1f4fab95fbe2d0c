// Texts of the author’s edits since an earlier version: the sheet, its pickers and its table of commits.
import { count, moment, plural } from '../text/format';

export const versionsTexts = {
  // View
  view: {
    title: 'Since an earlier version',
    reviewedBefore: (key: string) =>
      `You reviewed this change before. Only the edits since then are shown here${key ? `; press ${key} for the whole change` : ''}.`,
    titleReviewed: 'Since your last review',
    version: 'From',
    until: 'to',
    whole: 'Whole change',
    failed: 'The versions could not be compared',
    loading: 'Comparing the versions…',
    listLabel: 'Edits of the author',
    files: (files: number, lines: number) => `${plural(files, 'file')}, ${plural(lines, 'line')}`,
    loadingMore: (left: number) => `${plural(left, 'more file')} loading…`,
  },

  // A version in the picker
  version: {
    number: (number: number) => `v${number}`,
    reviewed: 'your last review',
    current: 'shown now',
    server: 'from GitLab',
    seen: (time: string) => moment(time),
    size: (commits: number, files: number) => `${plural(commits, 'commit')}, ${plural(files, 'file')}`,
  },

  // Hidden lines and files
  hidden: {
    all: (parts: readonly string[]) => `${parts.join(', ')} hidden`,
    target: (lines: number) => `${plural(lines, 'line')} from the target branch`,
    targetFiles: (files: number) => `${plural(files, 'file')} that only the target branch changed`,
    inTarget: (lines: number) => `${plural(lines, 'line')} that the target branch has now, too`,
    inTargetOnly: (lines: number) =>
      `${plural(lines, 'line')} of the author that the target branch has now, too`,
  },

  // Nothing to show
  empty: {
    review: 'Nothing changed since your review',
    version: 'Nothing changed since this version',
    rebased: (title: string) => `${title} (rebased)`,
    noVersion: 'No earlier version',
    noVersionText:
      'A version is recorded each time a branch or merge request is opened here. After the next push, this shows what the author edited.',
  },

  // A finding or a thread beside an edit
  remark: {
    by: (author: string) => `Thread of ${author}`,
    posted: 'posted',
    resolved: 'resolved',
    status: {
      unchanged: 'its code was not edited',
      moved: 'its code was moved',
      edited: 'its code was edited',
      removed: 'its code was removed',
      file_removed: 'its file was removed',
      unknown: 'its earlier code is not available',
    },
    rest: (remarks: number) =>
      `${plural(remarks, 'earlier finding or thread', 'earlier findings or threads')} on code that was not edited`,
  },

  // A file
  file: {
    conflict: 'conflict resolved',
    conflictTitle: 'The author’s change and the target branch touch each other here',
    hunk: (line: number) => `Line ${count(line)}`,
    removedLines: 'Removed lines',
    conflictHunk: 'conflict with the target branch',
    added: 'added since then',
    removed: 'removed since then',
    renamed: (from: string) => `moved from ${from}`,
    mode: (from: string, to: string) => `mode ${from} → ${to}`,
    content: 'content without lines changed',
    targetRemoved: 'the target branch removed it',
    targetChanged: 'the target branch changed it, the author removed it',
    bothChanged: 'both changed its path, mode or content',
    unread: (reason: string) => `not compared: ${reason}`,
    gone: (path: string) => `${path} is not part of the whole change any more.`,
  },

  // Table of commits
  commits: {
    title: (parts: readonly string[]) => `Commits: ${parts.join(', ')}`,
    label: 'Commits',
    part: (commits: number, state: string) => `${count(commits)} ${state}`,
    unchanged: 'unchanged',
    edited: 'edited',
    new: 'new',
    dropped: 'dropped',
    reordered: 'reordered',
    message: 'message edited',
    state: 'State',
    old: 'Then',
    now: 'Now',
    subject: 'Subject',
  },
} as const;
