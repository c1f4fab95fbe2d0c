// The state of a conversation, and the reducer that applies events to it.
import type {
  ChatNews,
  CompactionView,
  ConversationItem,
  MessageView,
  PermissionRequest,
} from '../../rpc/types.gen';
import { splitBlocks, type Block } from './blocks';

/** An answer that is still streaming. */
export interface StreamingMessage {
  number: number;
  text: string;
  blocks: readonly Block[];
}

export interface ConversationState {
  conversation: ConversationItem | null;
  /** All messages, including those that a newer version replaces. */
  messages: readonly MessageView[];
  compactions: readonly CompactionView[];
  live: StreamingMessage | null;
  busy: boolean;
  step: string;
  thinking: boolean;
  permissions: readonly PermissionRequest[];
  /** The tokens of the latest request and its answer. */
  used: number | null;
  limit: number | null;
}

export const emptyConversation: ConversationState = {
  conversation: null,
  messages: [],
  compactions: [],
  live: null,
  busy: false,
  step: '',
  thinking: false,
  permissions: [],
  used: null,
  limit: null,
};

export function applyNews(talk: ConversationState, news: ChatNews): ConversationState {
  switch (news.kind) {
    case 'snapshot': {
      const { view } = news;
      const agent = view.conversation.agent || (talk.conversation?.agent ?? '');
      const growing = view.messages.find((message) => message.state === 'streaming');
      return counted(
        {
          ...emptyConversation,
          conversation: { ...view.conversation, agent },
          messages: view.messages,
          compactions: view.compactions,
          busy: view.busy,
          step: view.step,
          permissions: view.permissions,
          live: growing
            ? { number: growing.number, text: growing.text, blocks: splitBlocks(growing.text) }
            : null,
        },
        view.messages,
      );
    }
    case 'messages':
      return counted(added(talk, news.messages, news.superseded_from ?? null), news.messages);
    case 'text': {
      const before = talk.live;
      if (before?.number !== news.number) return talk;
      const text = before.text.slice(0, news.keep) + news.add;
      const live = { number: news.number, text, blocks: splitBlocks(text, before.blocks, news.keep) };
      return { ...talk, live, thinking: false, step: '' };
    }
    case 'step':
      return { ...talk, step: news.message };
    case 'thinking':
      return { ...talk, thinking: true };
    case 'tool': {
      const { tool } = news;
      const used = (message: MessageView) => [...message.tools.filter((one) => one.id !== tool.id), tool];
      const messages = talk.messages.map((message) =>
        message.number === talk.live?.number ? { ...message, tools: used(message) } : message,
      );
      return { ...talk, messages };
    }
    case 'permission':
      return { ...talk, permissions: [...talk.permissions, news.permission] };
    case 'permitted':
      return { ...talk, permissions: talk.permissions.filter((one) => one.id !== news.id) };
    case 'tokens':
      return { ...talk, used: news.used.input + news.used.output, limit: news.limit ?? talk.limit };
    case 'compacted':
      return { ...talk, compactions: [...talk.compactions, news.compaction] };
    case 'ended':
      return { ...talk, busy: false, thinking: false, step: '', permissions: [] };
  }
}

function added(
  talk: ConversationState,
  messages: readonly MessageView[],
  from: number | null,
): ConversationState {
  const fresh = new Map(messages.map((message) => [message.number, message]));
  const kept = talk.messages
    .filter((message) => !fresh.has(message.number))
    .map((message) => (from !== null && message.number >= from ? { ...message, superseded: true } : message));
  const all = [...kept, ...fresh.values()].sort((a, b) => a.number - b.number);
  const growing = messages.find((message) => message.state === 'streaming');
  if (!growing) {
    const live = talk.live && fresh.has(talk.live.number) ? null : talk.live;
    return { ...talk, messages: all, live };
  }
  const live = { number: growing.number, text: '', blocks: [] };
  const title =
    messages
      .find((message) => message.role === 'user')
      ?.text.trim()
      .split('\n')[0] ?? '';
  const conversation =
    talk.conversation && !talk.conversation.title
      ? { ...talk.conversation, title: title.slice(0, 80) }
      : talk.conversation;
  return { ...talk, conversation, messages: all, live, busy: true, thinking: false };
}

function counted(talk: ConversationState, messages: readonly MessageView[]): ConversationState {
  const last = messages.findLast((message) => message.usage);
  if (!last?.usage) return talk;
  return { ...talk, used: last.usage.input + last.usage.output, limit: last.limit ?? talk.limit };
}
