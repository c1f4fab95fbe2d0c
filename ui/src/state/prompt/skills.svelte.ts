// The skills that reviews get, where the reviewer chose them; otherwise the settings say which. A choice holds for the open
// repository, or for the merge request's project where there is no clone; for a patch, as long as it is open.
import type { Target } from '../../rpc/types.gen';
import { openChange } from '../change/open-change.svelte';
import { prefs } from '../app/prefs.svelte';

class Loose {
  chosen = $state.raw<{ target: Target | null; names: string[] } | null>(null);
}
const loose = new Loose();

/** What a choice is kept under; none where it is not kept. */
function key(): string | null {
  const { repo, target } = openChange;
  if (repo?.path) return repo.path;
  return target?.kind === 'merge_request' ? `${target.base} ${target.project}` : null;
}

export function chosenSkills(): string[] | null {
  const kept = key();
  if (kept !== null) return prefs.values.skills[kept] ?? null;
  return loose.chosen?.target === openChange.target ? (loose.chosen?.names ?? null) : null;
}

/** None goes back to those of the settings. */
export function chooseSkills(names: string[] | null): void {
  const kept = key();
  if (kept === null) {
    loose.chosen = names && { target: openChange.target, names };
    return;
  }
  const others = Object.entries(prefs.values.skills).filter(([name]) => name !== kept);
  prefs.values.skills = Object.fromEntries(names ? [...others, [kept, names]] : others);
}
