// The conversation: header, messages, composer, fixes and their sheets.
import { count, plural, short } from '../text/format';

export const chatTexts = {
  // Conversation
  pane: {
    title: 'Conversation',
    emptyTitle: 'Ask about this change',
    emptyText:
      'You can also ask about a finding (c), a file (F) or selected lines (c). Secrets are masked, and you can preview each request.',
    follow: 'Follow the answer',
    toEnd: 'Scroll to the end',
  },

  // Header
  header: {
    untitled: 'Conversation',
    contextUsed: (used: number | null, limit: number | null) =>
      `${count(used ?? 0)} of ${count(limit ?? 0)} tokens used. Above 80%, earlier messages are summarized`,
    tokens: (used: number) => `${short(used)} tokens`,
    preview: 'Preview next request',
    summarize: 'Summarize earlier messages',
    cancelSummary: 'Cancel summarizing',
    start: 'New conversation',
    close: 'Close conversation',
  },

  // List of conversations
  list: {
    title: 'Conversations',
    removeQuestion: (title: string) => `Delete “${title}”?`,
    empty: 'Empty conversation',
    none: 'No conversation about this change yet.',
  },

  // Messages
  messages: {
    you: 'You',
    replaced: 'replaced',
    tools: 'Tools used',
    thinking: 'Thinking',
    writing: 'Writing',
    stopping: 'Stopping',
    stopped: 'Stopped',
    interrupted: 'Interrupted: diffsan closed before the answer was complete',
    tokens: (tokens: number) => `· ${short(tokens)} tokens`,
  },

  // Buttons of a message
  buttons: {
    editAndResend: 'Edit and resend',
    createFinding: 'Create finding',
    copyCode: 'Copy code',
  },

  // Replaced and summarized messages
  earlier: {
    hide: (messages: number) => `Hide ${plural(messages, 'replaced message')}`,
    show: (messages: number) => `Show ${plural(messages, 'replaced message')}`,
    folded: (messages: number) => plural(messages, 'earlier message'),
    summarized: (how: string) => `Summarized ${how}`,
    byAgent: 'by the agent',
    repaired: 'by the agent, with corrected quotes',
    withoutAgent: 'without the agent: your messages are kept, its answers are omitted',
  },

  // Permission for a tool
  permission: {
    label: (agent: string) => `${agent} asks for permission`,
    question: (agent: string) => `${agent} wants to use:`,
    meaning: 'Files outside its room are not masked. The request is denied after three minutes.',
    deny: 'Deny',
    once: 'Allow once',
    always: 'Allow in this conversation',
  },

  // Composer
  composer: {
    placeholder: (agent: string) => `Ask ${agent}…`,
    context: 'Context of the message',
    about: 'about',
    wholeChange: 'the change',
    finding: (title: string) => `finding: ${title}`,
    findingKey: (key: string) => `finding ${key}`,
    oldSide: ' (old)',
    aFinding: 'A finding',
    removeContext: (context: string) => `Remove ${context}`,
    message: 'Message',
    snippetsTitle: 'Snippets (Ctrl+/)',
    snippets: 'Snippets',
    agent: 'Agent',
    cancelEdit: 'Cancel editing',
    stop: 'Stop',
    resend: 'Resend',
    send: 'Send',
  },

  // Snippets
  snippets: {
    title: 'Snippets',
    edit: 'Edit snippets',
    notRead: 'The snippets could not be read',
    notSaved: 'The snippets were not saved',
    notImported: 'The snippets were not imported',
  },

  // Fix card
  fix: {
    title: 'Proposed fix',
    unusable: (problem: string) => `This fix cannot be used: ${problem}.`,
    requestCorrected: 'Request corrected fix',
    newFile: 'new file',
    applied: 'Applied',
    undo: 'Undo',
    apply: 'Apply',
    correctRequest: 'The fix block is not valid. Write it again.',
    refused: (problem: string) => `The block was refused: ${problem}.`,
    appliedTo: (file: string) => `Applied to ${file}.`,
    revertedIn: (file: string) => `Reverted in ${file}.`,
    /** The subjects of the undo notice. */
    applying: (file: string) => `Fix of ${file}`,
    reverting: (file: string) => `Revert of the fix of ${file}`,
    notApplied: 'The fix was not applied',
    notReverted: 'The fix was not reverted',
  },

  // Next request
  preview: {
    title: 'Next request',
    preparing: 'Preparing the request…',
    tokens: (tokens: number, messages: number) =>
      `${count(tokens)} tokens in ${messages} messages. Yours is the last one.`,
    system: 'System prompt',
    you: 'You',
    agent: 'Agent',
  },

  // Commit message
  commit: {
    title: 'Commit message',
    writing: 'Writing the message…',
    writeAnother: 'Write another',
  },

  // Errors
  error: {
    noConversation: 'No conversation is open.',
    notSummarized: 'The messages were not summarized',
    noAgent: 'No agent',
    notRemoved: 'The conversation was not deleted',
    notStopped: 'The agent could not be stopped',
    notDelivered: 'The answer did not reach the agent',
  },
} as const;
