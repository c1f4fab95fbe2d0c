// The history, interrupted reviews, and the comparison of reviews.
import { moment, plural, short } from '../text/format';

export const historyTexts = {
  // History
  sheet: {
    title: 'History',
    searchPlaceholder: 'Search titles, texts, paths and conversations',
    searchLabel: 'Search the history',
    repository: 'Repository',
    allRepositories: 'All repositories',
    noRepository: 'No repository',
    kinds: 'Show',
    all: 'All',
    reviews: 'Reviews',
    conversations: 'Conversations',
    noMatches: 'No matches',
    noMatchesText: 'Every word, or its beginning, must occur in the same title, text, path or message.',
    nothing: 'No reviews yet',
    nothingText: 'Reviews and conversations of all repositories are listed here.',
    select: 'select',
    open: 'open',
    close: 'close',
  },

  // A review or conversation
  row: {
    review: 'Review',
    conversation: 'Conversation',
    noFindings: 'no findings',
    places: (places: number) => `${places} matches`,
    tokens: (tokens: number) => `${short(tokens)} tokens`,
    messages: (messages: number) => plural(messages, 'message'),
    open: 'open',
    accepted: 'accepted',
    dismissed: 'dismissed',
    posted: 'posted',
    removeReview: (change: string, findings: number, decisions: number, posted: boolean) => {
      const what = [
        plural(findings, 'finding'),
        ...(decisions > 0 ? [plural(decisions, 'decision')] : []),
      ].join(', ');
      return `Delete the review of ${change} with ${what} and its run folder?${posted ? ' Posted comments stay in GitLab.' : ''}`;
    },
    removeConversation: (title: string, messages: number) =>
      `Delete the conversation “${title}” with ${plural(messages, 'message')}?`,
  },

  // Headings of days
  day: {
    interrupted: 'Interrupted',
    earlier: 'Earlier',
    today: 'Today',
    yesterday: 'Yesterday',
  },

  // An interrupted run
  run: {
    removeQuestion: (answers: number) =>
      `Delete this run with ${plural(answers, 'answer')}? This cannot be undone.`,
    state: (started: string, answers: number) =>
      `started ${moment(started)}, interrupted · ${answers > 0 ? `${plural(answers, 'answer')} saved` : 'no answer yet'}`,
    resume: 'Resume…',
  },

  // Bar above an earlier review
  bar: {
    earlier: (time: string) => `Earlier review from ${moment(time)}.`,
    review: (time: string) => `Review from ${moment(time)}.`,
    compare: 'Compare…',
    openCurrent: 'Open current state',
  },

  // Resume an interrupted review
  resume: {
    title: 'Resume interrupted review',
    started: (time: string, agents: string, model: string | null) =>
      `Started ${moment(time)} with ${agents}${model ? `, ${model}` : ''}. It continues with the same agents, model and instructions.`,
    someReused: (answers: number) =>
      `${plural(answers, 'answer')} ${answers === 1 ? 'is' : 'are'} still valid and ${answers === 1 ? 'is' : 'are'} reused.`,
    allReused: 'All answers are still valid. Nothing is sent.',
    noneReused: 'No answer can be reused. Everything is requested again.',
    part: (part: number, of: number) => `Part ${part} of ${of}`,
    run: (run: number) => `, run ${run}`,
    wholeChange: 'The change',
    reused: 'answer reused',
    requested: 'requested again',
    checking: 'Checking the saved answers…',
    startNew: 'Start new review',
    resume: 'Resume',
  },

  // Compare reviews
  rounds: {
    label: 'Compare reviews',
    title: (change: string) => `Reviews of ${change}`,
    unnamed: 'this change',
    earlier: 'Earlier',
    later: 'Later',
    listLabel: 'Findings of both reviews',
    findings: (findings: number) => plural(findings, 'finding'),
    new: 'New',
    newMeaning: 'Only in the later review.',
    remaining: 'Remaining',
    remainingMeaning: 'In both reviews.',
    fixed: 'Fixed',
    fixedMeaning: 'Their code was edited, and the later review does not report them.',
    removed: 'Removed',
    removedMeaning: 'Their code is no longer part of the change, or the later review does not report them.',
    onlyOne: 'Only one review',
    onlyOneText: 'After another review, this shows new, remaining, fixed and removed findings.',
    noFindings: 'No findings',
    noFindingsText: 'Neither review has findings.',
  },

  // Errors
  error: {
    moreNotLoaded: 'More of the history could not be loaded',
    notRemoved: 'The entry was not deleted',
    notReopened: (title: string) => `${title} could not be reopened`,
  },
} as const;
