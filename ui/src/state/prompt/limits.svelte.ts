// Previews limits on the open change before they are saved.
import { toCoreError } from '../../rpc/errors';
import type { Limits, LimitsPreview } from '../../rpc/types.gen';
import { connection } from '../app/connection.svelte';
import { openChange } from '../change/open-change.svelte';
import { settings } from '../settings/settings.svelte';

const WAIT_MS = 120;
const KEYS = [
  'strategy',
  'max_diff_chars',
  'max_diff_tokens',
  'max_files',
  'max_hunks_per_file',
  'context_lines',
  'context',
] as const;

class LimitsState {
  /** The limits that differ from the saved ones. */
  changed = $state<Partial<Limits>>({});
  preview = $state.raw<LimitsPreview | null>(null);
  /** The preview of the saved limits, for comparison. */
  before = $state.raw<LimitsPreview | null>(null);
  error = $state<string | null>(null);
  loading = $state(false);
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get held(): Limits {
    return Object.fromEntries(
      KEYS.map((key) => [key, settings.value(`limits.${key}`, 0)]),
    ) as unknown as Limits;
  }

  get dirty(): boolean {
    return Object.keys(this.changed).length > 0;
  }

  set(key: keyof Limits, value: Limits[keyof Limits]): void {
    const rest = { ...this.changed };
    delete rest[key];
    this.changed = this.held[key] === value ? rest : { ...rest, [key]: value };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.updatePreview(), WAIT_MS);
  }

  /** Requests a preview for the open change. */
  async updatePreview(): Promise<void> {
    if (!openChange.view || !settings.view) return;
    const turn = ++this.#turn;
    this.loading = true;
    const ask = (limits: Limits) =>
      openChange.call((change_id) => connection.client.call('limits.preview', { change_id, limits }));
    try {
      const preview = await ask({ ...this.held, ...this.changed });
      const before = this.dirty ? (this.before ?? (await ask(this.held))) : preview;
      if (turn !== this.#turn) return;
      this.preview = preview;
      this.before = before;
      this.error = null;
    } catch (thrown) {
      if (turn === this.#turn) this.error = toCoreError(thrown).message;
    } finally {
      if (turn === this.#turn) this.loading = false;
    }
  }

  async save(): Promise<void> {
    const changes = Object.entries(this.changed).map(([key, value]) => ({ key: `limits.${key}`, value }));
    if (await settings.set(changes)) this.discard();
  }

  discard(): void {
    this.changed = {};
    this.before = null;
    void this.updatePreview();
  }
}

export const limits = new LimitsState();
