// Agents: the picker, and their page of the settings.

export const agentsTexts = {
  // Agents
  picker: {
    title: 'Agents',
    settings: 'Settings…',
    none: 'No agent was found on this machine. The built-in reviewer works without one. For a review by a model, install one of these agents, sign in, and search again.',
    label: 'Agent for reviews',
    notReady: 'Not ready',
    runs: 'Runs',
    runsMeaning: 'More runs of the same prompt show how stable the findings are.',
    sentTimes: (times: number) => `The prompt is sent ${times} times, at ${times} times the cost.`,
  },

  // An agent in the picker
  item: {
    builtIn: 'Built in: finds new capabilities of the code, offline, with evidence',
    alsoTitle: 'Reviews together with the selected agent. Equal findings are merged.',
    alsoWith: (agent: string) => `Also review with ${agent}`,
    also: 'Also run',
    builtInAbout:
      'Needs no account, network or model. It reads the changed files and the code that they call, and shows the call chain to each effect. Nothing is sent, run or written.',
    modelDefault: 'Model (default)',
    modelFor: (agent: string) => `Model for ${agent}`,
    readsFiles: 'Gets the prompt, and can read masked copies of the files.',
    promptOnly: 'Gets only the prompt.',
    structured: 'Its answers follow a schema.',
    unstructured: 'An invalid answer is requested again.',
    signIn: 'To sign in:',
    model: 'Model',
    install: 'To install:',
    needed: 'Required:',
    thenSignIn: 'Then, to sign in:',
    lookedFor: 'Searched for',
    and: ' and ',
    lookedIn: 'in:',
  },

  // Agents
  page: {
    about: 'Agents are found by their files. None is started until you test or use it.',
    firstIsDefault: 'The first installed agent is the default.',
    isDefault: (agent: string) => `${agent} is the default.`,
    default: 'default',
    builtIn: 'Built in, sends nothing',
    setDefault: 'Set as default',
    add: 'Add an endpoint or a program…',
    useFirst: 'Use first installed agent',
    requests: 'Requests',
  },

  // The track record of an agent
  record: {
    title: 'Track record',
    about:
      'From your own decisions, on this machine only. The share of accepted findings is given from ten decisions on, as the range in which it lies with 95% confidence.',
    none: 'You have not decided about any finding of an agent yet.',
    show: (agent: string) => `Track record of ${agent}`,
    all: 'All findings',
    model: (model: string | null) => (model ? `Model ${model}` : 'Default model'),
    severity: (severity: string) => `Severity ${severity}`,
    share: (low: number, high: number, decided: number) => `${low}–${high}% accepted (${decided} decisions)`,
    tooFew: (accepted: number, dismissed: number) =>
      `${accepted} accepted, ${dismissed} dismissed (a share needs 10 decisions)`,
    fates: (posted: number, resolved: number) => `${posted} posted, ${resolved} resolved by an edit`,
    reason: (count: number) => `Dismissed ${count === 1 ? 'once' : `${count} times`}`,
  },

  // Form of an agent
  form: {
    kind: 'Kind',
    endpoint: 'Endpoint (OpenAI-compatible)',
    program: 'Program',
    programAcp: 'Program (Agent Client Protocol)',
    name: 'Name',
    nameExample: 'local',
    address: 'Address',
    command: (replaces: boolean) => `Command${replaces ? ' (replaces the default)' : ''}`,
    model: 'Model',
    defaultModel: 'Default',
    variable: 'Environment variable with the key',
    noVariable: 'None',
    key: 'Key',
    unchangedKey: 'Unchanged',
    endpointAbout:
      'The key is saved in the system’s keyring and sent only to this endpoint. Changes are sent there only when you select it.',
    programAbout:
      'It gets the prompt on its standard input and prints the answer. It runs with your permissions, outside of the checkout.',
    more: (name: string) => `More settings are under “All settings”: agents.${name}.`,
    anyName: 'NAME',
    sessionOnly: 'Use key for this session only',
  },
} as const;
