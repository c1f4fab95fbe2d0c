// The window: bars, status bar, command palette, keys and dialogs.
import { count, moment, plural, short } from '../text/format';

export const appTexts = {
  // Connection lost
  connection: {
    lost: 'The connection to diffsan was lost. Reconnecting… Changes made now are not saved.',
    notRunning: 'diffsan is not running. Start',
    notRunningAdvice: 'again, and open the address that it prints. Changes made now are not saved.',
    restarted:
      'diffsan was restarted, and this page is no longer signed in. Open the newest address from the terminal in which',
    restartedAdvice: 'runs. Changes made now are not saved.',
    reload: 'Reload page',
  },

  // Opening a change
  opening: {
    opening: (change: string) => `Opening ${change}…`,
  },

  // The change was modified
  outdated: {
    modified: 'The change was modified after you opened it.',
    pushed: 'A new version was pushed after this one was read.',
  },

  // Untrusted settings
  trust: {
    notApplied: (changed: boolean, actions: string) =>
      `The files of this repository ${changed ? 'changed and request' : 'request'} to ${actions}. Nothing is applied until you trust them.`,
    runs: 'start programs',
    sends: 'choose where changes are sent',
    unmasks: 'change masking',
    reads: 'read a file',
    prompts: 'change the prompt',
    behaves: (settings: number) => `change ${plural(settings, 'setting')}`,
    list: (actions: readonly string[]) =>
      actions.length > 2 ? `${actions.slice(0, 2).join(', ')} and more` : actions.join(' and '),
    review: 'Review…',
    later: 'Not now',
  },

  // Actions at an error
  error: {
    openReadable: (files: number) => `Open ${plural(files, 'readable file')}`,
    showRaw: 'Show raw answer',
    agents: 'Agents…',
    openAnother: 'Open another change…',
    trust: 'Review trust requests…',
    addToken: 'Add a token…',
  },

  // Status bar
  status: {
    reviewing: 'Reviewing',
    reviewed: (time: string) => `Reviewed ${moment(time)}`,
    modified: 'Change modified since',
    reviewNew: 'Review new changes',
    tokensOf: (read: number, written: number) => `${count(read)} read, ${count(written)} written`,
    tokens: (tokens: number) => `${short(tokens)} tokens`,
    notReviewed: 'Not reviewed',
    noSecrets: 'no secrets found',
    masked: (secrets: number) => `${plural(secrets, 'secret')} masked`,
    overLimit: (files: number) => `${plural(files, 'file')} over limit`,
    threads: (all: number, open: number) => (open > 0 ? plural(open, 'open thread') : plural(all, 'thread')),
    open: (findings: number) => `${count(findings)} open`,
    accepted: (findings: number) => `${count(findings)} accepted`,
    dismissed: (findings: number) => `${count(findings)} dismissed`,
    posting: 'Posting…',
    postSome: (comments: number) => `Post ${count(comments)}…`,
    post: 'Post…',
  },

  // Command palette
  palette: {
    jump: 'Go to a file or a symbol',
    title: 'All actions',
    placeholder: 'Find an action, a file, a symbol or a finding',
    jumpLabel: 'Files and symbols',
    actions: 'Actions',
    files: 'Files',
    findings: 'Findings',
    symbols: 'Changed symbols',
  },

  // Keys
  keys: {
    title: 'Keyboard shortcuts',
    find: 'Find an action',
    restoreAll: 'Reset all shortcuts',
    help: 'Click a shortcut, then press the new key. Backspace removes it.',
    label: (action: string, keys: string) => `Shortcut for “${action}”: ${keys || 'none'}`,
    press: 'Press the new key',
    none: 'none',
    restore: 'Reset shortcut',
  },

  // Open from a link
  launch: {
    label: 'Open from a link',
    title: (request: boolean) => `Open ${request ? 'a merge request' : 'a folder'} from a link?`,
    requestAbout:
      'It has never been opened here. Opening it requests the change from this GitLab. Nothing is reviewed, posted or sent to an agent.',
    folderAbout:
      'It has never been opened here. Opening it reads the repository. Nothing is run, reviewed or sent.',
    changeNotOpened: 'The change was not opened',
    notOpened: (path: string) => `${path} was not opened`,
  },

  // Open a link
  link: {
    label: 'Open a link',
    inBrowser: 'in your browser?',
    notAnAddress: 'This is not a web address',
    unchecked: 'The link is from an agent or a comment. diffsan has not checked it.',
    userName: 'It contains a user name. The part before the @ is not the site.',
    otherScript: 'Its name has letters of another script that can look like Latin ones.',
    numeric: 'It is a numeric address.',
    unencrypted: 'It is not encrypted.',
  },

  // Dropped files
  drop: {
    title: 'Drop a patch or a folder to open it',
    notHere: 'Files cannot be dropped here',
    tooLarge: 'The file is too large to drop here. Start `diffsan serve` with it instead.',
    notAPatch: 'This is not a patch. Drop a file written by `git diff` or `git format-patch`.',
    notOpened: 'The patch could not be opened',
  },

  // About diffsan
  about: {
    label: 'About diffsan',
    title: (version: string) => `diffsan ${version}`,
    licences: 'Licences',
    text: 'Reviews code changes with coding agents, safely. Licensed under MIT or Apache-2.0.',
    data: 'Data folder:',
    thirdParty: 'Third-party licences',
    notRead: 'The list could not be loaded.',
    reading: 'Loading…',
  },
} as const;
