// GitLab: the token dialog, and its page of the settings.

export const gitlabTexts = {
  // GitLab token
  token: {
    label: 'GitLab token',
    title: (host: string) => `Add a token for ${host}`,
    create: 'Create a personal access token there (Preferences, Access tokens) with the scope',
    or: ', or',
    readOnly: 'for reading only. diffsan saves it in the system’s keyring and sends it only to this host.',
    token: 'Token',
    example: 'glpat-…',
    accepted: (user: string, scopes: readonly string[] | null, expires: string | null) =>
      `Token accepted: ${user}${scopes ? `, scopes ${scopes.join(', ')}` : ''}${expires ? `, expires ${expires}` : ''}.`,
    cannotPost: 'This token can only read. Posting needs the scope api.',
    sessionOnly: 'Use for this session only',
    done: 'Done',
    checking: 'Checking…',
    save: 'Save and check',
  },

  // GitLab
  page: {
    about: 'Tokens are saved in the system’s keyring. Each is sent only to its host. A token in',
    or: 'or',
    onlyFor: (host: string) => `is used only for ${host}.`,
    noToken: 'no token saved; a variable is used if it is set',
    saved: 'token saved',
    missing: 'token missing in the keyring',
    scopes: (scopes: readonly string[]) => ` · scopes ${scopes.join(', ')}`,
    expires: (date: string) => ` · expires ${date}`,
    cannotPost: ' · cannot post',
    checking: 'Checking…',
    check: 'Check',
    replace: 'Replace…',
    add: 'Add a token…',
    addressExample: 'https://gitlab.example.com',
    address: 'GitLab address',
    access: 'Access and posting',
    environmentHost: 'GitLab for tokens in environment variables',
    environmentVariable: 'Environment variable with the token',
    account: 'Account',
    certificates: 'Certificates',
    posting: 'Posting',
    replaceSummary: 'Replace the earlier summary',
    summaryTag: 'Summary tag',
    warnSecrets: 'Warn about secrets',
    skipped: 'Skip merge requests if',
    autoMerge: 'Auto-merge is on',
    alreadyReviewed: 'The diff was already reviewed',
    namesNotRead: 'The names of tokens and keys could not be read',
    notRemoved: 'The token or key was not removed',
  },
} as const;
