// Converts any failure to a `CoreError`, and maps its code to a heading and a next step.
import type { ErrorCode, ErrorInfo } from './types.gen';

/** The action that the interface offers for a failure. */
export type NextStep = 'retry' | 'agents' | 'change' | 'trust' | 'none';

/** The code for a call with the id of a change that is no longer open. */
export const CHANGE_EXPIRED = -32004;
/** The code of this interface for a core that cannot be reached. */
export const UNREACHABLE = -1;

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

const table: Record<ErrorCode, Words> = {
  CONFIG_PARSE_ERROR: { heading: 'A settings file is not valid', next: 'retry' },
  CONFIG_UNTRUSTED: { heading: 'This repository needs your trust', next: 'trust' },
  DIFF_FETCH_FAILED: { heading: 'The change could not be read', next: 'change' },
  DIFF_PARSE_FAILED: { heading: 'This is not a patch that diffsan can read', next: 'change' },
  REDACTION_ENGINE_FAILED: { heading: 'Secrets could not be masked, so nothing was sent', next: 'retry' },
  GITLAB_FETCH_PRIOR_FAILED: { heading: 'Earlier comments could not be read from GitLab', next: 'retry' },
  GITLAB_AUTH_ERROR: { heading: 'GitLab did not accept the token', next: 'none' },
  GITLAB_POSITION_INVALID: { heading: 'GitLab did not accept a position in the diff', next: 'none' },
  GITLAB_POST_FAILED: { heading: 'Posting to GitLab failed', next: 'retry' },
  GITLAB_HEAD_MOVED: { heading: 'The merge request has new commits', next: 'retry' },
  AGENT_NOT_FOUND: { heading: 'The agent is not installed', next: 'agents' },
  AGENT_EXEC_FAILED: { heading: 'The agent stopped with an error', next: 'retry' },
  AGENT_OUTPUT_INVALID: { heading: 'The agent’s answer could not be read', next: 'retry' },
  AGENT_TIMEOUT: { heading: 'The agent took too long', next: 'retry' },
  AGENT_CANCELLED: { heading: 'Cancelled', next: 'retry' },
  AGENT_QUOTA: { heading: 'The agent’s account has no quota left', next: 'agents' },
  FORMAT_FAILED: { heading: 'The result could not be written', next: 'none' },
  NOT_FOUND: { heading: 'Not found', next: 'none' },
  INVALID_INPUT: { heading: 'Invalid input', next: 'none' },
  BUSY: { heading: 'Currently in use', next: 'retry' },
  STORE_FAILED: { heading: 'The data could not be saved', next: 'retry' },
  IO_FAILED: { heading: 'A file could not be read or written', next: 'retry' },
  CANCELLED: { heading: 'Cancelled', next: 'retry' },
  INTERNAL: { heading: 'Internal error in diffsan', next: 'retry' },
  SECRET_STORE_UNAVAILABLE: { heading: 'The system’s keyring is not available', next: 'none' },
};

function wordsFor(error: CoreError): Words {
  if (error.info.context?.state_file === true) return table.STORE_FAILED;
  const code = error.info.error_code;
  if (code && code in table) return table[code];
  if (error.code === UNREACHABLE) return { heading: 'diffsan’s core cannot be reached', next: 'retry' };
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
