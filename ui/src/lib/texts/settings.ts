// The settings: pages, fields, agents, GitLab, limits, appearance and data.
import { count, moment, plural } from '../text/format';

export const settingsTexts = {
  // Settings
  page: {
    title: 'Settings',
    pages: 'Pages of the settings',
    agents: 'Agents',
    gitlab: 'GitLab',
    redaction: 'Redaction',
    prompts: 'Prompts and skills',
    snippets: 'Snippets',
    limits: 'Limits',
    trust: 'Trust',
    appearance: 'Appearance',
    keys: 'Keyboard shortcuts',
    data: 'Data',
    updates: 'Updates',
    all: 'All settings',
  },

  // Field of a setting
  field: {
    on: 'On',
    off: 'Off',
    onePerLine: 'One per line',
    partlySecret: 'Partly secret, so not shown. Type a new value to replace it',
    resetTitle: 'Remove from your config.toml',
    reset: 'Reset',
    fromYou: 'your config.toml',
    from: (place: string) => `from ${place}`,
    repository: 'the repository',
    environment: 'the environment',
    fromCommandLine: 'from the command line',
    default: 'default',
    byRepository: 'The repository',
    byEnvironment: 'The environment',
    byCommandLine: 'The command line',
    overrides: (layer: string, value: string) => `${layer} overrides your value, ${value}.`,
    sets: (layer: string) => `${layer} sets this. Your value is used elsewhere.`,
  },

  // Redaction
  redaction: {
    about:
      'Everything that is sent is masked first: secrets in more than 500 known formats, and the value of every key whose name denotes a secret. A repository can change this only if you trust it.',
    mask: 'Mask secrets',
    test: 'Test masking',
    patterns: 'Your own patterns',
    removePattern: (name: string) => `Remove ${name}`,
    name: 'Name',
    nameOfPattern: 'Name of the pattern',
    patternPlaceholder: 'Regular expression; the first group is the secret',
    pattern: 'Pattern',
    allowed: 'Not masked in any repository',
    rule: (rule: string) => `rule ${rule}`,
    inPath: (path: string) => `in ${path}`,
    value: (start: string) => `the value ${start}…`,
    maskAgain: 'Mask again',
    rulePlaceholder: 'Rule, as named by the test',
    ruleLabel: 'Rule',
    pathPlaceholder: 'Paths, such as tests/**',
    pathLabel: 'Paths',
    allowedHere: 'Not masked in this repository',
    noneHere: 'None. To add a value, select “Not a secret” in the prompt view.',
    rawDiff: 'Save the raw diff unmasked',
    rawDiffAbout: 'In run folders, in addition to the masked one.',
  },

  // Prompts and skills
  prompts: {
    files: 'Prompt files',
    builtIn: 'built in',
    ofRepository: 'of the repository',
    own: 'your own',
    unsaved: ', unsaved edits',
    newSkill: 'New skill',
    skillName: 'Name of a new skill',
    skillText: (skill: string) => `Checks for ${skill}.\n`,
    builtInFile: 'Built in',
    restore: 'Restore built-in file',
  },

  // Snippets
  snippets: {
    builtIn: 'Built in. Saving creates your own copy.',
    icon: 'Icon',
    tooltip: 'Tooltip',
    tooltipPlaceholder: 'Beginning of the message',
    up: 'Move up',
    down: 'Move down',
    message: 'Message',
    import: 'Import from file…',
    restore: 'Restore built-in snippets',
    unsaved: 'Save or discard the changes first.',
    saved: 'Saved.',
  },

  // Limits
  limits: {
    preview: (change: string) => `${change}, with these limits`,
    files: 'Files sent',
    filesOf: (sent: number, all: number) => `${count(sent)} of ${count(all)}`,
    tokens: 'Tokens',
    characters: 'Characters',
    prompts: 'Prompts',
    overLimit: 'Over limit',
    ignored: 'Ignored files',
    was: (value: string) => `was ${value}`,
    parts: (parts: number) => `${plural(parts, 'part')} over limit`,
    openChange: 'Open a change to preview the limits.',
    strategy: 'If the change exceeds the limits',
    maxCharacters: 'Maximum characters',
    maxTokens: 'Maximum tokens',
    maxFiles: 'Maximum files',
    maxHunks: 'Maximum hunks per file',
    context: 'Context',
    contextLines: 'Context lines',
    currentlyFrom: (place: string) => `currently from ${place}`,
    noLimit: ' 0 means no limit.',
    notSaved: 'Preview only. Not saved yet.',
    discard: 'Discard',
  },

  // Trust
  trust: {
    about:
      'The settings of a repository can set limits, preparation, skills and additional instructions. Settings that run a program, choose where a change is sent, change masking or replace prompts need your trust. Trust covers one folder and the exact content that you reviewed. If the content changes, diffsan asks again. For branches and merge requests, the settings of the target branch are used, so that a change cannot alter its own review.',
    notNeeded: 'It requests nothing that needs trust.',
    untrusted: 'Not trusted. None of this is applied.',
    changed: 'Its requests changed since you trusted it. None of this is applied until you trust it again.',
    trusted: 'Trusted with this content.',
    nothing: 'Its settings request nothing that needs trust.',
    grant: 'Trust this content',
    revokeTrust: 'Revoke trust',
    list: 'Trusted repositories',
    since: (time: string, what: readonly string[]) =>
      `since ${moment(time)} · ${what.slice(0, 6).join(', ')}${what.length > 6 ? ' …' : ''}`,
    revoke: 'Revoke',
    none: 'None.',
    settingsFrom: 'Settings from',
    promptFiles: 'Files that change prompts or the meaning of code',
    namedFiles: 'Files that these settings name. If one changes, diffsan asks again',
    missing: 'Missing, or not a text file.',
    inside: 'Agents started inside the repository',
    insideAbout: (files: boolean) =>
      `They read every file there, including secrets, and follow and run the repository’s agent files${files ? ':' : '.'}`,
    skipped: (note: string) => `Skipped: ${note}.`,
    notRead: 'The trusted repositories could not be read',
    notSaved: 'The trust was not saved',
    notRevoked: 'The trust was not revoked',
  },

  // Appearance
  appearance: {
    theme: 'Theme',
    themeAbout: '“System” follows the system’s theme.',
    system: 'System',
    light: 'Light',
    dark: 'Dark',
    textSize: 'Text size',
    textSizeAbout: 'Size of the whole interface. Ctrl+= and Ctrl+- also change it.',
    density: 'Density',
    densityAbout: '“Compact” reduces the height of lines and rows.',
    normal: 'Default',
    compact: 'Compact',
    layout: 'Diff layout',
    layoutAbout: 'One column, or two columns with the old and the new side.',
    unified: 'Unified',
    split: 'Split',
    wrap: 'Wrap long lines',
    wrapAbout: 'Otherwise the diff scrolls horizontally.',
    editor: 'Editor',
    tabWidth: 'Tab width',
    tabWidthAbout: 'In columns. `>` changes it in the diff.',
    functionBar: 'Function names',
    functionBarAbout: 'Above the first visible line of the diff.',
    editorAbout: 'Opens the selected line of the diff when you press Enter.',
    advance: 'After a decision',
    advanceAbout:
      'Accepting or dismissing a finding selects the next open one. With Shift, the selection stays.',
    next: 'Select next',
    stay: 'Keep selection',
    codeFont: 'Code font',
    codeFontAbout: 'A monospaced font installed on this machine. Leave empty for JetBrains Mono.',
    codeFontDefault: 'JetBrains Mono',
    codeSize: 'Code size',
    codeSizeAbout: 'Relative to the text size.',
    sample: 'Code sample',
    sampleCode:
      'fn total(lines: &[Line]) -> Money {\n    lines.iter().map(|line| line.price * line.count).sum() // 0O 1lI\n}',
    motion: 'Animations follow the system’s setting for reduced motion.',
  },

  // Data
  data: {
    counts: (reviews: number, conversations: number, runs: number) =>
      `${plural(reviews, 'review')}, ${plural(conversations, 'conversation')} and ${plural(runs, 'run folder')} are saved on this machine in the first folder, settings and prompts in the second.`,
    total: 'Total',
    older: 'Older than',
    days: 'Days',
    daysEnd: 'days:',
    runs: 'Delete run folders…',
    everything: 'Delete all data…',
    caches: 'Delete agent rooms…',
    all: 'Delete all reviews and conversations…',
    remove: 'Delete data',
    olderThan: (days: number | null) => (days === null ? '' : ` older than ${plural(days, 'day')}`),
    removeRuns: (older: string) =>
      `Run folders${older} are deleted: prompts, agents’ raw answers, reports and event logs. Reviews, findings, decisions and conversations are not deleted.`,
    removeEverything: (older: string) =>
      `Reviews with their findings and decisions, conversations, run folders and the posting journal${older} are deleted. This cannot be undone. Comments on GitLab, settings, prompts, tokens, trusted repositories, values that you marked as not secret, and running reviews are not deleted.`,
    removeCaches:
      'The rooms of agents are deleted. The next review creates them again and takes a little longer.',
    removing: 'Deleting…',
    removed: (reviews: number, conversations: number, runs: number, freed: string) =>
      `Deleted ${plural(reviews, 'review')}, ${plural(conversations, 'conversation')}, ${plural(runs, 'run folder')}. ${freed} freed.`,
  },

  // All settings
  all: {
    search: (settings: number) => `Search ${settings} settings`,
    searchLabel: 'Search settings',
    onlyChanged: 'Only changed settings',
    saved: (file: string | undefined) =>
      `Your values are saved in ${file}. Its comments and order are preserved. Settings of a trusted repository`,
    order: ', variables and flags override them, in this order.',
    agents: 'Search to see the settings of agents',
    allDefault: 'All settings have their default values.',
    noMatches: 'No matches.',
    more: (settings: number) => `${settings} more. Search to see them.`,
  },
} as const;
