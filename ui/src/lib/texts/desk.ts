// The desk: toolbar, overview, and an empty change.
import { plural } from '../text/format';

export const deskTexts = {
  // Toolbar
  toolbar: {
    show: 'Show',
    overview: 'Overview',
    changes: 'Changes',
    since: 'Since',
    commits: 'Commits',
    summary: 'Summary',
    prompt: 'Prompt',
    ignoreWhitespace: 'Ignore whitespace changes',
    wrap: 'Wrap long lines',
    layout: 'Layout',
    unified: 'Unified',
    split: 'Split',
  },

  // Overview
  overview: {
    title: 'Overview',
    mergeRequest: 'Merge request',
    state: (state: string) => `· ${state}`,
    author: 'Author',
    branches: 'Branches',
    approvals: 'Approvals',
    approvedBy: (names: readonly string[]) => `Approved by ${names.join(', ')}`,
    noApprovals: 'No approvals',
    required: (approvals: string, left: number) => `${approvals}; ${left} more required`,
    commits: 'Commits',
    nothing: 'nothing',
    workTree: 'work tree',
    size: 'Size',
    files: (files: number) => `${plural(files, 'file')},`,
    noDescription: 'No description',
    commitCount: (commits: number) => plural(commits, 'commit'),
    threads: (threads: number) => plural(threads, 'thread'),
    message: 'Message',
  },

  // No change
  empty: {
    noChanges: 'No changes',
    nothing: (change: string) => `${change}: nothing to review.`,
    openAnother: 'Open another change',
    notOpen: 'No change is open',
    notOpenText: 'Open local changes, a branch, a commit, a range, or a patch file.',
    open: 'Open a change',
    branchesAgainst: (branch: string) => `Branches, against ${branch}`,
    branches: 'Branches',
    ahead: (commits: number) => plural(commits, 'commit'),
    noCommits: 'no commits',
    commitsOf: (branch: string) => `Commits of ${branch}`,
    commits: 'Commits',
  },
} as const;
