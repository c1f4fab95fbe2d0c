// The confirmation dialog: asks one question and resolves with the answer.

/** A question with the labels of its answers. */
export interface Question {
  title: string;
  /** The consequences, one paragraph each. */
  text: string[];
  /** The subject, such as a file or a commit. Shown in a fixed-width font. */
  subject?: string;
  /** The label of the button that agrees: a verb. */
  agree: string;
  testid: string;
}

class Confirmation {
  question = $state.raw<Question | null>(null);
  #answer: (agreed: boolean) => void = () => {};

  /** Asks a question, and resolves with the answer. A question that is still open is refused. */
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
