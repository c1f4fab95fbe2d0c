// The layout of the menu bar: which menu shows which actions, in which sections.
import { actionTexts } from '../../lib/texts/actions';
import type { Action } from './view-actions';

/** The items of a menu. Null is a separator. */
export interface MenuLayout<Item> {
  title: string;
  items: (Item | null)[];
}

type Placed = Pick<Action, 'id' | 'group'>;

interface Menu {
  title: string;
  /** The ids of the actions. The menu has a separator between two sections. */
  sections: readonly (readonly string[])[];
  /** The groups whose other actions form the last section. */
  rest?: readonly Action['group'][];
}

const MENUS: readonly Menu[] = [
  {
    title: actionTexts.menus.file,
    sections: [
      ['repo', 'change', 'sample'],
      ['open-editor'],
      ['save-html', 'save-markdown', 'save-json', 'save-sarif', 'save-code-quality', 'print'],
      ['settings', 'trust'],
    ],
  },
  {
    title: actionTexts.menus.edit,
    sections: [
      ['undo', 'redo'],
      ['copy-lines', 'copy-place', 'copy-permalink'],
      ['choose-all', 'choose-next', 'choose-previous'],
      ['find', 'find-next', 'find-previous', 'filter'],
    ],
  },
  {
    title: actionTexts.menus.view,
    sections: [
      ['overview', 'summary', 'prompt', 'conversation', 'history'],
      ['mode', 'wrap', 'whitespace', 'facts-in-diff', 'callers-in-diff'],
      ['file-tree', 'group', 'only-open'],
      ['larger', 'smaller', 'usual', 'theme'],
    ],
    rest: ['view'],
  },
  {
    title: actionTexts.menus.go,
    sections: [
      ['jump', 'definition', 'references', 'unchanged-callers', 'jump-back', 'jump-forward'],
      ['next', 'previous', 'next-open', 'previous-open'],
      ['next-file', 'previous-file', 'next-unviewed'],
      ['next-hunk', 'previous-hunk'],
      ['next-thread', 'previous-thread'],
      ['next-commit', 'previous-commit'],
      ['lower-layer', 'upper-layer'],
      ['line-down', 'line-up', 'stretch-down', 'stretch-up', 'side-old', 'side-new'],
    ],
  },
  {
    title: actionTexts.menus.change,
    sections: [
      ['refresh', 'since', 'commits', 'as-it-is-now', 'commit-message'],
      ['facts', 'facts-again', 'line-history'],
      ['viewed', 'viewed-hunk'],
      ['fold', 'more-above', 'more-below', 'whole-file'],
    ],
    rest: ['change'],
  },
  {
    title: actionTexts.menus.findings,
    sections: [
      ['accept', 'accept-stay', 'dismiss', 'dismiss-why'],
      ['comment', 'edit', 'go-on', 'suggestion', 'original', 'remove'],
    ],
    rest: ['findings'],
  },
  {
    title: actionTexts.menus.review,
    sections: [
      ['review', 'review-new', 'resume', 'cancel'],
      ['agents', 'prompt-files'],
      ['rounds'],
      ['post', 'revoke-approval'],
      ['discuss', 'discuss-file', 'new-conversation', 'snippets', 'edit-snippets'],
    ],
    rest: ['review', 'conversation'],
  },
  { title: actionTexts.menus.help, sections: [['keys', 'palette'], ['about']], rest: ['general'] },
];

/** The pages of the settings are reached through the settings. */
const isPage = ({ id }: Placed): boolean => id.startsWith('settings-');

/** Returns the ids in the layout that no action has. */
export const unknownIds = (actions: readonly Placed[]): string[] =>
  MENUS.flatMap(({ sections }) => sections.flat()).filter(
    (id) => !actions.some((action) => action.id === id),
  );

/** Returns the menus. Each action is in one of them, except the pages of the settings. */
export function menuLayout<Item extends Placed>(actions: readonly Item[]): MenuLayout<Item>[] {
  const placed = new Set(MENUS.flatMap(({ sections }) => sections.flat()));
  const others = actions.filter((action) => !placed.has(action.id) && !isPage(action));
  return MENUS.map(({ title, sections, rest = [] }) => {
    const named = sections.map((ids) =>
      ids.flatMap((id) => actions.find((action) => action.id === id) ?? []),
    );
    const all = [...named, others.filter((action) => rest.includes(action.group))];
    const items = all
      .filter((section) => section.length > 0)
      .flatMap((section, at) => (at === 0 ? section : [null, ...section]));
    return { title, items };
  });
}
