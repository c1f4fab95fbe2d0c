// The props of a finding card that its parts share.
import type { PatchLine } from '../../lib/diff/patch';
import type { CheckedQuote, Decision, Evidence } from '../../rpc/types.gen';

/** Facts about a finding that its view does not contain. */
export interface FindingInfo {
  /** The titles of its sources. */
  sources: string;
  /** The title of the agent that gave the second opinion; empty if there is none. */
  opinionBy: string;
  /** Whether the user is its only source. */
  own: boolean;
  /** Whether it was posted to GitLab, and the state of its thread. */
  posted: 'posted' | 'resolved' | null;
  patch: readonly PatchLine[] | null;
  /** Returns the lines of the head around the finding; null if they are not known. */
  linesAround: (above: number, below: number) => readonly string[] | null;
}

/** The state of the form for the reason of a dismissal. */
export interface ReasonState {
  /** Null while the form is closed. */
  form: { typed: string; count: number } | null;
  hasDraft: boolean;
}

export interface FindingHandlers {
  select: () => void;
  /** Decides. The card stays selected if `stay` is set. */
  decide: (decision: Decision, stay: boolean) => void;
  discuss: () => void;
  /** Asks for a second opinion. */
  verify: () => void;
  /** Shows the evidence of a second opinion. */
  showQuote: (quote: CheckedQuote) => void;
  edit: () => void;
  restore: () => void;
  remove: () => void;
  /** Applies the suggested patch, or reverts it. */
  apply: () => void;
  /** Opens or closes the form for the reason. */
  openReason: (open: boolean) => void;
  typeReason: (typed: string) => void;
  saveReason: (reason: string | null) => void;
  openLink: (href: string) => void;
  /** Shows the evidence of a claim, or a call of the chain. */
  showEvidence: (place: Evidence) => void;
}
