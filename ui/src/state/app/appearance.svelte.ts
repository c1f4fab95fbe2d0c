// Applies the appearance (theme, text size, density, code font) to the page, and measures the resulting text size.
import { untrack } from 'svelte';
import { prefs } from './prefs.svelte';

class Appearance {
  /** The size of 1 rem, in px. */
  rem = $state(16);
  /** How often an appearance was applied. Sizes that are measured in the page depend on it. */
  #applied = $state(0);

  /** Call it in an effect: it reads the preferences. */
  apply(systemDark: boolean): void {
    const { theme, scale, density, codeFont, codeSize } = prefs.values;
    const { style, dataset } = document.documentElement;
    dataset.theme = theme === 'system' ? (systemDark ? 'dark' : 'light') : theme;
    style.fontSize = `${scale * 100}%`;
    dataset.density = density;
    style.setProperty('--code-size', String(codeSize));
    if (codeFont) style.setProperty('--code-font', `${JSON.stringify(codeFont)}, var(--mono)`);
    else style.removeProperty('--code-font');
    this.measure();
    // The next start reads the theme before the core answers, so that the first paint has the right background.
    localStorage.setItem('theme', theme);
  }

  measure(): void {
    this.rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    untrack(() => (this.#applied += 1));
  }

  /** Returns a measurement of the page. Inside a derived value, it is taken again when the appearance changes. */
  measured<T>(measurement: () => T): T {
    void this.#applied;
    return measurement();
  }
}

export const appearance = new Appearance();
