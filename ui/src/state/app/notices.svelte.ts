// Notices: errors and messages that have no place elsewhere in the page. Errors stay until they are closed.
import { toCoreError, type CoreError } from '../../rpc/errors';
import { changeTexts } from '../../lib/texts/change';

export interface Notice {
  id: number;
  /** The error, or null for a message. */
  error: CoreError | null;
  text: string;
  action?: { label: string; run: () => void };
}

const MAX_NOTICES = 3;

/** Returns the notices to show. Messages make room for each other before an unread error does. */
function latestNotices(all: readonly Notice[]): Notice[] {
  const kept = [...all];
  while (kept.length > MAX_NOTICES) {
    const message = kept.findIndex((one) => !one.error);
    kept.splice(message < 0 || message === kept.length - 1 ? 0 : message, 1);
  }
  return kept;
}

class Notices {
  all = $state.raw<Notice[]>([]);
  #next = 1;

  /** Adds an error. `what` names the failed action: `The decision was not saved`. */
  fail(thrown: unknown, what: string, retry?: () => void): void {
    const error = toCoreError(thrown);
    this.#add({
      error,
      text: what,
      ...(retry ? { action: { label: changeTexts.message.tryAgain, run: retry } } : {}),
    });
  }

  info(text: string, action?: Notice['action']): void {
    this.#add({ error: null, text, ...(action ? { action } : {}) });
  }

  /** Closes a message when its time is over. Errors stay. */
  expire(id: number): void {
    const notice = this.all.find((one) => one.id === id);
    if (notice && !notice.error) this.close(id);
  }

  closeAll(): void {
    this.all = [];
  }

  close(id: number): void {
    this.all = this.all.filter((notice) => notice.id !== id);
  }

  #add(notice: Omit<Notice, 'id'>): void {
    const others = this.all.filter((one) => one.text !== notice.text);
    this.all = latestNotices([...others, { ...notice, id: this.#next++ }]);
  }
}

export const notices = new Notices();
