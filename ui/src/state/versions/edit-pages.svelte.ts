// The files of a comparison, which are read in pages. A later attempt ignores the answers of an earlier one.
import { editRows, type EditRow } from '../../lib/versions';
import { toCoreError, type CoreError } from '../../rpc/errors';
import type { SinceView } from '../../rpc/types.gen';

type Page = Pick<SinceView, 'files' | 'file_count' | 'next'>;

export class EditPages {
  edits = $state.raw<EditRow[]>([]);
  /** The number of files that are not loaded yet. */
  left = $state(0);
  error = $state.raw<CoreError | null>(null);
  loading = $state(false);
  #turn = 0;

  /** The number of the current attempt. */
  protected get turn(): number {
    return this.#turn;
  }

  /** Drops the files, and the answers that are still to come. */
  protected begin(): number {
    this.edits = [];
    this.left = 0;
    this.error = null;
    this.loading = true;
    return ++this.#turn;
  }

  /** Runs work that replaces the files. A later attempt ignores its end. */
  protected async attempt(work: (turn: number) => Promise<void>): Promise<void> {
    const turn = this.begin();
    try {
      await work(turn);
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown);
    } finally {
      if (turn === this.#turn) this.loading = false;
    }
  }

  /** Reads all pages, each from a number of files on. */
  protected async read<P extends Page>(
    turn: number,
    call: (from: number) => Promise<P>,
    onpage: (page: P) => void = () => {},
  ): Promise<void> {
    for (let from: number | null = 0; from !== null;) {
      const page: P = await call(from);
      if (turn !== this.#turn) return;
      onpage(page);
      this.edits = [...this.edits, ...editRows(page.files, from)];
      from = page.next ?? null;
      this.left = from === null ? 0 : page.file_count - from;
    }
  }
}
