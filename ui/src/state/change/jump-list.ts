// The places that the user jumped from, for going back and forward.

import type { Side } from '../../rpc/types.gen';

export interface JumpPlace {
  path: string;
  line: number;
  side: Side;
}

const MAX_PLACES = 100;

export class JumpList {
  #back: JumpPlace[] = [];
  #forward: JumpPlace[] = [];

  get canGoBack(): boolean {
    return this.#back.length > 0;
  }

  get canGoForward(): boolean {
    return this.#forward.length > 0;
  }

  /** Records the place that a jump leaves. */
  leave(from: JumpPlace): void {
    this.#back = [...this.#back, from].slice(-MAX_PLACES);
    this.#forward = [];
  }

  /** Returns the place before the current one. */
  back(current: JumpPlace | null): JumpPlace | null {
    const place = this.#back.pop() ?? null;
    if (place && current) this.#forward.push(current);
    return place;
  }

  /** Returns the place that `back` left. */
  forward(current: JumpPlace | null): JumpPlace | null {
    const place = this.#forward.pop() ?? null;
    if (place && current) this.#back.push(current);
    return place;
  }

  clear(): void {
    this.#back = [];
    this.#forward = [];
  }
}
