// The state of a conversation, and the reducer that applies events to it.
import type {
  ChatUpdate,
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

export function applyNews(state: ConversationState, news: ChatUpdate): ConversationState {
  switch (news.kind) {
    case 'snapshot': {
      const { view } = news;
      const agent = view.conversation.agent || (state.conversation?.agent ?? '');
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
      return counted(added(state, news.messages, news.superseded_from ?? null), news.messages);
    case 'text': {
      const before = state.live;
      if (before?.number !== news.number) return state;
      const text = before.text.slice(0, news.keep) + news.add;
      const live = { number: news.number, text, blocks: splitBlocks(text, before.blocks, news.keep) };
      return { ...state, live, thinking: false, step: '' };
    }
    case 'step':
      return { ...state, step: news.message };
    case 'thinking':
      return { ...state, thinking: true };
    case 'tool': {
      const { tool } = news;
      const used = (message: MessageView) => [...message.tools.filter((one) => one.id !== tool.id), tool];
      const messages = state.messages.map((message) =>
        message.number === state.live?.number ? { ...message, tools: used(message) } : message,
      );
      return { ...state, messages };
    }
    case 'permission':
      return { ...state, permissions: [...state.permissions, news.permission] };
    case 'permitted':
      return { ...state, permissions: state.permissions.filter((one) => one.id !== news.id) };
    case 'tokens':
      return { ...state, used: news.used.input + news.used.output, limit: news.limit ?? state.limit };
    case 'compacted':
      return { ...state, compactions: [...state.compactions, news.compaction] };
    case 'ended':
      return { ...state, busy: false, thinking: false, step: '', permissions: [] };
  }
}

function added(
  state: ConversationState,
  messages: readonly MessageView[],
  from: number | null,
): ConversationState {
  const fresh = new Map(messages.map((message) => [message.number, message]));
  const existing = state.messages
    .filter((message) => !fresh.has(message.number))
    .map((message) => (from !== null && message.number >= from ? { ...message, superseded: true } : message));
  const all = [...existing, ...fresh.values()].sort((a, b) => a.number - b.number);
  const growing = messages.find((message) => message.state === 'streaming');
  if (!growing) {
    const live = state.live && fresh.has(state.live.number) ? null : state.live;
    return { ...state, messages: all, live };
  }
  const live = { number: growing.number, text: '', blocks: [] };
  const title =
    messages
      .find((message) => message.role === 'user')
      ?.text.trim()
      .split('\n')[0] ?? '';
  const conversation =
    state.conversation && !state.conversation.title
      ? { ...state.conversation, title: title.slice(0, 80) }
      : state.conversation;
  return { ...state, conversation, messages: all, live, busy: true, thinking: false };
}

function counted(state: ConversationState, messages: readonly MessageView[]): ConversationState {
  const last = messages.findLast((message) => message.usage);
  if (!last?.usage) return state;
  return { ...state, used: last.usage.input + last.usage.output, limit: last.limit ?? state.limit };
}
