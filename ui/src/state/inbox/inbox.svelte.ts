// The inbox: its rows, the selected one, refreshing, and the marks.
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { InboxMark, InboxRow, InboxView } from '../../rpc/types.gen';
import { filterInbox, listInbox, nextRow, stepRow, yourTurn } from '../../lib/inbox';
import { inboxTexts } from '../../lib/texts/inbox';
import { ViewOrder } from '../../lib/view-order';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { repos } from '../app/repos.svelte';
import { tellTurns } from '../../rpc/desktop';
import { change } from '../change/change.svelte';
import { inboxFilters } from './filters.svelte';
import { reviewQueue } from './queue.svelte';

/** How often the list is read while a refresh runs, and how often a refresh starts. */
const PROGRESS_MS = 700;
const REFRESH_MS = 5 * 60_000;
/** A window that gets the focus again soon causes no refresh. */
const FOCUS_MS = 60_000;

class Inbox {
  view = $state.raw<InboxView | null>(null);
  /** Whether the page is shown in place of the desk. */
  shown = $state(false);
  filter = $state('');
  selected = $state<string | null>(null);
  /** The row that was opened last. */
  opened = $state<string | null>(null);
  /** The row whose snooze is being chosen. */
  snoozing = $state.raw<InboxRow | null>(null);
  refreshing = $state(false);
  error = $state.raw<CoreError | null>(null);
  filterBox: HTMLInputElement | null = null;
  #refreshedAt = 0;
  #order = new ViewOrder();
  #first: Promise<void> | null = null;

  rows = $derived(listInbox(filterInbox(this.view?.rows ?? [], this.filter)));
  /** The number of rows that wait for the reader. */
  count = $derived(yourTurn(this.view?.rows ?? []).length);

  get current(): InboxRow | null {
    return this.view?.rows.find((row) => row.key === this.selected) ?? null;
  }

  /** Whether there is anything to show: an account or a row. */
  get used(): boolean {
    return (this.view?.accounts.length ?? 0) > 0 || (this.view?.rows.length ?? 0) > 0;
  }

  /** Reads the list from the cache. */
  async load(): Promise<void> {
    try {
      this.#adopt(await this.#order.read(() => connection.client.call('inbox.list')));
      this.error = null;
    } catch (thrown) {
      this.error = toCoreError(thrown);
    }
  }

  /** Reads the list if it was not read yet. Several callers share one reading. */
  async begin(): Promise<void> {
    if (!this.view) await (this.#first ??= this.load().finally(() => (this.#first = null)));
  }

  show(): void {
    this.shown = true;
    void this.begin();
    void inboxFilters.load();
    void reviewQueue.load();
    void this.refresh();
  }

  toggle(): void {
    if (this.shown) this.shown = false;
    else this.show();
  }

  /** Reads all accounts. The rows appear as they are read. */
  async refresh(): Promise<void> {
    if (this.refreshing) return;
    this.refreshing = true;
    this.#refreshedAt = Date.now();
    const timer = setInterval(() => void this.load(), PROGRESS_MS);
    try {
      const { news: keys } = await connection.client.call('inbox.refresh', {});
      await this.load();
      const news = (this.view?.rows ?? []).filter((row) => keys.includes(row.key));
      // The system may have no notifications.
      if (news.length > 0) void tellTurns(news).catch(() => {});
    } catch (thrown) {
      this.error = toCoreError(thrown);
    } finally {
      clearInterval(timer);
      this.refreshing = false;
    }
  }

  /** Refreshes from time to time, and when the window gets the focus again. Returns a function that ends it. */
  follow(): () => void {
    const after = (ms: number) => {
      if (this.used && Date.now() - this.#refreshedAt >= ms) void this.refresh();
    };
    const timer = setInterval(() => after(REFRESH_MS), REFRESH_MS / 5);
    const focus = () => after(FOCUS_MS);
    window.addEventListener('focus', focus);
    const endQueue = reviewQueue.follow();
    return () => {
      endQueue();
      clearInterval(timer);
      window.removeEventListener('focus', focus);
    };
  }

  step(by: 1 | -1): void {
    this.selected = stepRow(this.rows, this.selected, by);
  }

  /** Opens the change of a row on the desk. */
  async open(row: InboxRow): Promise<void> {
    this.selected = this.opened = row.key;
    this.shown = false;
    if (row.repository) await repos.open(row.repository, row.target);
    else await repos.openWithoutRepository(row.target);
    // The error of opening is shown on the page without a repository only.
    if (repos.error) notices.fail(repos.error, inboxTexts.page.title);
  }

  /** Opens the next row that waits for the reader. Without one, shows the page. */
  async openNext(): Promise<void> {
    const next = nextRow(this.view?.rows ?? [], this.opened);
    if (next) {
      void this.refresh();
      return this.open(next);
    }
    notices.info(inboxTexts.message.noNext);
    this.show();
  }

  /** Sets or removes a mark, and selects the row after it. */
  async mark(row: InboxRow, mark: InboxMark | null, until: string | null = null): Promise<void> {
    const at = this.rows.findIndex((one) => one.key === row.key);
    try {
      this.#adopt(
        await this.#order.change(() => connection.client.call('inbox.mark', { key: row.key, mark, until })),
        at,
      );
      notices.info(messageOf(row, mark));
    } catch (thrown) {
      notices.fail(thrown, inboxTexts.message.notSaved);
    }
  }

  async undo(): Promise<void> {
    try {
      const { key, inbox } = await this.#order.change(() => connection.client.call('inbox.undo', {}));
      this.#adopt(inbox);
      if (key) this.selected = key;
      notices.info(key ? inboxTexts.message.undone : inboxTexts.message.nothingToUndo);
    } catch (thrown) {
      notices.fail(thrown, inboxTexts.message.notSaved);
    }
  }

  /** Applies a saved filter, or removes it if it is applied already. */
  applyFilter(at: number): void {
    const saved = inboxFilters.all[at];
    if (saved) this.filter = this.filter === saved.filter ? '' : saved.filter;
  }

  /** Asks for a name to save the current filter. */
  saveFilter(): void {
    if (this.filter.trim()) inboxFilters.naming = true;
    else notices.info(inboxTexts.filters.empty);
  }

  copyLink(row: InboxRow): void {
    if (!row.web_url) return notices.info(inboxTexts.message.noLink);
    void navigator.clipboard.writeText(row.web_url).then(
      () => notices.info(inboxTexts.message.copied),
      (thrown: unknown) => notices.fail(thrown, inboxTexts.message.notCopied),
    );
  }

  focusFilter(): void {
    this.filterBox?.focus();
    this.filterBox?.select();
  }

  /** Shows other rows. A selected row that moved to another group gives the selection to the row in its place. */
  #adopt(view: InboxView, at = -1): void {
    this.view = view;
    const known = this.rows.some((one) => one.key === this.selected);
    if (at >= 0 || !known) {
      const keys = this.rows.slice(Math.max(at, 0));
      const below = keys.find((one) => one.kind === 'row') ?? this.rows.findLast((one) => one.kind === 'row');
      this.selected = below?.key ?? null;
    }
  }
}

function messageOf(row: InboxRow, mark: InboxMark | null): string {
  const { message } = inboxTexts;
  if (mark === 'done') return message.done(row.title);
  if (mark === 'snoozed') return message.snoozed(row.title);
  if (mark === 'muted') return message.muted(row.title);
  return row.mark === 'muted' ? message.notMuted(row.title) : message.open(row.title);
}

export const inbox = new Inbox();

// The row of an item that has ended shows its review.
reviewQueue.onEnded = () => void inbox.load();

// A change that is opened in another way, by its address or from the history, is shown at once.
change.onShown((other) => {
  if (other) inbox.shown = false;
});

// Without a repository, the page opens on the inbox, if there is anything in it.
repos.beginElsewhere = async () => {
  await inbox.begin();
  if (inbox.used) inbox.show();
  return inbox.used;
};
