// The licences of all dependencies, from a file beside the page that tests/licences.mjs creates.
class Licences {
  text = $state('');
  failed = $state(false);

  async load(): Promise<void> {
    if (this.text) return;
    this.failed = false;
    try {
      const answer = await fetch('/licences.txt');
      if (!answer.ok) throw new Error(answer.statusText);
      this.text = await answer.text();
    } catch {
      this.failed = true;
    }
  }
}

export const licences = new Licences();
