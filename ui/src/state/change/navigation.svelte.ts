// Definitions, references and unchanged callers, shown in a list from which the user jumps.
import type { Missing, NamePlace } from '../../rpc/types.gen';
import { namesIn, selectedName, type NameInLine } from '../../lib/diff/names';
import type { Line } from '../../lib/diff/lines';
import { navigationTexts } from '../../lib/texts/navigation';
import { connection } from '../app/connection.svelte';
import { notices } from '../app/notices.svelte';
import { desk } from '../desk/desk.svelte';
import { cursor } from './cursor.svelte';
import { JumpList, type JumpPlace } from './jump-list';
import { openChange } from './open-change.svelte';
import { showPlace } from './places';

export type Question = 'definition' | 'references';

/** An entry of the list. */
export interface NavigationItem {
  path: string;
  line: number;
  title: string;
  detail: string;
  section: string;
  /** The code at the place. */
  code: string[];
  /** Asks again about another name, in place of a jump. */
  ask?: () => void;
}

const jumps = new JumpList();

class Navigation {
  title = $state('');
  items = $state.raw<NavigationItem[]>([]);
  empty = $state('');
  busy = $state(false);
  #number = 0;

  /** Asks about the selected name, or lets the user choose a name of the line. */
  ask(question: Question): void {
    const [line] = cursor.lines;
    if (!line) return;
    const selected = selectedName(line.text, document.getSelection()?.toString() ?? '');
    const names = selected ? [selected] : namesIn(line.text);
    if (names.length === 1) return void this.#find(question, line, names[0]!);
    this.#open(navigationTexts.title.names);
    this.busy = false;
    this.empty = navigationTexts.none.no_name;
    this.items = names.map((name) => ({
      ...placeOf(line),
      title: name.name,
      detail: '',
      section: '',
      code: [],
      ask: () => void this.#find(question, line, name),
    }));
  }

  async #find(question: Question, line: Line, name: NameInLine): Promise<void> {
    const { path, side, number } = sideOf(line);
    const at: NamePlace = { path, side, line: number, column: name.column };
    const texts = navigationTexts.title;
    this.#open(question === 'definition' ? texts.definition(name.name) : texts.references(name.name));
    await this.#fill(() =>
      question === 'definition' ? this.#definition(at, name.name) : this.#references(at),
    );
  }

  async #definition(at: NamePlace, name: string): Promise<void> {
    const found = await openChange.call((change_id) =>
      connection.client.call('navigation.definition', { change_id, name_place: at }),
    );
    if (!found.certain && found.places.length > 0) this.title = navigationTexts.title.candidates(name);
    this.empty = missingText(found.missing);
    this.items = found.places.map((place) => ({
      path: place.path,
      line: place.line,
      title: place.name,
      detail: `${place.kind} · ${place.path}:${place.line}`,
      section: '',
      code: place.lines,
    }));
  }

  async #references(at: NamePlace): Promise<void> {
    const found = await openChange.call((change_id) =>
      connection.client.call('navigation.references', { change_id, name_place: at }),
    );
    this.empty = found.missing ? missingText(found.missing) : navigationTexts.none.references;
    this.items = found.references.map((usage) => ({
      path: usage.path,
      line: usage.line,
      title: usage.text,
      detail: [`${usage.path}:${usage.line}`, usage.within && navigationTexts.within(usage.within)]
        .concat(usage.certain ? [] : [navigationTexts.possible])
        .filter(Boolean)
        .join(' · '),
      section: '',
      code: [],
    }));
  }

  /** Lists the unchanged callers of the signatures that the change edits or removes. */
  async signatures(): Promise<void> {
    this.#open(navigationTexts.title.signatures);
    await this.#fill(async () => {
      const found = await openChange.call((change_id) =>
        connection.client.call('navigation.signatures', { change_id }),
      );
      this.empty = navigationTexts.none.signatures;
      this.items = found.signatures.flatMap((changed) =>
        changed.callers.map(({ usage, text }) => ({
          path: usage.path,
          line: usage.line,
          title: text,
          detail: `${usage.path}:${usage.line}${usage.certain ? '' : ` · ${navigationTexts.possible}`}`,
          section: changed.after ?? `${changed.before} (${navigationTexts.removed})`,
          code: [],
        })),
      );
    });
  }

  /** Fills the list, unless another question was asked meanwhile. */
  async #fill(load: () => Promise<void>): Promise<void> {
    const number = this.#number;
    try {
      await load();
    } catch (thrown) {
      if (number !== this.#number) return;
      desk.overlay = null;
      notices.fail(thrown, navigationTexts.failed);
    } finally {
      if (number === this.#number) this.busy = false;
    }
  }

  #open(title: string): void {
    this.#number += 1;
    this.title = title;
    this.items = [];
    this.empty = '';
    this.busy = true;
    desk.overlay = 'navigation';
  }

  jump(to: JumpPlace): void {
    const from = here();
    if (from) jumps.leave(from);
    showPlace(to.path, to.line);
  }

  back(): void {
    const place = jumps.back(here());
    if (place) showPlace(place.path, place.line);
  }

  forward(): void {
    const place = jumps.forward(here());
    if (place) showPlace(place.path, place.line);
  }
}

function missingText(missing: Missing | null | undefined): string {
  const texts = navigationTexts.none;
  switch (missing?.reason) {
    case 'external':
      return texts.external(missing.detail);
    case 'undefined':
      return texts.undefined(missing.detail);
    case 'unread':
      return texts.unread;
    default:
      return texts.no_name;
  }
}

/** Returns the side of a line that exists, with the path on it. */
function sideOf(line: Line): { path: string; side: 'old' | 'new'; number: number } {
  const file = openChange.view?.files[line.file];
  const old = line.new === null;
  const path = (old ? file?.old_path : null) ?? file?.path ?? '';
  return { path, side: old ? 'old' : 'new', number: line.new ?? line.old ?? 1 };
}

function placeOf(line: Line): JumpPlace {
  const { path, number } = sideOf(line);
  return { path, line: number };
}

function here(): JumpPlace | null {
  const [line] = cursor.lines;
  return line ? placeOf(line) : null;
}

export const navigation = new Navigation();
