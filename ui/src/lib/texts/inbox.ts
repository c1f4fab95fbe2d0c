// The inbox.
import { count, plural } from '../text/format';

export const inboxTexts = {
  // The page
  page: {
    title: 'Inbox',
    filter: 'Filter: words, or host: project: author: label: state:',
    filterLabel: 'Filter the inbox',
    refresh: 'Refresh',
    refreshing: 'Refreshing',
    reading: (read: number, all: number) => `Reading ${read} of ${all}`,
    asOf: (when: string) => `as of ${when}`,
    never: 'not read yet',
    repositories: 'Open a repository',
    clearFilter: 'Clear the filter',
    list: 'Merge requests and branches',
    loading: 'Loading the inbox',
  },

  // Groups
  groups: {
    your_turn: 'Your turn',
    ready_to_merge: 'Ready to merge',
    waiting: 'Waiting for others',
    drafts: 'Drafts',
    done: 'Done lately',
  },

  // A row
  row: {
    local: 'Local',
    by: (author: string) => `by ${author}`,
    files: (files: string) => (files === '1' ? '1 file' : `${files} files`),
    tooLarge: 'GitLab shows only a part of the diff, because it is too large',
    threads: (threads: number) => plural(threads, 'open thread'),
    approvedBy: (names: string[]) => `Approved by ${names.join(', ')}`,
    approvals: (approvals: number) => plural(approvals, 'approval'),
    conflicts: 'conflicts',
    rebase: 'needs a rebase',
    draft: 'draft',
    pipeline: {
      running: 'Pipeline is running',
      passed: 'Pipeline passed',
      failed: 'Pipeline failed',
      cancelled: 'Pipeline was cancelled',
      manual: 'Pipeline waits for a manual job',
    },
    notReviewed: 'not reviewed',
    reviewed: (findings: string) => `reviewed: ${findings}`,
    reviewedBefore: (findings: string) => `reviewed before the last push: ${findings}`,
    posted: 'posted',
    noFindings: 'no findings',
    found: (findings: number, worst: number, severity: string) =>
      findings === worst
        ? plural(findings, `${severity} finding`)
        : `${plural(findings, 'finding')}, ${worst} ${severity}`,
    snoozed: 'snoozed',
    muted: 'muted',
  },

  // The actions on a row
  keys: {
    open: 'open',
    done: 'done',
    snooze: 'snooze',
    mute: 'mute',
    browser: 'in the browser',
    copy: 'copy link',
    queue: 'review later',
    showQueue: 'queue',
    filter: 'filter',
    saveFilter: 'save filter',
    undo: 'undo',
    refresh: 'refresh',
  },

  // The review queue
  queue: {
    title: 'Review queue',
    label: (waiting: number) => (waiting > 0 ? `Review queue, ${count(waiting)} waiting` : 'Review queue'),
    start: 'Start',
    stop: 'Stop',
    close: 'Hide the queue',
    clear: 'Remove finished items',
    on: 'On: items are reviewed in the background, one after the other.',
    off: 'Off.',
    empty: (agent: string) =>
      `Empty. “b” adds the selected row, “B” every row that waits for you. Agent: ${agent}.`,
    earlier: 'Earlier',
    later: 'Later',
    cancel: 'Cancel the review',
    remove: 'Remove from the queue',
    states: { waiting: 'waiting', running: 'being reviewed', done: 'done', failed: 'failed' },
    row: { waiting: 'queued', running: 'being reviewed' },
    units: { reviews: 'reviews', tokens: 'tokens', cents: 'US cents', minutes: 'minutes' },
    used: (used: string, limit: string, unit: string) => `${used} of ${limit} ${unit}`,
    today: (parts: string) => `Today: ${parts}.`,
    notChanged: 'The review queue was not changed.',
  },

  // Saved filters
  filters: {
    title: 'Save the filter',
    name: 'Name',
    submit: 'Save',
    list: 'Saved filters',
    remove: (name: string) => `Remove the filter ${name}`,
    full: 'There is no room for another filter. Remove one first.',
    empty: 'Type a filter first.',
    notSaved: 'The filters were not saved.',
  },

  // Snoozing
  snooze: {
    title: 'Snooze until',
    activity: 'Something happens',
    tomorrow: 'Tomorrow, 9:00',
    week: 'Next Monday, 9:00',
    date: 'A date',
    until: 'Until',
    submit: 'Snooze',
  },

  // Messages
  message: {
    done: (title: string) => `Marked as done: ${title}`,
    open: (title: string) => `Not done any more: ${title}`,
    snoozed: (title: string) => `Snoozed: ${title}`,
    muted: (title: string) => `Muted: ${title}`,
    notMuted: (title: string) => `Not muted any more: ${title}`,
    undone: 'The last change of the inbox was undone.',
    nothingToUndo: 'There is nothing to undo in the inbox.',
    copied: 'The link was copied.',
    notCopied: 'The link was not copied.',
    noLink: 'This row has no web page.',
    notSaved: 'The mark was not saved.',
    noNext: 'Nothing else waits for you.',
    allowed: 'Notifications are allowed.',
    notAllowed: 'The browser does not allow notifications.',
  },

  // Nothing to show
  empty: {
    title: 'Nothing waits for you',
    text: 'New merge requests and answers appear here.',
    noMatches: 'No matches',
    noMatchesText:
      'Every word must occur in the row. Snoozed and muted rows are listed with state:snoozed and state:muted.',
    noAccount: 'No GitLab account is set up',
    noAccountText:
      'Save a token in the settings to see your merge requests. Local branches are listed without one.',
    settings: 'GitLab settings',
  },

  // Accounts
  account: {
    failed: (host: string, message: string) => `${host}: ${message}`,
    ahead: (host: string, hours: number) =>
      `The clock of this machine is ${plural(hours, 'hour')} behind that of ${host}. Ages follow the server’s clock.`,
    behind: (host: string, hours: number) =>
      `The clock of this machine is ${plural(hours, 'hour')} ahead of that of ${host}. Ages follow the server’s clock.`,
  },

  // After posting
  next: 'Next in the inbox',
} as const;
