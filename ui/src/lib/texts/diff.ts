// The diff: file headers, bars between hunks, lines, the gutter and the ruler. Loaded at the start.
import { count, plural } from '../text/format';

export const diffTexts = {
  // Diff
  pane: {
    title: 'Changes',
    sideways: 'Scroll code horizontally',
  },

  // File header
  file: {
    unfold: (path: string) => `Unfold ${path}`,
    fold: (path: string) => `Fold ${path}`,
    showWholeOf: (path: string) => `Show the whole file ${path}`,
    showWhole: 'Show the whole file (Z)',
    viewedTitle: 'Mark as viewed until the file changes (d)',
    viewedOf: (path: string) => `Viewed ${path}`,
    viewed: 'Viewed',
    render: (path: string) => `Show ${path} rendered`,
    showText: (path: string) => `Show ${path} as text`,
    rendered: 'Rendered',
    text: 'Text',
    renderTitle: 'Show rendered or as text (*)',
    goTo: (name: string) => `Go to the beginning of ${name}`,
  },

  // The mark of a file that is not sent completely
  mark: {
    notReviewed: 'not reviewed',
    masked: 'masked',
    partlyOverLimit: 'partly over limit',
    overLimit: 'over limit',
  },

  // Bar between two hunks
  hunk: {
    showHidden: (lines: number) => `Show ${plural(lines, 'hidden line')}`,
    showBelow: 'Show 20 more lines below',
    showAbove: 'Show 20 more lines above',
    showAll: 'Show all hidden lines',
    hidden: (lines: number) => plural(lines, 'line'),
    restOfFile: 'Rest of the file',
    onlyWhitespace: 'Only whitespace changed',
    fold: 'Fold',
    folded: (lines: number) => plural(lines, 'viewed line'),
    viewedTitle: 'Mark as viewed until the hunk changes (D)',
    viewedThis: 'Hunk viewed',
    viewed: 'Viewed',
  },

  // Evidence of reading
  reading: {
    openedBy: (agents: readonly string[]) => `opened by ${agents.join(' and ')}`,
    prompts: (prompts: readonly number[], all: number) =>
      `in ${prompts.length > 1 ? 'prompts' : 'prompt'} ${prompts.join(' and ')} of ${all}`,
    partly: (delivered: number, changed: number) =>
      `${delivered} of ${plural(changed, 'changed line')} delivered`,
    onlyOpened: 'not delivered, file opened',
    unread: 'not read',
  },

  // A file without lines to show
  row: {
    binary: 'Binary file. No lines to show.',
    notSent: (reason: string) => `Not sent to the agent: ${reason}.`,
    noLines: 'No lines changed.',
    asText: (reason: string) => `Shown as text because ${reason}.`,
    viewed: 'Viewed.',
    show: (lines: number) => `Show ${plural(lines, 'line')}`,
    loading: (lines: number) => `Loading ${plural(lines, 'line')}…`,
  },

  // Notes after a line
  line: {
    partOf: (bytes: number) => `… shortened, ${count(bytes)} bytes in total`,
    more: (characters: number) => `… ${count(characters)} more characters`,
    endsInCrLf: 'ends in CR LF',
    endsInLf: 'ends in LF',
    noNewline: 'no newline at end',
  },

  // Names of the signs of changed lines, for screen readers
  sign: {
    added: 'added',
    removed: 'removed',
  },

  // Coverage in the gutter
  coverage: {
    sent: 'Sent',
    sentMeaning: 'The agent sees these lines.',
    folded: 'Folded',
    foldedMeaning: 'No new meaning: the agent is told about these lines, but does not see them.',
    masked: 'Masked',
    maskedMeaning: 'The agent sees these lines with a secret masked.',
    overLimit: 'Over limit',
    overLimitMeaning: 'Over the limits: the agent does not see these lines.',
    notReviewed: 'Not reviewed',
    notReviewedMeaning: 'The file is ignored: the agent does not see it.',
  },

  // Overview ruler
  ruler: {
    searchMatch: 'Search match',
    thread: 'Thread',
  },

  // Form of a finding between the lines
  finding: {
    yours: (start: number, end: number) =>
      `Your finding on ${start === end ? `line ${end}` : `lines ${start}–${end}`}`,
    edit: 'Edit finding',
  },
} as const;
