// The files that are shown rendered: Markdown, notebooks, tables.
import { NotRendered, renderedKind, type RenderedKind } from '../../lib/rendered/kinds';
import type { RenderedDiff } from '../../lib/rendered';
import { toCoreError } from '../../rpc/errors';
import { connection } from '../app/connection.svelte';
import { prefs } from '../app/prefs.svelte';
import { change } from './change.svelte';
import { openChange } from './open-change.svelte';

/** A rendered file: its content, or the reason why it is shown as text, as a clause. */
export type RenderedFile = { diff: RenderedDiff } | { reason: string };

class Rendered {
  #files = $state.raw<ReadonlyMap<number, RenderedFile>>(new Map());
  /** Files of a rendered kind that are shown as text, because a place in them was asked for. */
  #asText = $state.raw<ReadonlySet<number>>(new Set());
  #loading = new Set<number>();

  constructor() {
    change.onShown(() => {
      this.#files = new Map();
      this.#asText = new Set();
      this.#loading.clear();
    });
  }

  /** Returns the kind of a file that can be rendered, or null. */
  kindOf(file: number): RenderedKind | null {
    const view = openChange.view?.files[file];
    if (!view || view.binary || view.lines === 0 || !openChange.view?.whole_files) return null;
    return renderedKind(view.path);
  }

  /** Whether a file is shown rendered, or would be if it could. */
  isWanted(file: number): boolean {
    const kind = this.kindOf(file);
    return kind !== null && prefs.values.rendered.includes(kind) && !this.#asText.has(file);
  }

  /** Returns null for a file that is shown as text. `reason` says why one cannot be rendered. */
  placeOf(file: number): { reason: string | null } | null {
    if (!this.isWanted(file)) return null;
    const known = this.#files.get(file);
    return { reason: known && 'reason' in known ? known.reason : null };
  }

  of(file: number): RenderedFile | undefined {
    return this.#files.get(file);
  }

  /** Shows the files of a kind rendered, or as text. The choice is kept. */
  toggle(file: number): void {
    const kind = this.kindOf(file);
    if (!kind) return;
    const others = prefs.values.rendered.filter((one) => one !== kind);
    prefs.values.rendered = this.isWanted(file) ? others : [...others, kind];
    this.#asText = new Set([...this.#asText].filter((one) => one !== file));
  }

  /** Shows a file as text, because a line of it is shown. */
  showText(file: number): void {
    if (this.isWanted(file)) this.#asText = new Set([...this.#asText, file]);
  }

  /** Loads and compares the two sides of a file, once. */
  async load(file: number): Promise<void> {
    const view = openChange.view;
    const kind = this.kindOf(file);
    const shown = view?.files[file];
    if (!shown || !kind || this.#files.has(file) || this.#loading.has(file)) return;
    this.#loading.add(file);
    const found = await this.#read(file, kind, shown.path);
    if (openChange.view?.fingerprint !== view.fingerprint) return;
    this.#loading.delete(file);
    // The map is replaced, not changed. The assignment triggers reactivity.
    // eslint-disable-next-line svelte/prefer-svelte-reactivity
    this.#files = new Map(this.#files).set(file, found);
  }

  async #read(file: number, kind: RenderedKind, path: string): Promise<RenderedFile> {
    try {
      const texts = openChange.call((change_id) =>
        connection.client.call('change.texts', { change_id, file }),
      );
      const [{ old, new: now }, { renderedDiff }] = await Promise.all([texts, import('../../lib/rendered')]);
      return { diff: renderedDiff(kind, path, old ?? null, now ?? null) };
    } catch (thrown) {
      if (thrown instanceof NotRendered) return { reason: thrown.message };
      const { message } = toCoreError(thrown);
      return { reason: message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, '') };
    }
  }
}

export const rendered = new Rendered();
