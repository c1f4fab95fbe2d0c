// One question that stands above everything else, before something is done that others see or that cannot be undone.

/** A question, and the words of its answers. */
export interface Question {
  title: string;
  /** What will happen, one paragraph each. */
  text: string[];
  /** The exact thing that it is about: a file, a commit. Shown in a fixed-width font. */
  subject?: string;
  /** A verb for the button that agrees. */
  agree: string;
  testid: string;
}

class Confirming {
  asked = $state.raw<Question | null>(null);
  #answer: (agreed: boolean) => void = () => {};

  /** Asks, and waits for the answer. A question that was open counts as refused. */
  ask(question: Question): Promise<boolean> {
    this.answer(false);
    this.asked = question;
    return new Promise((resolve) => (this.#answer = resolve));
  }

  answer(agreed: boolean): void {
    this.asked = null;
    this.#answer(agreed);
    this.#answer = () => {};
  }
}

export const confirming = new Confirming();
