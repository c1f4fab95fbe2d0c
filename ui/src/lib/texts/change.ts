// The open change: its title, its panes, and messages about it. Loaded at the start.
import { plural } from '../text/format';

export const changeTexts = {
  // Titles of changes, in the wording of the core
  title: {
    unstaged: 'Unstaged changes',
    staged: 'Staged changes',
    allLocal: 'All local changes',
    allTracked: 'All tracked local changes',
    commit: (revision: string) => `Commit ${revision}`,
    currentBranch: 'Current branch',
    patch: (name: string) => `Patch ${name}`,
    commitsUpTo: (revision: string) => `Commits up to ${revision}`,
    branch: (name: string) => `Branch ${name}`,
    asReviewed: (title: string) => `${title}, as reviewed`,
    noRepository: 'No repository',
  },

  // The window and its panes
  page: {
    incomplete: 'A part of the page could not be loaded. Load the page again.',
    sideBar: 'Findings and files',
    findingsHeight: 'Height of the findings',
    sideBarWidth: 'Width of the side bar',
    conversationWidth: 'Width of the conversation',
    change: 'Change',
    notOpened: (title: string) => `${title} could not be opened`,
    showInDiff: 'Show in the diff',
    reading: 'Reading the change…',
  },

  // Messages
  message: {
    noChange: 'No change is open.',
    replaced: 'Another change was opened meanwhile.',
    linesNotLoaded: 'The lines could not be loaded',
    notInChange: (path: string, line: number) => `${path}:${line} is not part of this change.`,
    copiedLines: (lines: number, shortened: boolean) =>
      `Copied ${plural(lines, 'line')}${shortened ? ', one of them shortened' : ''}.`,
    linkNotOpened: 'The address could not be opened',
    notCopied: 'Nothing was copied',
    tryAgain: 'Try again',
    noConnection: 'The connection was not started.',
    allViewed: 'All files are viewed.',
    undone: (action: string) => `Undone: ${action}.`,
    copied: (text: string) => `Copied ${text}`,
    marked: (file: string, hunk: number | null, viewed: boolean) =>
      `marked ${hunk === null ? '' : `hunk ${hunk} of `}${file} as ${viewed ? '' : 'not '}viewed`,
    viewedNotSaved: 'The viewed mark was not saved',
  },
} as const;
