// The running review, its result, and the choice of what to send.
import { count, dollars, moment, plural, short } from '../text/format';

export const reviewTexts = {
  // Running review
  progress: {
    label: 'Review in progress',
    read: 'Read',
    prepare: 'Prepare',
    files: 'Files',
    prompt: 'Prompt',
    agent: 'Agent',
    check: 'Check',
    verify: 'Second opinion',
    starting: 'Starting',
    used: (tokens: number, cost: number) => `${short(tokens)} tokens${cost > 0 ? ` · ${dollars(cost)}` : ''}`,
    elapsed: 'Elapsed',
    log: 'Progress',
  },

  // Running review of another change
  other: {
    label: 'Review of another change',
    reviewing: (change: string, repository: string | null) =>
      `Reviewing ${change}${repository ? ` in ${repository}` : ''}`,
    elapsed: 'Elapsed',
  },

  // Ended review
  ended: {
    cancelled: (earlier: boolean) =>
      `The review was cancelled and not saved${earlier ? '. The earlier one is shown' : ''}.`,
    reviewAnyway: 'Review anyway',
    reviewAgain: 'Review again',
  },

  // Interrupted review
  interrupted: {
    message: (agent: string, started: string, answers: number) =>
      `A review by ${agent}, started ${moment(started)}, was interrupted.${answers > 0 ? ` ${plural(answers, 'answer')} ${answers === 1 ? 'is' : 'are'} saved.` : ''}`,
    resume: 'Resume…',
    startNew: 'Start new review',
  },

  // Raw answer
  raw: {
    title: 'Raw answer',
    answer: (agent: string, part: number, attempt: number) =>
      `${agent}${part > 1 ? `, part ${part}` : ''}, attempt ${attempt}`,
    none: 'The agent did not answer.',
    loading: 'Loading the answer…',
  },

  // Button of a change that exceeds the limits
  budgetButton: {
    files: (files: number) => plural(files, 'file'),
    prompts: (prompts: number) => plural(prompts, 'prompt'),
    several: 'Several prompts',
    one: 'One prompt',
    fits: (share: string) => `${share} fits`,
    overLimit: 'Over limit',
    exceeds: 'The change exceeds the limits of one prompt. Choose what to send.',
    choose: 'Choose what to send',
  },

  // What to send
  budget: {
    label: 'Over limit',
    fitting: (share: string) => `${share} of changed lines fit in one prompt`,
    title: 'What to send',
    facts: (lines: number, limits: string) =>
      `The change has ${count(lines)} changed lines. Limits of one prompt: ${limits || 'none'}.`,
    counting: 'Counting tokens…',
    split: (prompts: number) => `Split into ${plural(prompts, 'prompt')}`,
    splitAbout: 'Reviews every line. Findings are merged.',
    files: 'Choose files',
    filesAbout: 'Reviews the selected files completely.',
    whole: 'Raise the limit and send one prompt',
    wholeAbout: (tokens: number) => `Reviews every line. The model must accept ${short(tokens)} tokens.`,
    truncate: 'Send what fits',
    truncateAbout: (share: string, left: number) =>
      `Reviews ${share} of changed lines. ${count(left)} lines aren’t reviewed.`,
    limits: 'Limits…',
    scope: 'Applies to this change only.',
    review: 'Review',
    underOnePercent: 'under 1%',
    cost: (requests: number, tokens: number, cost: number | null) =>
      `${plural(requests, 'request')}, ${short(tokens)} tokens${cost === null ? '' : `, about ${dollars(cost)}`}`,
    characters: (characters: number) => `${count(characters)} characters`,
    tokens: (tokens: number) => `${count(tokens)} tokens`,
    fileLimit: (files: number) => `${count(files)} files`,
    hunks: (hunks: number) => `${count(hunks)} hunks per file`,
  },

  // Files to review
  budgetFiles: {
    label: 'Files to review',
    filter: 'Filter files',
    selected: (files: number) => `${plural(files, 'file')} selected`,
    selectAll: 'Select all',
  },

  // Save the review
  export: {
    saved: (path: string) => `Saved to ${path}`,
    notSaved: 'The review was not saved',
  },
} as const;
