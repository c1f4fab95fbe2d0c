// The findings: list, card, forms, summary and print.
import { count, dollars, duration, moment, plural } from '../text/format';

export const findingsTexts = {
  // List of findings
  pane: {
    title: 'Findings',
    shownOf: (shown: number, all: number) => `${shown} of ${all}`,
    groupBy: 'Group findings by',
    severity: 'Severity',
    file: 'File',
    agent: 'Agent',
    agents: (names: readonly string[]) => names.join(' and '),
  },

  // Empty list
  empty: {
    noMatches: 'No matches',
    noMatchesText: 'No finding matches the filter.',
    clearFilter: 'Clear filter',
    noFindings: 'No findings',
    noFindingsText: (agent: string, reading: readonly string[]) =>
      [`${agent} reported no findings.`, ...reading.map((sentence) => `${sentence}.`)].join(' '),
    readSummary: 'Read summary',
    notReviewed: 'Not reviewed yet',
    builtInText: 'The built-in reviewer shows new capabilities of the code, with evidence. Nothing is sent.',
    agentsText: (names: readonly string[]) =>
      `${names.join(' and ')} will review the change. The prompt shows what is sent.`,
    noAgentText: 'No agent is installed. You can read the change and its prompt without one.',
    review: 'Review',
    agents: 'Agents…',
    showPrompt: 'Preview what’s sent',
  },

  // Filter
  filter: {
    placeholder: 'Filter findings',
    clear: 'Clear filter',
    onlySeverity: (severity: string) => `Show only ${severity} findings`,
    open: 'Open',
    onlyOpen: 'Show only open findings (f)',
    new: 'New',
    onlyNew: (hidden: number) => `Hide ${plural(hidden, 'finding')} on lines that were there before`,
  },

  // Bar of several selected findings
  bulk: {
    title: 'Selected findings',
    selected: (findings: number, hidden: number) =>
      `${findings} selected${hidden > 0 ? `, ${hidden} hidden by the filter` : ''}`,
    clear: 'Clear selection',
    accept: 'Accept',
    dismiss: 'Dismiss',
    dismissWithReason: 'Dismiss with a reason',
    reason: 'Reason…',
  },

  // A finding in the list
  row: {
    accepted: 'Accepted',
    acceptedLabel: 'accepted',
    dismissed: 'Dismissed',
    dismissedLabel: 'dismissed',
    foundBy: (sources: string) => `Found by ${sources}`,
  },

  // Finding card
  card: {
    label: (severity: string, title: string) => `${severity} finding: ${title}`,
    agree: (sources: number) => `${sources} agents agree`,
    runsTitle: 'The number of runs of the same prompt that found it',
    runs: (found: number, of: number) => `${found} of ${plural(of, 'run')}`,
    failedRuns: (failed: number) => `, ${failed === 1 ? 'one run' : `${failed} runs`} failed`,
    editedTitle: 'You edited the text or the lines',
    edited: 'edited',
    applied: 'applied',
    posted: (state: string) => `${state} in GitLab`,
    foundBy: (sources: string) => `Found by ${sources}`,
    confidence: (percent: number) => `${percent}% confidence`,
    dismissed: (reason: string | null) => `Dismissed${reason ? `: ${reason}` : ''}`,
  },

  // Call chain
  chain: {
    title: 'Call chain',
    show: (place: string) => `Show ${place}`,
  },

  // Evidence
  claims: {
    title: 'Evidence',
    verified: 'verified',
    disputed: 'disputed',
    unchecked: 'not checked',
    show: (place: string) => `Show ${place}`,
  },

  // Suggested patch
  patch: {
    notInChange: 'The replaced lines are not part of this change.',
    title: (applies: boolean) => `Suggested patch${applies ? '' : ' (does not apply)'}`,
    apply: 'Apply to work tree',
    revert: 'Revert in work tree',
    applied: (file: string) => `Applied to ${file}.`,
    reverted: (file: string) => `Reverted in ${file}.`,
    /** The subjects of the undo notice. */
    applying: (file: string) => `Patch to ${file}`,
    reverting: (file: string) => `Revert of the patch to ${file}`,
    notApplied: 'The suggestion was not applied',
    notReverted: 'The suggestion was not reverted',
  },

  // Buttons of a card
  actions: {
    accept: 'Accept',
    dismiss: 'Dismiss',
    dismissed: 'Dismissed',
    accepted: 'Accepted',
    reopen: 'Reopen',
    continueReason: 'Continue reason',
    editReason: 'Edit reason',
    addReason: 'Add reason',
    discuss: 'Discuss',
    restore: 'Restore original',
  },

  // Reason of a dismissal
  reason: {
    label: 'Reason',
    forSeveral: (findings: number) => `Reason for ${findings} dismissals (optional)`,
    forOne: 'Reason (optional)',
    saveFor: (findings: number) => `Save for ${findings} findings`,
  },

  // Form of a finding between the lines
  form: {
    severity: 'Severity',
    category: 'Category',
    lines: 'Lines',
    firstLine: 'First line',
    lastLine: 'Last line',
    titlePlaceholder: 'Title (optional)',
    title: 'Title',
    textPlaceholder: 'Comment on these lines, in Markdown',
    text: 'Text',
    stale: 'These lines were changed after you began to write. Check the numbers of the lines.',
    posted: 'Posted with the other findings.',
    discard: 'Discard',
  },

  // Bar of unsaved findings
  unsaved: {
    count: (findings: number) => plural(findings, 'unsaved finding'),
    resume: 'Continue',
  },

  // Create finding from an answer
  sheet: {
    title: 'Create finding',
    severity: 'Severity',
    category: 'Category',
    file: 'File',
    from: 'From',
    to: 'To',
    titleField: 'Title',
    text: 'Text',
    restore: 'Restore the answer’s text',
  },

  // Apply a fix to a protected file
  protected: {
    title: 'Write a file that configures your tools?',
    meaning: 'Git, an agent or another tool reads this file and can run commands from it.',
    advice: 'An agent proposed the text. Read the fix before you write it.',
    write: 'Write this file',
  },

  // Summary
  summary: {
    title: 'Summary',
    outdated:
      'The change was modified after this review. Findings are shown at the current place of their code, if it still exists. Review again to update them.',
    unplaced: 'Not placed in the change',
    thisReview: 'This review',
  },

  // Facts about the review
  facts: {
    notReviewed: 'Not reviewed',
    own: (since: string) => `your own findings, since ${moment(since)}`,
    reviewed: 'Reviewed',
    agent: 'Agent',
    duration: 'Duration',
    durationOf: (milliseconds: number, attempts: number) =>
      `${duration(milliseconds)}${attempts > 1 ? `, ${attempts} attempts` : ''}`,
    tokens: 'Tokens',
    tokensOf: (input: number, cached: number, output: number) =>
      `${count(input)} input (${count(cached)} cached), ${count(output)} output`,
    cost: 'Cost',
    coverage: 'Coverage',
    reading: 'Evidence of reading',
    stability: (agent: string) => `Stability of ${agent}`,
    agreement: (answered: number, asked: number, inEvery: number, findings: number, percent: number | null) =>
      `${answered} of ${asked} runs answered` +
      (percent === null
        ? ''
        : `, ${inEvery} of ${plural(findings, 'finding')} in every run, pairwise agreement ${percent}%`),
    commits: 'Commits',
    nothing: 'nothing',
    sandbox: (agent: string | null) => (agent ? `Sandbox of ${agent}` : 'Sandbox'),
    runFolder: 'Run folder',
    result: (findings: number, tokens: number | null, cost: number | null) =>
      [
        plural(findings, 'finding'),
        ...(tokens === null ? [] : [`${count(tokens)} tokens`]),
        ...(cost ? [dollars(cost)] : []),
      ].join(', '),
    noReview: 'No review.',
  },

  // Findings that could not be read
  unreadable: {
    bar: (findings: number) => `${plural(findings, 'finding')} in the agent’s answer could not be read.`,
    showRaw: 'Show raw answer',
    title: 'Findings that could not be read',
    heading: (findings: number) => `${plural(findings, 'finding')} could not be read`,
    notPosted: 'They are not in the list of findings and are not posted.',
  },

  // Print
  print: {
    unnamed: 'a change',
    title: (change: string) => `Review of ${change}`,
  },
} as const;
