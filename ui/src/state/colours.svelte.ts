// Syntax colours: asked for by blocks of lines as they come into view, and kept while the change is open.
import { SvelteMap } from 'svelte/reactivity';
import type { Line } from '../pure/lines';
import type { HighlightView } from '../rpc/types.gen';
import { connection } from './connection.svelte';
import { opened } from './opened.svelte';

const BLOCK = 200;
/** A fast scroll passes many blocks; only where it rests is asked for. */
const REST_MS = 40;

const none: readonly number[] = [];

class Colours {
  #blocks = new SvelteMap<string, HighlightView | null>();
  #wanted: Line[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  reset(): void {
    this.#blocks.clear();
    this.#wanted = [];
  }

  /** Asks for the colours of these lines, unless they are known or asked for. */
  want(lines: Line[]): void {
    this.#wanted = lines;
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#ask(this.#wanted);
    }, REST_MS);
  }

  of(line: Line): { spans: readonly number[]; names: readonly string[] } {
    if (line.colours) return line.colours;
    const block = this.#blocks.get(keyOf(line));
    if (!block) return { spans: none, names: [] };
    return { spans: block.lines[line.index % BLOCK] ?? none, names: block.classes };
  }

  #ask(lines: Line[]): void {
    // eslint-disable-next-line svelte/prefer-svelte-reactivity -- lives only here
    const firsts = new Map<string, Line>();
    for (const line of lines) {
      if (line.colours) continue;
      const key = keyOf(line);
      if (!firsts.has(key) && !this.#blocks.has(key)) firsts.set(key, line);
    }
    for (const [key, line] of firsts) void this.#fetch(key, line);
  }

  async #fetch(key: string, line: Line): Promise<void> {
    const fingerprint = opened.view?.fingerprint;
    this.#blocks.set(key, null);
    const first_line = line.index - (line.index % BLOCK);
    const { file, hunk } = line;
    try {
      const view = await opened.call((change_id) =>
        connection.client.call('change.highlight', { change_id, file, hunk, first_line, count: BLOCK }),
      );
      if (opened.view?.fingerprint === fingerprint) this.#blocks.set(key, view);
    } catch {
      // Without colours the text is as readable; it is asked for again when it next comes into view.
      if (opened.view?.fingerprint === fingerprint) this.#blocks.delete(key);
    }
  }
}

const keyOf = (line: Line): string => `${line.file}.${line.hunk}.${Math.floor(line.index / BLOCK)}`;

export const colours = new Colours();
