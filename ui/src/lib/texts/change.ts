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
    incomplete: 'Part of the page could not be loaded. Reload the page.',
    sideBar: 'Findings and files',
    findingsHeight: 'Height of the findings',
    sideBarWidth: 'Width of the sidebar',
    conversationWidth: 'Width of the conversation',
    change: 'Change',
    notOpened: (title: string) => `${title} could not be opened`,
    showInDiff: 'Show in the diff',
    reading: 'Loading the change…',
  },

  // Messages
  message: {
    noChange: 'No change is open.',
    replaced: 'Another change was opened in the meantime.',
    linesNotLoaded: 'The lines could not be loaded',
    noClone: 'There is no clone of this project, so no file can be opened. Open one with O.',
    notInChange: (path: string, line: number) => `${path}:${line} is not part of this change.`,
    copiedLines: (lines: number, shortened: boolean) =>
      `Copied ${plural(lines, 'line')}${shortened ? '. One of them was shortened' : ''}.`,
    linkNotOpened: 'The address could not be opened',
    tabWidth: (columns: number) => `A tab takes ${columns} columns.`,
    contextLines: (lines: number) =>
      `${plural(lines, 'line')} of context around each change, also for agents.`,
    contextNotChanged: 'The lines of context did not change',
    notCopied: 'Nothing was copied',
    editorNotOpened: 'The editor was not opened',
    tryAgain: 'Retry',
    noConnection: 'The connection was not started.',
    allViewed: 'All files are viewed.',
    /** For example `Dismissal undone.` */
    undone: (action: string) => `${action} undone.`,
    copied: (text: string) => `Copied ${text}`,
    /** The subject of `undone`. */
    marked: (file: string, hunk: number | null, viewed: boolean) =>
      `${viewed ? 'Viewed mark' : 'Removal of the viewed mark'} of ${hunk === null ? '' : `hunk ${hunk} of `}${file}`,
    viewedNotSaved: 'The viewed mark was not saved',
  },
} as const;
