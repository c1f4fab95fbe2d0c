// The names of actions, of their groups and of the menus.

export const actionTexts = {
  // Menus
  menus: {
    file: 'File',
    edit: 'Edit',
    view: 'View',
    go: 'Go',
    change: 'Change',
    findings: 'Findings',
    review: 'Review',
    help: 'Help',
  },

  // Findings
  findings: {
    next: 'Next finding',
    previous: 'Previous finding',
    nextOpen: 'Next open finding',
    previousOpen: 'Previous open finding',
    accept: 'Accept the finding',
    dismiss: 'Dismiss the finding',
    acceptStay: 'Accept the finding and keep it selected',
    dismissWhy: 'Dismiss the finding with a reason and keep it selected',
    filter: 'Filter findings',
    group: 'Group findings by severity, file or agent',
    edit: 'Edit the finding',
    goOn: 'Continue an unsaved finding',
    suggestion: 'Apply or revert the suggested patch in the work tree',
    original: 'Restore the original finding',
    remove: 'Remove your own finding',
    undo: 'Undo',
    redo: 'Redo',
    chooseNext: 'Extend selection down',
    choosePrevious: 'Extend selection up',
    chooseAll: 'Select all listed findings',
    onlyOpen: 'Show only open findings, or all',
    comment: 'Write a finding on the selected lines',
  },

  // Change
  change: {
    nextFile: 'Next file',
    previousFile: 'Previous file',
    fold: 'Fold or unfold the file',
    change: 'Open another change',
    refresh: 'Refresh the change',
    overview: 'Show or hide the overview of the change',
    jump: 'Go to a file or a symbol',
    find: 'Find in the change',
    findNext: 'Next match',
    findPrevious: 'Previous match',
    nextHunk: 'Next hunk',
    previousHunk: 'Previous hunk',
    nextUnviewed: 'Next file that is not viewed',
    lineDown: 'Next line',
    lineUp: 'Previous line',
    sideOld: 'Go to the old side, in split view',
    sideNew: 'Go to the new side, in split view',
    stretchDown: 'Extend line selection down',
    stretchUp: 'Extend line selection up',
    copyLines: 'Copy the selected lines',
    copyPlace: 'Copy the path and line',
    copyPermalink: 'Copy a permalink to the line in GitLab',
    openEditor: 'Open the line in the editor',
    viewed: 'Mark the file as viewed and go to the next, or unmark it',
    viewedHunk: 'Mark the hunk as viewed, or unmark it',
    moreAbove: 'Show more lines above the hunk',
    moreBelow: 'Show more lines below the hunk',
    wholeFile: 'Show the whole file',
    facts: 'Show pipeline, failed tests, coverage and tool findings',
    factsAgain: 'Read the pipeline and the reports again',
    lineHistory: 'Show the blame and history of the line',
    nextThread: 'Next thread of the merge request',
    previousThread: 'Previous thread of the merge request',
    commitMessage: 'Write a commit message',
    asItIsNow: 'Open current state of the change',
  },

  // Review
  review: {
    save: (format: string) => `Save the review as ${format}`,
    review: 'Review the change',
    reviewNew: 'Review only changes since the last review',
    prompt: 'Show or hide the prompt',
    summary: 'Show or hide the summary',
    post: 'Post, approve or request changes',
    revokeApproval: 'Revoke your approval',
    agents: 'Select the agent',
    print: 'Print the review',
    cancel: 'Cancel the review, or stop the answer',
    promptFiles: 'Edit prompt files',
    rounds: 'Compare with another review of this change',
    resume: 'Resume interrupted review',
  },

  // Conversation
  conversation: {
    discuss: 'Discuss the finding, the selected lines or the change',
    discussFile: 'Discuss the file',
    conversation: 'Show or hide the conversation',
    newConversation: 'Start a new conversation',
    snippets: 'Snippets',
    editSnippets: 'Edit snippets',
  },

  // View
  view: {
    mode: 'Switch between unified and split view',
    wrap: 'Wrap long lines, or scroll them',
    whitespace: 'Ignore or show whitespace changes',
    facts: 'Show or hide coverage, failed tests and tool findings in the diff',
    fileTree: 'List the files as a tree or flat',
    closeMessages: 'Close all messages',
    menu: 'Show or hide the menu bar',
    theme: 'Switch between light, dark and system theme',
    larger: 'Increase the text size',
    smaller: 'Decrease the text size',
    usual: 'Reset the text size',
  },

  // General
  general: {
    repo: 'Open a repository',
    sample: 'Open the sample',
    palette: 'Show all actions',
    about: 'About diffsan',
    keys: 'Show keyboard shortcuts',
    history: 'Show the history of reviews and conversations',
    settings: 'Settings',
    trust: 'Show this repository’s trust requests',
    settingsPage: (page: string) => `Settings: ${page}`,
  },
} as const;

/** The names of the groups of actions, in their order. */
export const groupNames = {
  findings: 'Findings',
  change: 'Change',
  review: 'Review',
  conversation: 'Conversation',
  view: 'View',
  general: 'General',
} as const;
export type ActionGroup = keyof typeof groupNames;
