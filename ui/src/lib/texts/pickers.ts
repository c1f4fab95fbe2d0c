// The top bar, the pickers of repository, change and agent, and the first screen.
import { count, plural } from '../text/format';

export const pickersTexts = {
  // Top bar
  top: {
    openRepository: 'Open a repository',
    openChange: 'Open a change',
    nothing: 'nothing',
    workTree: 'work tree',
    files: (files: number) => plural(files, 'file'),
    noAgent: 'No agent',
    agents: 'Agents',
    review: 'Review',
    conversation: 'Conversation',
    inbox: (yours: number) => (yours > 0 ? `Inbox, ${count(yours)} for you` : 'Inbox'),
    history: 'History',
    theme: (theme: string) => `Theme: ${theme}`,
    actions: 'All actions',
    settings: 'Settings',
  },

  // First screen
  welcome: {
    title: 'Review a change',
    about:
      'diffsan shows a change, masks secrets, lets an agent review it, and checks the findings against the code. Nothing is sent before you press Review.',
    notOpened: 'The repository could not be opened',
    path: 'Path of a repository, or address of a merge request',
    choose: 'Choose…',
    sample: 'Open the sample',
    sampleAbout:
      'A small repository with a change to review. The built-in reviewer shows new capabilities of its code, without an account or an agent.',
    recent: 'Recent',
    agents: 'Agents',
    found: (agents: string) => `Found: ${agents}. The capability reviewer is built in.`,
    noneFound: 'None is installed. The built-in capability reviewer works offline.',
    showAll: 'Show all',
    install: 'Install an agent',
  },

  // Open a repository
  repo: {
    title: 'Open a repository',
    placeholder: 'Search, or type a path or the address of a merge request',
    label: 'Repositories',
    recent: 'Recent',
    open: 'Open',
    openRequest: 'Open the merge request',
    openTyped: (path: string) => `Open ${path}`,
    choose: 'Choose folder…',
    sample: 'Open the sample',
    sampleAbout: 'A small repository with a change to review',
    notOpened: 'The repository could not be opened',
  },

  // Open a change
  change: {
    title: 'Open a change',
    placeholder: 'Search, or type main..topic, a commit, a merge request or a patch file',
    label: 'Changes',
    local: 'Local changes',
    files: (files: number) => plural(files, 'file'),
    noFiles: 'no changes',
    asTyped: 'Your input',
    openTyped: (text: string) => `Open ${text}`,
    requests: 'Merge requests',
    inbox: 'Your turn in other projects',
    addToken: (host: string) => `Add a token for ${host}…`,
    addTokenAbout: 'to list, review and post to merge requests',
    requestsNotLoaded: 'Merge requests could not be loaded. Try again',
    waiting: 'Merge requests waiting for your review',
    assigned: 'Merge requests assigned to you',
    yours: 'Your merge requests',
    requestNotFound: 'The merge request was not found',
  },
} as const;
