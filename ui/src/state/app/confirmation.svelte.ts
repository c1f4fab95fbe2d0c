// The confirmation dialog: asks one question and resolves with the answer.

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

class Confirmation {
  question = $state.raw<Question | null>(null);
  #answer: (agreed: boolean) => void = () => {};

  /** Asks, and waits for the answer. A question that was open counts as refused. */
  ask(question: Question): Promise<boolean> {
    this.answer(false);
    this.question = question;
    return new Promise((resolve) => (this.#answer = resolve));
  }

  answer(agreed: boolean): void {
    this.question = null;
    this.#answer(agreed);
    this.#answer = () => {};
  }
}

export const confirmation = new Confirmation();
