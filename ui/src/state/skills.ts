// The skills that reviews of the open repository get, where the reviewer chose them; otherwise the settings say which.
import { opened } from './opened.svelte';
import { prefs } from './prefs.svelte';

const key = () => opened.repo?.path ?? '';

export function chosenSkills(): string[] | null {
  return prefs.kept.skills[key()] ?? null;
}

/** None goes back to those of the settings. */
export function chooseSkills(names: string[] | null): void {
  const others = Object.entries(prefs.kept.skills).filter(([repo]) => repo !== key());
  prefs.kept.skills = Object.fromEntries(names ? [...others, [key(), names]] : others);
}
