// The conversation about the open change: its messages, the streaming answer, attached context.
import { applyNews, emptyConversation, type ConversationState } from '../../lib/chat/conversation-state';
import { chatTexts } from '../../lib/texts/chat';
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { About, ChatUpdate, ConversationItem, MessageView, PermissionAnswer } from '../../rpc/types.gen';
import { agents } from '../review/agents.svelte';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';

class ChatState {
  /** The conversations about the open change, the latest first. */
  list = $state.raw<ConversationItem[]>([]);
  #state = $state.raw<ConversationState>(emptyConversation);
  // Derived values that stay the same object cause no redraw while an answer is streaming.
  current = $derived(this.#state.conversation);
  messages = $derived(this.#state.messages);
  compactions = $derived(this.#state.compactions);
  permissions = $derived(this.#state.permissions);
  live = $derived(this.#state.live);
  busy = $derived(this.#state.busy);
  step = $derived(this.#state.step);
  thinking = $derived(this.#state.thinking);
  used = $derived(this.#state.used);
  limit = $derived(this.#state.limit);
  /** The context of the next message. Empty means the change. */
  attached = $state.raw<About[]>([]);
  /** The message that is being edited. */
  editing = $state.raw<MessageView | null>(null);
  error = $state.raw<CoreError | null>(null);
  sending = $state(false);
  /** The agent for the next messages, in place of the conversation's. */
  agentOverride = $state<string | null>(null);
  /** The conversation to open after the next change is opened. */
  nextConversation: ConversationItem | null = null;
  /** A number that changes whenever the input should get the focus. */
  focus = $state(0);
  #change = '';
  #turn = 0;
  #unfollow: (() => Promise<void>) | null = null;
  /** The time when the message was sent, for measuring the latency. */
  sentAt = 0;
  shown = $derived(this.messages.filter((message) => !message.superseded));

  /** The title of the agent that answers the next message. */
  get agent(): string {
    return this.agentName ? agents.titleOf(this.agentName) : chatTexts.error.noAgent;
  }

  get agentName(): string | null {
    return this.agentOverride ?? (this.current?.agent || (agents.chosen?.name ?? null));
  }

  /** Loads the conversations about the open change, and opens the latest. */
  async load(): Promise<void> {
    const view = openChange.view;
    if (!view || this.#change === view.change_id) return;
    // Context belongs to one change. Context that was attached before the first change is loaded stays.
    if (this.#change) this.attached = [];
    const turn = this.#forget();
    this.#change = view.change_id;
    try {
      const { conversations } = await openChange.call((change_id) =>
        connection.client.call('chat.list', { change_id }),
      );
      if (turn !== this.#turn) return;
      this.list = conversations;
      const wanted = this.nextConversation;
      this.nextConversation = null;
      if (wanted && !conversations.some((one) => one.id === wanted.id))
        this.list = [wanted, ...conversations];
      const first = wanted ?? conversations[0];
      if (first) await this.open(first);
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown);
    }
  }

  /** Subscribes to the conversation again after a reconnection. */
  async resubscribe(): Promise<void> {
    const { current } = this;
    if (current) await this.open(current);
  }

  async open(item: ConversationItem): Promise<void> {
    const turn = this.#forget();
    this.#state = { ...emptyConversation, conversation: item };
    try {
      const stop = await connection.client.subscribe(
        'chat.follow',
        { conversation_id: item.id },
        (news) => turn === this.#turn && this.#onEvent(news),
      );
      if (turn === this.#turn) this.#unfollow = stop;
      else void stop().catch(() => {});
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown);
    }
  }

  /** Starts a new conversation, which is created with its first message. */
  startNew(): void {
    this.#forget();
    this.focus += 1;
  }

  /** Removes a conversation that no longer exists from the list. */
  removed(id: string): void {
    this.list = this.list.filter((one) => one.id !== id);
    if (this.current?.id === id) this.startNew();
  }

  async remove(item: ConversationItem): Promise<void> {
    try {
      await connection.client.call('chat.remove', { conversation_id: item.id });
      this.removed(item.id);
    } catch (thrown) {
      notices.fail(thrown, chatTexts.error.notRemoved);
    }
  }

  /** Sends a message. Resolves with whether it was sent; only then may the draft be removed. */
  async send(text: string, tip = ''): Promise<boolean> {
    if (!text.trim() || this.sending || this.busy || !openChange.view) return false;
    this.sentAt = performance.now();
    this.sending = true;
    this.error = null;
    const asked = this.agentName;
    const model = (asked && prefs.values.models[asked]?.trim()) || null;
    const replaces = this.editing?.number ?? null;
    try {
      if (!this.current) await this.#beginOne(asked, model);
      const conversation_id = this.current!.id;
      const attached = [...this.attached];
      await openChange.call((change_id) =>
        connection.client.call('chat.send', {
          change_id,
          conversation_id,
          text,
          attached,
          agent: asked,
          model,
          replaces,
          tip,
        }),
      );
      this.editing = null;
      this.attached = [];
      const { conversation } = this.#state;
      if (asked && conversation)
        this.#state = { ...this.#state, conversation: { ...conversation, agent: asked } };
      return true;
    } catch (thrown) {
      this.error = toCoreError(thrown);
      return false;
    } finally {
      this.sending = false;
    }
  }

  async #beginOne(agent: string | null, model: string | null): Promise<void> {
    const item = await openChange.call((change_id) =>
      connection.client.call('chat.begin', { change_id, agent, model }),
    );
    await this.open(item);
    this.list = [item, ...this.list];
  }

  /** Sends the last message again. Later messages stay stored, but are hidden. */
  async retry(): Promise<void> {
    const last = this.shown.findLast((message) => message.role === 'user');
    if (!last) return;
    this.editing = last;
    this.attached = last.attached;
    if (!(await this.send(last.text))) this.editing = null;
  }

  edit(message: MessageView): void {
    this.editing = message;
    this.attached = message.attached;
    this.focus += 1;
  }

  stopEditing(): void {
    this.editing = null;
    this.attached = [];
  }

  stop(): void {
    const id = this.current?.id;
    if (!id || !this.busy) return;
    // Shown at once. The core confirms it later.
    this.#state = { ...this.#state, step: chatTexts.messages.stopping };
    connection.client
      .call('chat.stop', { conversation_id: id })
      .catch((thrown: unknown) => notices.fail(thrown, chatTexts.error.notStopped));
  }

  answerPermission(id: string, answer: PermissionAnswer): void {
    const conversation_id = this.current?.id;
    if (!conversation_id) return;
    this.#state = applyNews(this.#state, { kind: 'permitted', id });
    connection.client
      .call('chat.answer_permission', { conversation_id, id, answer })
      .catch((thrown: unknown) => notices.fail(thrown, chatTexts.error.notDelivered));
  }

  attach(about: About): void {
    const key = JSON.stringify(about);
    if (!this.attached.some((one) => JSON.stringify(one) === key)) this.attached = [...this.attached, about];
    this.focus += 1;
  }

  detach(about: About): void {
    this.attached = this.attached.filter((one) => one !== about);
  }

  /** Stores whether a fix block is applied. */
  fixed(number: number, line: number, applied: number | null): void {
    const messages = this.messages.map((message) =>
      message.number !== number
        ? message
        : {
            ...message,
            blocks: message.blocks.map((block) => (block.line === line ? { ...block, applied } : block)),
          },
    );
    this.#state = { ...this.#state, messages };
  }

  #forget(): number {
    void this.#unfollow?.().catch(() => {});
    this.#unfollow = null;
    this.#state = emptyConversation;
    this.editing = null;
    this.error = null;
    this.agentOverride = null;
    return ++this.#turn;
  }

  #onEvent(news: ChatUpdate): void {
    this.#state = applyNews(this.#state, news);
    const { conversation } = this.#state;
    if (!conversation || (news.kind !== 'messages' && news.kind !== 'snapshot')) return;
    this.list = this.list.map((one) => (one.id === conversation.id ? conversation : one));
  }
}

export const chat = new ChatState();
