// The prompt: its text, its details and its masked values.
import { count, dollars, plural } from '../text/format';

export const promptTexts = {
  // The exact prompt
  view: {
    title: 'The exact prompt',
    which: 'Prompt',
    sent: 'Sent',
    next: 'Next',
    nextFacts: (agent: string, tokens: number, characters: number, cost: string) =>
      `for ${agent} · ${count(tokens)} tokens · ${count(characters)} characters${cost}`,
    cost: (cost: number | null, model: string, runs: number) =>
      cost === null
        ? ''
        : ` · about ${dollars(cost * runs)} with ${model}${runs > 1 ? ` for ${runs} runs` : ''}`,
    sentFacts: (agent: string, tokens: number, characters: number) =>
      `to ${agent} · ${count(tokens)} tokens · ${count(characters)} characters`,
    sentPrompt: 'Sent prompt',
    sentItem: (number: number, agent: string, part: number, attempt: number) =>
      `${number}: ${agent}, part ${part}${attempt > 1 ? `, attempt ${attempt}` : ''}`,
    of: (all: number) => `of ${all}`,
    part: 'Part',
    partLabel: 'Part of the change',
    partItem: (number: number, files: number, tokens: number) =>
      `${number}: ${plural(files, 'file')}, ${count(tokens)} tokens`,
    refreshing: 'Refreshing…',
    loadingSent: 'Loading the sent prompt…',
    preparing: 'Preparing the prompt…',
    nothingYet: 'Nothing has been sent yet.',
    nothingSent: 'Nothing was sent.',
    sentDetails: 'Details of the sent prompt',
    nextDetails: 'Details of the next prompt',
    instructions: 'Extra instructions',
    instructionsPlaceholder: 'Topics that this review should focus on or ignore',
    text: 'Prompt text',
    maskedSecret: 'Masked secret',
  },

  // Skills
  skills: {
    title: 'Skills',
    useSettings: 'Use skills from settings',
    remove: (skill: string) => `Remove ${skill}`,
    none: 'None.',
    noneForLanguages: 'None for these languages.',
    add: 'Add skill',
    addOption: 'Add…',
    filesNotRead: 'The prompt files could not be read',
    fileNotSaved: (name: string) => `${name} was not saved`,
  },

  // Details
  details: {
    parts: 'Parts',
    partsMeaning: (parts: number, tokens: number) =>
      `The change exceeds the limits of one prompt and is sent in ${parts} parts, with ${count(tokens)} tokens of diff.`,
    part: (number: number, tokens: number) => `${number}: ${count(tokens)} tokens`,
    overLimit: 'Over limit',
    fits: (files: number, allFiles: number, characters: number, allCharacters: number) =>
      `${plural(files, 'file')} of ${count(allFiles)}, ${count(characters)} of ${count(allCharacters)} characters fit the limits.`,
    allFits: 'Everything fits the limits.',
    file: 'file',
    hunk: 'hunk',
    partOfHunk: 'part of a hunk',
    folded: 'Folded lines',
    foldedMeaning: 'They have no new meaning. The prompt names them in place of their lines.',
    verify: (findings: 'high' | 'all', agent: string) =>
      `After the review, ${agent} gets ${
        findings === 'all' ? 'all findings' : 'the findings of severity high and critical'
      } for a second opinion, each with its code, its callers and the results of the checks, with secrets masked.`,
    callers: 'Unchanged callers',
    callersMeaning:
      'These calls of changed signatures follow the diff. The setting prompt.callers turns them off.',
    notReviewed: 'Not reviewed',
    noneIgnored: 'No file is ignored.',
    lockFile: 'lock file',
    byPattern: 'by a pattern',
    byExtension: 'by its extension',
    files: 'Prompt files',
  },

  // Details of a sent prompt
  sent: {
    instructions: 'Extra instructions',
    none: 'None.',
    run: 'This run',
    began: 'Began',
    runFolder: 'Run folder',
  },

  // Masked values
  masked: {
    title: 'Masked',
    off: 'Masking is off.',
    none: 'No secrets found.',
    allowTitle: 'Don’t mask this value in this repository',
    allow: 'Not a secret',
    file: (values: number, places: number) => `${plural(values, 'value')} at ${plural(places, 'place')}`,
    unlisted: (places: number) => `${plural(places, 'more place')}, not listed`,
    showPlace: 'Show this line in the diff',
    reasons: {
      format: () => 'It has the format of this secret.',
      key: (word: string) => `Its key contains “${word}”.`,
      call_argument: () => 'It is an argument of a call that takes a secret.',
      command_line: () => 'It is an option of a program that takes a secret.',
      credential_file: () => 'The file is one that holds credentials.',
      key_block: () => 'It belongs to a block of a private key.',
      encoded: () => 'It contains a secret in an encoded form.',
      user_pattern: () => 'A pattern of your settings matches.',
      copy: () => 'It is equal to a secret at another place.',
    },
    more: (places: number) => `and ${plural(places, 'place')} more`,
    notMasked: 'Not masked',
    notMaskedMeaning: 'You marked these values as not secret in this repository.',
    maskAgain: 'Mask again',
    test: 'Test masking',
    stillMasked: 'The value is still masked',
    stillNotMasked: 'The value is still not masked',
  },

  // Test masking
  tester: {
    meaning: 'Shows how a text is masked. Nothing is sent or saved.',
    fileNameExample: 'settings.py',
    fileName: 'File name',
    text: 'Text to mask',
    textExample: 'password = "…"',
    secrets: (secrets: number) => plural(secrets, 'secret'),
    none: 'No secrets found.',
    line: (line: number | string) => `line ${line}:`,
  },
} as const;
