// The sandbox of an agent: in the facts of a review and below an answer of a conversation.

export const sandboxTexts = {
  name: 'Sandbox',
  none: (reason: string | null) => `none, ${reason ?? 'not available'}`,
  landlock: (reason: string | null) => ['Landlock and seccomp', reason].filter(Boolean).join(', '),
  seatbelt: 'sandbox-exec',
  notCovered: (parts: readonly string[]) => `not restricted: ${parts.join(', ')}`,
  connected: (hosts: readonly string[]) => `connected to ${hosts.join(', ')}`,
  refused: (hosts: readonly string[]) => `refused ${hosts.join(', ')}`,
  saved: (files: readonly string[]) => `saved ${files.join(', ')}`,
};
