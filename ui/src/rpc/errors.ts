// Converts any failure to a `CoreError` with a heading and a next step. The generated table has them for each code.
import { presentations, type ErrorInfo, type NextStep } from './types.gen';

/** The code for a call with the id of a change that is no longer open. */
export const CHANGE_EXPIRED = -32004;
/** The code of this interface for a core that cannot be reached. */
export const UNREACHABLE = -1;
/** The code of this interface for a call without an answer, whose effect is not known. */
export const UNANSWERED = -2;

/** A failed call or run, as the interface shows it. */
export class CoreError extends Error {
  constructor(
    message: string,
    /** The JSON-RPC code. */
    readonly code: number,
    readonly info: Partial<ErrorInfo> = {},
  ) {
    super(message);
  }

  /** Whether the user cancelled the call. */
  get cancelled(): boolean {
    return this.info.error_code === 'AGENT_CANCELLED' || this.info.error_code === 'CANCELLED';
  }

  get heading(): string {
    return wordsFor(this).heading;
  }

  get next(): NextStep {
    return this.info.retryable ? 'retry' : wordsFor(this).next;
  }
}

interface Words {
  heading: string;
  next: NextStep;
}

function wordsFor(error: CoreError): Words {
  if (error.info.context?.state_file === true) return presentations.STORE_FAILED;
  const code = error.info.error_code;
  if (code && code in presentations) return presentations[code];
  if (error.code === UNREACHABLE) return { heading: 'diffsan’s core cannot be reached', next: 'retry' };
  if (error.code === UNANSWERED)
    return { heading: 'The connection to diffsan’s core was lost', next: 'retry' };
  return { heading: 'Something went wrong', next: 'retry' };
}

/** Converts any thrown value to a `CoreError`. */
export function toCoreError(thrown: unknown): CoreError {
  if (thrown instanceof CoreError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new CoreError(message, 0, { cause: thrown instanceof Error ? (thrown.stack ?? null) : null });
}

/** Converts an error that a running review reported. */
export const fromInfo = (info: ErrorInfo): CoreError => new CoreError(info.message, 0, info);
