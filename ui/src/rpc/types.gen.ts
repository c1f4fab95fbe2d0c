// Generated from config/schema/openrpc.json by `npm run types`. Do not edit.

/**
 * The change to review.
 */
export type Target =
  | {
      kind: 'unstaged';
    }
  | {
      kind: 'staged';
    }
  | {
      kind: 'all';
      /**
       * With files that git does not track (and does not ignore).
       */
      untracked: boolean;
    }
  | {
      kind: 'commit';
      /**
       * Anything that names a commit.
       */
      rev: string;
    }
  | {
      kind: 'range';
      /**
       * Where it starts.
       */
      base: string;
      /**
       * Where it ends.
       */
      head: string;
      /**
       * `base...head`: start from their merge base instead.
       */
      merge_base: boolean;
    }
  | {
      kind: 'branch';
      /**
       * The branch, or a commit; the branch that is checked out if absent.
       */
      name?: string | null;
      /**
       * What it is compared with; the default branch if absent.
       */
      base?: string | null;
    }
  | {
      kind: 'patch';
      /**
       * The file's path.
       */
      path: string;
      /**
       * Take what can be read of it, where it breaks off.
       */
      partial?: boolean;
    }
  | {
      kind: 'merge_request';
      /**
       * The GitLab's address: `https://gitlab.example.com`.
       */
      base: string;
      /**
       * `group/project`.
       */
      project: string;
      /**
       * Its number in the project.
       */
      iid: number;
    };
/**
 * The kinds of failure, closed: new ones are added to the specification first.
 */
export type ErrorCode =
  | 'CONFIG_PARSE_ERROR'
  | 'CONFIG_UNTRUSTED'
  | 'DIFF_FETCH_FAILED'
  | 'DIFF_PARSE_FAILED'
  | 'REDACTION_ENGINE_FAILED'
  | 'GITLAB_FETCH_PRIOR_FAILED'
  | 'GITLAB_AUTH_ERROR'
  | 'GITLAB_POSITION_INVALID'
  | 'GITLAB_POST_FAILED'
  | 'GITLAB_HEAD_MOVED'
  | 'AGENT_NOT_FOUND'
  | 'AGENT_EXEC_FAILED'
  | 'AGENT_OUTPUT_INVALID'
  | 'AGENT_TIMEOUT'
  | 'AGENT_CANCELLED'
  | 'AGENT_QUOTA'
  | 'FORMAT_FAILED'
  | 'SECRET_STORE_UNAVAILABLE'
  | 'NOT_FOUND'
  | 'INVALID_INPUT'
  | 'BUSY'
  | 'STORE_FAILED'
  | 'IO_FAILED'
  | 'CANCELLED'
  | 'INTERNAL';
/**
 * How bad it is.
 */
export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';
/**
 * What it is about.
 */
export type Category =
  'correctness' | 'security' | 'performance' | 'maintainability' | 'style' | 'testing' | 'docs' | 'other';
/**
 * A side of the change.
 */
export type Side = 'new' | 'old';
/**
 * How a suggested patch is written.
 */
export type PatchFormat = 'unified-diff' | 'replacement';
/**
 * How a finding's place held against the real change.
 */
export type AnchorState = 'verified' | 'moved' | 'unverified' | 'file' | 'unplaced';
/**
 * What a search of the code says of a claim.
 */
export type Verdict = 'verified' | 'contradicted' | 'unchecked';
/**
 * What a reviewer decided about a finding.
 */
export type Decision = 'open' | 'accepted' | 'dismissed';
/**
 * The status of lines since they were reviewed.
 */
export type CodeStatus =
  | {
      status: 'unchanged';
    }
  | {
      status: 'moved';
      /**
       * Their first line now, from 1, where that is known.
       */
      line?: number | null;
    }
  | {
      status: 'edited';
    }
  | {
      status: 'removed';
    }
  | {
      status: 'file_removed';
    }
  | {
      status: 'unknown';
    };
/**
 * How a repository stands with the reviewer.
 */
export type TrustStand = 'not_needed' | 'untrusted' | 'changed' | 'trusted';
/**
 * What a setting or a file could do to the reviewer.
 */
export type SettingEffect = 'runs' | 'sends' | 'unmasks' | 'reads' | 'leads' | 'behaves';
/**
 * What kind of thing was cut.
 */
export type TruncationKind = 'file' | 'hunk' | 'partial_hunk';
/**
 * Why a file is not sent.
 */
export type IgnoreReason =
  | 'glob'
  | 'extension'
  | 'generated'
  | 'vendored'
  | 'minified'
  | 'lockfile'
  | 'binary'
  | 'unreadable'
  | 'reviewed';
/**
 * What became of one line of the change.
 */
export type Coverage = 'sent' | 'redacted' | 'cut' | 'ignored';
/**
 * What a running review tells, in order. The last is always `done`, `skipped`, `failed` or `cancelled`.
 */
export type ReviewEvent =
  | {
      kind: 'started';
      /**
       * The run.
       */
      run_id: string;
      /**
       * Who reviews.
       */
      agent: string;
    }
  | {
      kind: 'step';
      /**
       * `fetch`, `prepare`, `room`, `prompt`, `agent`, `validate`.
       */
      step: string;
      /**
       * For people: `Codex is reading 41,000 tokens (attempt 1 of 3)`.
       */
      message: string;
    }
  | {
      kind: 'progress';
      /**
       * Which agent.
       */
      agent: string;
      /**
       * For people: `thinking`, `reads src/main.rs`, `1,204 characters so far`.
       */
      message: string;
      /**
       * Milliseconds since the run began.
       */
      elapsed_ms: number;
    }
  | {
      kind: 'usage';
      /**
       * Which agent.
       */
      agent: string;
      /**
       * Tokens, if it reports them.
       */
      tokens?: TokenUsage | null;
      /**
       * What it says that it cost, in US dollars.
       */
      cost_usd?: number | null;
    }
  | {
      kind: 'done';
      review: ReviewView;
    }
  | {
      kind: 'skipped';
      /**
       * Why: `NO_DIFF`, `AUTO_MERGE`, `SAME_FINGERPRINT`.
       */
      reason: string;
      /**
       * For people.
       */
      message: string;
    }
  | {
      kind: 'failed';
      error: ErrorInfo;
      /**
       * Where everything that was produced is kept.
       */
      run_dir: string;
    }
  | {
      kind: 'cancelled';
      /**
       * Where everything that was produced is kept.
       */
      run_dir: string;
    };
/**
 * How a piece lands.
 */
export type Lands = 'inline' | 'range' | 'file' | 'in_summary' | 'summary' | 'replaced';
/**
 * What a posting tells, in order. The last is always `done` or `failed`.
 */
export type PostingEvent =
  | {
      kind: 'step';
      /**
       * For people.
       */
      message: string;
    }
  | {
      kind: 'item';
      item: ItemResult;
    }
  | {
      kind: 'done';
      outcome: PostOutcome;
    }
  | {
      kind: 'failed';
      error: ErrorInfo;
    };
/**
 * How a piece stands.
 */
export type ItemState =
  'waiting' | 'sending' | 'prepared' | 'already_there' | 'landed' | 'on_file' | 'in_summary' | 'failed';
/**
 * What a value may be.
 */
export type SettingKind =
  | {
      type: 'switch';
    }
  | {
      type: 'number';
      /**
       * The least.
       */
      least?: number | null;
      /**
       * The most.
       */
      most?: number | null;
    }
  | {
      type: 'text';
    }
  | {
      type: 'choice';
      /**
       * They.
       */
      options: SettingChoice[];
    }
  | {
      type: 'texts';
    }
  | {
      type: 'other';
    };
/**
 * Where a value came from.
 */
export type SettingOrigin = 'default' | 'user' | 'repository' | 'environment' | 'command_line';
/**
 * What becomes of a change that is over the budget.
 */
export type Strategy = 'truncate' | 'split';
/**
 * What is shown around each change, as far as the budget has room for it.
 */
export type Context = 'lines' | 'function';
/**
 * What is to be removed.
 */
export type DataKind = 'runs' | 'everything' | 'caches';
/**
 * An attachment.
 */
export type About =
  | {
      kind: 'finding';
      /**
       * Its key.
       */
      key: string;
    }
  | {
      kind: 'file';
      /**
       * Its path.
       */
      path: string;
    }
  | {
      kind: 'selection';
      /**
       * The file.
       */
      path: string;
      side: Side;
      /**
       * The first line, from 1.
       */
      line_start: number;
      /**
       * The last line.
       */
      line_end: number;
    };
/**
 * What the user says to a request for permission.
 */
export type PermitAnswer = 'refuse' | 'once' | 'always';
/**
 * What a conversation tells.
 */
export type ChatNews =
  | {
      kind: 'snapshot';
      view: ChatView;
    }
  | {
      kind: 'messages';
      /**
       * They.
       */
      messages: MessageView[];
      /**
       * From which number on others were superseded.
       */
      superseded_from?: number | null;
    }
  | {
      kind: 'step';
      /**
       * For people.
       */
      message: string;
    }
  | {
      kind: 'text';
      /**
       * Which one.
       */
      number: number;
      /**
       * How much of its text stays, in UTF-16 units.
       */
      keep: number;
      /**
       * What comes behind it.
       */
      add: string;
    }
  | {
      kind: 'thinking';
    }
  | {
      kind: 'tool';
      tool: ToolView;
    }
  | {
      kind: 'permission';
      permission: PermissionView;
    }
  | {
      kind: 'permitted';
      /**
       * Which.
       */
      id: string;
    }
  | {
      kind: 'tokens';
      used: TokenUsage;
      /**
       * How many fit.
       */
      limit?: number | null;
    }
  | {
      kind: 'compacted';
      compaction: CompactionView;
    }
  | {
      kind: 'ended';
    };
/**
 * What an edit makes of a finding.
 */
export type FindingEdit =
  | {
      kind: 'rewrite';
      words: FindingWords;
    }
  | {
      kind: 'restore';
    }
  | {
      kind: 'remove';
    };
/**
 * What the history holds.
 */
export type HistoryOf = 'review' | 'conversation' | 'run';

/**
 * Names a request of the same connection.
 */
export interface CancelParams {
  /**
   * Its JSON-RPC id.
   */
  id: number;
}
/**
 * Whether a run or a request was there to be cancelled.
 */
export interface Cancelled {
  /**
   * False if it had already ended.
   */
  cancelled: boolean;
}
/**
 * What the program is and where it stands.
 */
export interface AppInfo {
  /**
   * The program's version.
   */
  version: string;
  /**
   * Where reviews, settings and run folders are kept.
   */
  data_dir: string;
  /**
   * The repository that the program was started on, if any.
   */
  start_repo?: string | null;
  /**
   * The change that the program was started on, if any.
   */
  start_target?: Target | null;
  /**
   * Repositories opened before, latest first.
   */
  recent: RecentRepo[];
  /**
   * Whether the bundled sample can be opened.
   */
  sample: boolean;
  /**
   * What a person has to know about the state file since it was opened; mostly nothing.
   */
  notices: string[];
  /**
   * Whether nothing can be kept in this session.
   */
  read_only: boolean;
}
/**
 * A repository opened before.
 */
export interface RecentRepo {
  /**
   * Its root.
   */
  path: string;
  /**
   * Its folder's name.
   */
  name: string;
}
/**
 * Names a repository.
 */
export interface RepoParams {
  /**
   * Any path inside it.
   */
  path: string;
}
/**
 * A repository and the changes that it offers.
 */
export interface RepoView {
  /**
   * Its root (or the repository itself, if bare).
   */
  path: string;
  /**
   * Its folder's name.
   */
  name: string;
  /**
   * The checked-out branch; none when detached.
   */
  branch?: string | null;
  /**
   * What branches are compared with.
   */
  default_branch?: string | null;
  /**
   * Local changes, with how many files each has; empty ones are listed too.
   */
  local: LocalChange[];
  /**
   * Local branches, latest first.
   */
  branches: BranchItem[];
  /**
   * Recent commits of the checked-out branch.
   */
  commits: CommitItem[];
  /**
   * The change to open first.
   */
  suggested?: Target | null;
  /**
   * Why it has no local changes, if the work tree that it names does not count.
   */
  notice?: string | null;
}
/**
 * Unstaged, staged or all local changes.
 */
export interface LocalChange {
  target: Target;
  /**
   * For people.
   */
  title: string;
  /**
   * Changed files.
   */
  files: number;
}
/**
 * A branch.
 */
export interface BranchItem {
  /**
   * Its name.
   */
  name: string;
  /**
   * Commits that the default branch does not have.
   */
  ahead: number;
  /**
   * When its last commit was made: seconds since 1970.
   */
  time: number;
  /**
   * Its last commit's subject.
   */
  subject: string;
}
/**
 * A commit.
 */
export interface CommitItem {
  /**
   * Abbreviated object id.
   */
  id: string;
  /**
   * First line of the message.
   */
  subject: string;
  /**
   * Who wrote it.
   */
  author: string;
  /**
   * When: seconds since 1970.
   */
  time: number;
}
/**
 * The agents that diffsan knows.
 */
export interface AgentsView {
  /**
   * The one that reviews unless another is chosen; none if none is installed.
   */
  default?: string | null;
  /**
   * All of them.
   */
  agents: AgentView[];
}
/**
 * An agent.
 */
export interface AgentView {
  /**
   * Its name in settings and flags.
   */
  name: string;
  /**
   * Its name for people.
   */
  title: string;
  /**
   * The program found, if it was.
   */
  program?: string | null;
  /**
   * Its address, if it is an endpoint.
   */
  url?: string | null;
  /**
   * Why it cannot be asked, in words; none if it can.
   */
  missing?: string | null;
  /**
   * Whether nothing is missing but a model.
   */
  needs_model: boolean;
  /**
   * The program names that were looked for.
   */
  looked_for: string[];
  /**
   * The folders that were looked in.
   */
  looked_in: string[];
  /**
   * How to install it.
   */
  install: string;
  /**
   * How to sign in.
   */
  sign_in: string;
  /**
   * Whether its answer is held to the schema by the agent itself.
   */
  structured: boolean;
  /**
   * Whether it can read the head's files besides the prompt.
   */
  reads_files: boolean;
  /**
   * Whether it is the reviewer that is built in: nothing is sent.
   */
  built_in: boolean;
  /**
   * What the last test of it found, if there was one.
   */
  checked?: LastCheckView | null;
}
/**
 * What the last test of an agent found.
 */
export interface LastCheckView {
  /**
   * When it ended.
   */
  at: string;
  /**
   * How it answered, if it did.
   */
  found?: AgentCheck | null;
  /**
   * Why it did not.
   */
  error?: ErrorInfo | null;
}
/**
 * An agent that answered.
 */
export interface AgentCheck {
  /**
   * The program or the address.
   */
  place: string;
  /**
   * What it says of its version.
   */
  version?: string | null;
  /**
   * How long the answer took.
   */
  milliseconds: number;
  /**
   * Tokens, if it reported them.
   */
  tokens?: TokenUsage | null;
  /**
   * What is not as it should be, although it answered.
   */
  note?: string | null;
}
/**
 * Tokens that an agent reported.
 */
export interface TokenUsage {
  /**
   * Tokens read, cached ones included.
   */
  input: number;
  /**
   * Of those, read from the provider's cache.
   */
  cached_input: number;
  /**
   * Tokens written, reasoning included.
   */
  output: number;
}
/**
 * A failure as it stands in `run.json`, events and JSON-RPC answers.
 */
export interface ErrorInfo {
  error_code: ErrorCode;
  /**
   * What happened and what it means.
   */
  message: string;
  /**
   * What to do about it.
   */
  hint?: string | null;
  /**
   * Whether the same call may succeed later.
   */
  retryable: boolean;
  /**
   * Facts for a closer look.
   */
  context: {
    [k: string]: unknown;
  };
  /**
   * The underlying failure in its own words.
   */
  cause?: string | null;
}
/**
 * Names an agent to be asked a line.
 */
export interface AgentCheckParams {
  /**
   * The agent.
   */
  name: string;
  /**
   * The model to ask for; the configured or the agent's own one if absent.
   */
  model?: string | null;
}
/**
 * Reads a piece of the interface's own state.
 */
export interface StateKey {
  /**
   * Its name.
   */
  key: string;
}
/**
 * A piece of the interface's own state (theme, panes, the last change), kept by the core over restarts.
 */
export interface StateEntry {
  /**
   * Its name.
   */
  key: string;
  /**
   * JSON text; none if it was never set.
   */
  value?: string | null;
}
/**
 * Nothing to say beyond success.
 */
export interface Done {}
/**
 * Names a change of a repository.
 */
export interface ChangeParams {
  /**
   * The repository's path.
   */
  repo: string;
  target: Target;
  /**
   * A commit whose review is known: only what changed since is sent.
   */
  since?: string | null;
  /**
   * The review to look at it with; its latest if absent.
   */
  review_id?: string | null;
}
/**
 * An opened change. Lines come by `change.hunks`.
 */
export interface ChangeView {
  /**
   * Names the opened change in later calls.
   */
  change_id: string;
  /**
   * For people.
   */
  title: string;
  target: Target;
  /**
   * SHA-256 of the raw diff: equal content, equal value.
   */
  fingerprint: string;
  /**
   * Abbreviated base commit.
   */
  base?: string | null;
  /**
   * Abbreviated head commit.
   */
  head?: string | null;
  /**
   * Added lines.
   */
  added: number;
  /**
   * Removed lines.
   */
  removed: number;
  /**
   * The files, ordered by their worth to a reviewer.
   */
  files: FileView[];
  /**
   * Whether whole files can be shown: there is a repository that has them.
   */
  whole_files: boolean;
  first: HunkPage;
  /**
   * The latest review of this change that was kept.
   */
  review?: ReviewView | null;
  /**
   * What is known of the merge request, if it is one.
   */
  request?: RequestView | null;
  /**
   * Runs of this change that were cut off (program ended, machine stopped), latest first.
   */
  interrupted: RunItem[];
  /**
   * What its repository wants that takes trust; none if it wants nothing.
   */
  trust?: TrustView | null;
}
/**
 * A file of a change.
 */
export interface FileView {
  /**
   * The path now; of a deleted file the old one.
   */
  path: string;
  /**
   * The path before, if it differs.
   */
  old_path?: string | null;
  /**
   * `added`, `deleted`, `modified`, `renamed`, `copied`, `type_changed`, `unmerged`.
   */
  status: string;
  /**
   * For people: `mode 100644 → 100755`, `symlink`, `submodule a1b2 → c3d4`, `binary`, `92 % similar`; often empty.
   */
  notes: string[];
  /**
   * Added lines.
   */
  added: number;
  /**
   * Removed lines.
   */
  removed: number;
  /**
   * Number of hunks.
   */
  hunks: number;
  /**
   * Lines in all hunks.
   */
  lines: number;
  /**
   * Whether it has no lines because its content is binary.
   */
  binary: boolean;
  /**
   * Why it is not sent to an agent, if it is not.
   */
  ignored?: string | null;
  /**
   * Whether it is a picture that can be shown.
   */
  image: boolean;
  /**
   * Indices of the hunks that the reviewer has seen, in this round or an earlier one; 0 for a file without hunks.
   */
  viewed: number[];
}
/**
 * Some hunks, in the files' order.
 */
export interface HunkPage {
  /**
   * Hunks or parts of hunks.
   */
  parts: HunkPart[];
  /**
   * Where the next page starts; none at the end.
   */
  next?: PageCursor | null;
}
/**
 * A hunk, or part of one.
 */
export interface HunkPart {
  /**
   * Index into `ChangeView.files`.
   */
  file: number;
  /**
   * Index of the hunk in the file.
   */
  hunk: number;
  /**
   * Index of the first line here in the hunk; 0 for its beginning.
   */
  first_line: number;
  /**
   * The header: `@@ -1,4 +1,6 @@ fn main()`.
   */
  header: string;
  /**
   * Number of the first line here on the old side.
   */
  old_start: number;
  /**
   * Number of the first line here on the new side.
   */
  new_start: number;
  /**
   * One character per line: ` ` context, `+` added, `-` removed; and `!` behind each line that ends its file
   * without a line feed.
   */
  kinds: string;
  /**
   * The lines' text, in order. Bytes that are not UTF-8 are shown as U+FFFD.
   */
  lines: string[];
}
/**
 * A place in the flat list of files, hunks and lines.
 */
export interface PageCursor {
  /**
   * Index into `ChangeView.files`.
   */
  file: number;
  /**
   * Index of the hunk in the file.
   */
  hunk: number;
  /**
   * Index of the line in the hunk.
   */
  line: number;
}
/**
 * A kept review with what the reviewer decided.
 */
export interface ReviewView {
  /**
   * Names the review in later calls.
   */
  review_id: string;
  /**
   * When it was made, RFC 3339.
   */
  created_at: string;
  /**
   * Whether a later review of the same change is kept.
   */
  earlier: boolean;
  /**
   * Whether the change has changed since: its fingerprint is another one now.
   */
  outdated: boolean;
  /**
   * The summary, as Markdown.
   */
  summary_markdown: string;
  /**
   * The findings, worst first.
   */
  findings: FindingView[];
  meta: ReviewMeta;
  /**
   * Where its artifacts are.
   */
  run_dir: string;
  /**
   * Tokens, if the agent reported them.
   */
  tokens?: TokenUsage | null;
  /**
   * How many secrets were masked.
   */
  masked: number;
  /**
   * How many files were cut or partly cut.
   */
  cut_files: number;
}
/**
 * A finding with what the reviewer decided.
 */
export interface FindingView {
  finding: Finding;
  /**
   * Index into `ChangeView.files` of its file, if it is one of them.
   */
  file?: number | null;
  decision: Decision;
  /**
   * Why, if the reviewer said so.
   */
  reason?: string | null;
  /**
   * The fix, where its suggested patch stands in the work tree.
   */
  applied?: number | null;
}
/**
 * A finding with its place.
 */
export interface Finding {
  /**
   * Identifies the finding over rounds, rebases, edits and postings. Files of earlier versions have a number here, `f1`, which is
   * replaced when they are read.
   */
  key: string;
  /**
   * The agent's own name for it.
   */
  finding_id?: string | null;
  severity: Severity;
  category: Category;
  /**
   * The file, relative to the repository's root.
   */
  path: string;
  /**
   * First line meant, from 1.
   */
  line_start: number;
  /**
   * Last line meant, from 1.
   */
  line_end: number;
  /**
   * A headline.
   */
  title?: string | null;
  /**
   * The remark, as Markdown.
   */
  body_markdown: string;
  /**
   * Which side the lines are on; `new` if absent.
   */
  side?: Side | null;
  /**
   * The exact code meant.
   */
  quote?: string | null;
  /**
   * How sure the agent is, 0 to 1.
   */
  confidence?: number | null;
  /**
   * A fix.
   */
  suggested_patch?: SuggestedPatch | null;
  anchor: Anchor;
  /**
   * Who found it: the agents' names.
   */
  sources: string[];
  verdict?: Verdict;
  /**
   * What was searched for.
   */
  claims?: Claim[];
  /**
   * From the code meant to what it reaches, where the capability reviewer followed it.
   */
  chain?: ChainHop[];
  /**
   * The suggested patch, where it applies.
   */
  fix?: Fix | null;
  /**
   * The code that it sits on, as a digest: how many lines, and of what. What was decided holds as long as that stands.
   */
  code?: string | null;
  /**
   * What was said before the reviewer edited it; none if it was not edited.
   */
  original?: AgentFinding | null;
}
/**
 * A proposed fix.
 */
export interface SuggestedPatch {
  format: PatchFormat;
  /**
   * The patch text.
   */
  content: string;
}
/**
 * Where a finding sits.
 */
export interface Anchor {
  state: AnchorState;
  /**
   * The file's path as the change writes it (repaired if need be); as the agent wrote it if unplaced.
   */
  path: string;
  side: Side;
  /**
   * First line, from 1; none for a file or unplaced anchor.
   */
  line_start?: number | null;
  /**
   * Last line, from 1.
   */
  line_end?: number | null;
  /**
   * Whether the last line is one of the lines the change shows.
   */
  in_change: boolean;
  /**
   * What was repaired or could not be, for the reviewer.
   */
  notes?: string[];
}
/**
 * Something that a finding says of the code and that a search can check.
 */
export interface Claim {
  /**
   * What is said: `parse` is never called.
   */
  claim: string;
  verdict: Verdict;
  /**
   * Where.
   */
  evidence?: Evidence | null;
}
/**
 * A place that bears something out, or speaks against it.
 */
export interface Evidence {
  /**
   * The file.
   */
  path: string;
  /**
   * The line, from 1.
   */
  line: number;
  /**
   * Its text, masked.
   */
  text: string;
}
/**
 * A place on the way from a use to what it reaches.
 */
export interface ChainHop {
  /**
   * What is used there: `notificationClient.sendRefundNotice`.
   */
  symbol: string;
  /**
   * The file.
   */
  path: string;
  /**
   * The line, from 1, of the new side.
   */
  line: number;
  /**
   * Its text, masked.
   */
  text: string;
}
/**
 * A suggested patch that applies to the head exactly, as its edits from top to bottom.
 */
export interface Fix {
  /**
   * The file.
   */
  path: string;
  /**
   * The edits; no two touch the same line.
   */
  edits: Edit[];
}
/**
 * Lines that are replaced by others.
 */
export interface Edit {
  /**
   * First line that goes, from 1; where none goes, the line before which the text comes.
   */
  line_start: number;
  /**
   * How many lines go.
   */
  lines: number;
  /**
   * What comes, each line with its end.
   */
  text: string;
}
/**
 * One remark as an agent answers it.
 */
export interface AgentFinding {
  /**
   * The agent's own name for it.
   */
  finding_id?: string | null;
  severity: Severity;
  category: Category;
  /**
   * The file, relative to the repository's root.
   */
  path: string;
  /**
   * First line meant, from 1.
   */
  line_start: number;
  /**
   * Last line meant, from 1.
   */
  line_end: number;
  /**
   * A headline.
   */
  title?: string | null;
  /**
   * The remark, as Markdown.
   */
  body_markdown: string;
  /**
   * Which side the lines are on; `new` if absent.
   */
  side?: Side | null;
  /**
   * The exact code meant.
   */
  quote?: string | null;
  /**
   * How sure the agent is, 0 to 1.
   */
  confidence?: number | null;
  /**
   * A fix.
   */
  suggested_patch?: SuggestedPatch | null;
}
/**
 * What a review stands on.
 */
export interface ReviewMeta {
  fingerprint: Fingerprint;
  /**
   * Which agents answered, joined by commas.
   */
  agent: string;
  /**
   * How each of them did, those that failed among them.
   */
  agents?: AgentResult[];
  /**
   * Which model it was asked to use, if one was named.
   */
  model?: string | null;
  timings: Timings;
  /**
   * What the agents reported, if they did.
   */
  token_usage?: TokenUsage | null;
  /**
   * What they say that it cost, in US dollars.
   */
  cost_usd?: number | null;
  /**
   * Whether the agent saw less than the whole change.
   */
  truncated: boolean;
  /**
   * Whether secrets were masked.
   */
  redaction_found: boolean;
  /**
   * The base commit, if there is one.
   */
  base_sha?: string | null;
  /**
   * The head commit, if there is one.
   */
  head_sha?: string | null;
  /**
   * What was and was not looked at, in a sentence.
   */
  coverage: string;
  /**
   * Which attempt was accepted, from 1.
   */
  attempts: number;
  /**
   * In how many parts the change was reviewed.
   */
  batches: number;
  /**
   * How the answer was read (`strict`, `fenced`, `recovered`, …).
   */
  read_as: string;
}
/**
 * A digest of the raw diff text: equal content gives an equal fingerprint on every machine.
 */
export interface Fingerprint {
  /**
   * Always `sha256`.
   */
  algo: string;
  /**
   * Lower-case hex.
   */
  value: string;
}
/**
 * How one agent did.
 */
export interface AgentResult {
  /**
   * The agent.
   */
  name: string;
  /**
   * Which model it was asked to use, if one was named.
   */
  model?: string | null;
  /**
   * How many findings it had; none if it failed.
   */
  findings?: number | null;
  /**
   * Which attempt was accepted, from 1.
   */
  attempts: number;
  /**
   * What it reported, if it did.
   */
  token_usage?: TokenUsage | null;
  /**
   * What it says that it cost, in US dollars.
   */
  cost_usd?: number | null;
  /**
   * Why it failed, in words.
   */
  error?: string | null;
}
/**
 * Milliseconds that the parts of a run took.
 */
export interface Timings {
  /**
   * Reading the change.
   */
  fetch_ms: number;
  /**
   * Preparing it.
   */
  prepare_ms: number;
  /**
   * All attempts of the agent.
   */
  agent_ms: number;
  /**
   * Everything.
   */
  total_ms: number;
}
/**
 * What is known of an opened merge request.
 */
export interface RequestView {
  /**
   * The GitLab's address.
   */
  base: string;
  /**
   * Its number in the project.
   */
  iid: number;
  /**
   * Its headline.
   */
  title: string;
  /**
   * `opened`, `closed`, `merged`, `locked`.
   */
  state: string;
  /**
   * Who made it.
   */
  author?: string | null;
  /**
   * The branch that is merged.
   */
  source_branch: string;
  /**
   * The branch that it goes into.
   */
  target_branch: string;
  /**
   * Its page.
   */
  web_url?: string | null;
  /**
   * Whose token reads and posts.
   */
  me?: string | null;
  /**
   * The commit that is looked at and approved: its head when it was opened.
   */
  head: string;
  /**
   * Whether its head moved since it was opened.
   */
  moved: boolean;
  /**
   * Whether the token's user approved it; none where that is not known.
   */
  approved?: boolean | null;
  /**
   * Whether whole files are at hand, and why not.
   */
  note?: string | null;
  /**
   * Its threads, oldest first.
   */
  threads: ThreadView[];
  /**
   * A posting that was cut off.
   */
  interrupted?: InterruptedPosting | null;
}
/**
 * A thread.
 */
export interface ThreadView {
  /**
   * Its name.
   */
  id: string;
  /**
   * Index into `ChangeView.files` of its file, if it is on one of them as it is now.
   */
  file?: number | null;
  /**
   * The file as GitLab names it; none of a general comment.
   */
  path?: string | null;
  side: Side;
  /**
   * Its line, if it is on one of the diff that is shown.
   */
  line?: number | null;
  /**
   * Whether it is about an earlier state of the diff.
   */
  outdated: boolean;
  /**
   * Whether it can be resolved.
   */
  resolvable: boolean;
  /**
   * Whether it is.
   */
  resolved: boolean;
  /**
   * Whether diffsan posted it.
   */
  own: boolean;
  /**
   * The key of the finding of the shown review that it is about.
   */
  finding?: string | null;
  /**
   * The status of its code, where that is known.
   */
  code_status?: CodeStatus | null;
  /**
   * Whether resolving it is proposed: its code was edited, the latest review does not find it again, and nobody answered.
   */
  offered: boolean;
  /**
   * Its comments, oldest first.
   */
  notes: NoteView[];
}
/**
 * A comment.
 */
export interface NoteView {
  /**
   * Its number.
   */
  id: number;
  /**
   * Who wrote it.
   */
  author: string;
  /**
   * What it says, without marks.
   */
  body: string;
  /**
   * When, RFC 3339.
   */
  created_at?: string | null;
}
/**
 * A posting that was cut off.
 */
export interface InterruptedPosting {
  /**
   * When it began, RFC 3339.
   */
  begun_at: string;
  /**
   * The review that it posts, if that is kept.
   */
  review_id?: string | null;
  /**
   * How many pieces it had.
   */
  pieces: number;
  /**
   * How many of them are known to have landed.
   */
  landed: number;
}
/**
 * A run that did not finish.
 */
export interface RunItem {
  /**
   * The run.
   */
  run_id: string;
  /**
   * Who reviewed.
   */
  agent: string;
  /**
   * When it began, RFC 3339.
   */
  started_at: string;
  /**
   * Its folder.
   */
  run_dir: string;
  /**
   * How many answers it has already.
   */
  answers: number;
}
/**
 * What a repository wants, and whether that counts.
 */
export interface TrustView {
  /**
   * The repository as it is remembered.
   */
  repository: string;
  stand: TrustStand;
  /**
   * Where its settings were read.
   */
  place: string;
  /**
   * Names exactly this.
   */
  digest: string;
  /**
   * Settings.
   */
  settings: WantedSetting[];
  /**
   * Files.
   */
  files: WantedText[];
  /**
   * Files in the repository that the settings name; no text of those that have none.
   */
  named: WantedText[];
  /**
   * Whether an agent is to be started inside it.
   */
  starts_inside: boolean;
  /**
   * Files there that lead agents or make them run something.
   */
  room: string[];
  /**
   * What was passed over, and why.
   */
  notes: string[];
}
/**
 * A setting that takes trust.
 */
export interface WantedSetting {
  /**
   * The key.
   */
  key: string;
  /**
   * The value, as TOML.
   */
  value: string;
  meaning: SettingEffect;
  /**
   * The same in plain words.
   */
  words: string;
}
/**
 * A file that takes trust.
 */
export interface WantedText {
  /**
   * Its path.
   */
  path: string;
  /**
   * Its text.
   */
  text: string;
}
/**
 * Asks for the next hunks.
 */
export interface HunksParams {
  /**
   * The opened change.
   */
  change_id: string;
  from: PageCursor;
  /**
   * About how many lines to send (whole hunks are cut at this number, so a page may hold part of one).
   */
  max_lines: number;
}
/**
 * Asks for colours.
 */
export interface HighlightParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Index into `ChangeView.files`.
   */
  file: number;
  /**
   * Index of the hunk.
   */
  hunk: number;
  /**
   * Index of the first line in the hunk.
   */
  first_line: number;
  /**
   * How many lines.
   */
  count: number;
}
/**
 * Colours of lines.
 */
export interface HighlightView {
  /**
   * For each line a flat list `[length, class, length, class, …]` in UTF-16 units that covers the line from its
   * start; classes index `HighlightView.classes`. Lines that have no colours are empty.
   */
  lines: number[][];
  /**
   * Names for CSS: ``, `keyword`, `string`, `comment`, `number`, `function`, `type`, `constant`, `variable`,
   * `operator`, `punctuation`, `tag`, `attribute`, `heading`, `escape`.
   */
  classes: string[];
}
/**
 * Names an opened change.
 */
export interface ChangeIdParams {
  /**
   * The opened change.
   */
  change_id: string;
}
/**
 * What would be sent.
 */
export interface PreparedView {
  truncation: TruncationReport;
  redaction: RedactionReport;
  /**
   * What was ignored.
   */
  ignored: IgnoredFile[];
  coverage: CoverageMap;
  /**
   * What the reviewer said is no secret in this repository.
   */
  allowed: AllowedValue[];
}
/**
 * What was cut to fit the budget. Whatever is dropped is named here.
 */
export interface TruncationReport {
  /**
   * Whether anything was cut.
   */
  truncated: boolean;
  /**
   * Characters of the change before the cut (ignored files not counted).
   */
  original_chars: number;
  /**
   * Characters of the prepared diff.
   */
  final_chars: number;
  /**
   * Files before the cut.
   */
  original_files: number;
  /**
   * Files in the prepared diff.
   */
  final_files: number;
  /**
   * Every dropped file and hunk.
   */
  items: TruncationItem[];
}
/**
 * One thing that was cut.
 */
export interface TruncationItem {
  kind: TruncationKind;
  /**
   * The file it belongs to.
   */
  path: string;
  /**
   * Which lines, and which limit cut it.
   */
  details: string;
}
/**
 * What was masked in a run.
 */
export interface RedactionReport {
  /**
   * Whether the engine ran.
   */
  enabled: boolean;
  /**
   * Whether it found anything.
   */
  found: boolean;
  /**
   * Every place; never the secret.
   */
  matches: RedactionMatch[];
  /**
   * How many more there were in a text of more than anybody reads.
   */
  unlisted?: number;
  /**
   * What stands in the place of a secret in contract fields.
   */
  redaction_token: string;
}
/**
 * One masked place.
 */
export interface RedactionMatch {
  /**
   * The rule that found it.
   */
  pattern_name: string;
  /**
   * The file (or `commit message`, `path`, `prompt`, `agent output`, …).
   */
  path: string;
  /**
   * The line, where there is one: of the file's new side (old side for a removed line), else of the text.
   */
  line_hint?: number | null;
  /**
   * Hex HMAC-SHA-256 of the secret under this installation's key: a plain digest could be guessed.
   */
  match_sha256: string;
  /**
   * The secret's length in bytes.
   */
  match_length: number;
}
/**
 * An ignored file.
 */
export interface IgnoredFile {
  /**
   * The file.
   */
  path: string;
  reason: IgnoreReason;
  /**
   * The glob, attribute, name or marker that decided.
   */
  details: string;
}
/**
 * What of the change the agent sees, for every line of it.
 */
export interface CoverageMap {
  /**
   * One sentence: `18 of 21 files, 94 % of changed lines sent; 2 files cut, 1 ignored`.
   */
  summary: string;
  /**
   * Every file of the change, in the change's order.
   */
  files: FileCoverage[];
}
/**
 * The fate of one file.
 */
export interface FileCoverage {
  /**
   * The file.
   */
  path: string;
  state: Coverage;
  /**
   * Its hunks, in the change's order.
   */
  hunks: HunkCoverage[];
}
/**
 * The fate of one hunk's lines, in order.
 */
export interface HunkCoverage {
  /**
   * The hunk's first line on the old side.
   */
  old_start: number;
  /**
   * The hunk's first line on the new side.
   */
  new_start: number;
  /**
   * Runs that add up to the hunk's lines.
   */
  runs: CoverageRun[];
}
/**
 * A run of lines with the same fate.
 */
export interface CoverageRun {
  state: Coverage;
  /**
   * How many lines of the hunk, in its order.
   */
  lines: number;
}
/**
 * A value that is no secret.
 */
export interface AllowedValue {
  /**
   * Its keyed digest, as reports have it.
   */
  value: string;
  /**
   * The rule that took it for a secret.
   */
  rule: string;
  /**
   * Where it was seen.
   */
  place: string;
}
/**
 * Says that a value is no secret in the change's repository, or takes that back. Open the change again to see it so.
 */
export interface AllowParams {
  /**
   * The opened change.
   */
  change_id: string;
  secret: AllowedValue;
  /**
   * Whether it is let through.
   */
  allowed: boolean;
}
/**
 * A text to try masking on.
 */
export interface TryParams {
  /**
   * The opened change whose settings hold; the user's own if absent.
   */
  change_id?: string | null;
  /**
   * The file that it would be in.
   */
  path?: string;
  /**
   * The text.
   */
  text: string;
}
/**
 * What became of it.
 */
export interface TriedView {
  /**
   * The text as it would leave.
   */
  text: string;
  redaction: RedactionReport;
}
/**
 * Asks for the exact prompt.
 */
export interface PromptParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The agent that it is for; the configured one if absent.
   */
  agent?: string | null;
  /**
   * The model to ask for; the configured or the agent's own one if absent.
   */
  model?: string | null;
  /**
   * What this review adds to the instructions.
   */
  instructions?: string | null;
  /**
   * The skills that were chosen for it; the configured ones if absent.
   */
  skills?: string[] | null;
  /**
   * Which part of a change that is sent in several, from 0.
   */
  batch?: number;
}
/**
 * The exact prompt.
 */
export interface PromptView {
  /**
   * The agent that it is for.
   */
  agent: string;
  /**
   * The text, masked as it will be sent.
   */
  text: string;
  /**
   * Its characters.
   */
  chars: number;
  /**
   * Its tokens, counted with a common tokenizer; an agent's own count differs a little.
   */
  tokens: number;
  /**
   * The model that will be asked for, if one is named.
   */
  model?: string | null;
  /**
   * What it would cost by the price table, in US dollars; none where the model or its price is not known.
   */
  cost_usd?: number | null;
  /**
   * Which part of the change it is for, from 0.
   */
  batch: number;
  /**
   * The parts, where the change is sent in several; else empty.
   */
  batches: BatchView[];
  /**
   * Where each prompt file came from.
   */
  sources: PromptSource[];
  /**
   * Names of the skills in it.
   */
  skills: string[];
  /**
   * Names of all skills that there are.
   */
  known_skills: string[];
  prepared: PreparedView;
}
/**
 * A part of a change that is sent by itself.
 */
export interface BatchView {
  /**
   * Its files, masked.
   */
  files: string[];
  /**
   * Characters of its diff.
   */
  chars: number;
  /**
   * Tokens of its diff.
   */
  tokens: number;
}
/**
 * Where a prompt file came from.
 */
export interface PromptSource {
  /**
   * The file's name, `system.md`.
   */
  name: string;
  /**
   * Its path, or `built in`.
   */
  place: string;
}
/**
 * Names a run.
 */
export interface RunParams {
  /**
   * The run.
   */
  run_id: string;
}
/**
 * Decides about findings.
 */
export interface DecideParams {
  /**
   * The review.
   */
  review_id: string;
  /**
   * The findings' ids.
   */
  findings: string[];
  decision: Decision;
  /**
   * Why.
   */
  reason?: string | null;
}
/**
 * Starts a review.
 */
export interface ReviewParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Which agents, side by side; the configured one if there are none.
   */
  agents?: string[];
  /**
   * Which model; the configured or the agent's own one if absent.
   */
  model?: string | null;
  /**
   * What this review adds to the instructions.
   */
  instructions?: string | null;
  /**
   * The skills that were chosen for it; the configured ones if absent.
   */
  skills?: string[] | null;
  /**
   * Review it even where the settings say to skip it.
   */
  anyway?: boolean;
  /**
   * A run that was cut off and is gone on with: its agents, model and instructions hold, and its answers as far as they are still valid.
   */
  resume?: string | null;
}
/**
 * Asks for the merge requests of a repository's remote.
 */
export interface RequestsParams {
  /**
   * The repository's path.
   */
  repo: string;
}
/**
 * The latest open merge requests.
 */
export interface RequestList {
  /**
   * Latest first.
   */
  items: RequestItem[];
}
/**
 * A merge request that can be opened.
 */
export interface RequestItem {
  target: Target;
  /**
   * Its number in the project.
   */
  iid: number;
  /**
   * What the token's user has to do with it: `reviewer`, `assigned`, `mine`.
   */
  relation?: string | null;
  /**
   * Its headline.
   */
  title: string;
  /**
   * Who made it.
   */
  author?: string | null;
  /**
   * The branch that is merged.
   */
  source_branch: string;
  /**
   * The branch that it goes into.
   */
  target_branch: string;
  /**
   * When something about it changed, RFC 3339.
   */
  updated_at?: string | null;
}
/**
 * Names a merge request as people write it.
 */
export interface FindRequestParams {
  /**
   * The repository's path; its remotes tell the project where it is not named.
   */
  repo: string;
  /**
   * An address, `group/project!7`, `!7`.
   */
  text: string;
}
/**
 * A merge request that was named.
 */
export interface FoundRequest {
  target: Target;
  /**
   * A clone of its project that was opened before.
   */
  repo?: string | null;
}
/**
 * Answers in a thread.
 */
export interface ReplyParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The thread.
   */
  thread: string;
  /**
   * What to say.
   */
  body: string;
}
/**
 * Resolves a thread, or opens it again.
 */
export interface ResolveParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The thread.
   */
  thread: string;
  /**
   * Which of both.
   */
  resolved: boolean;
}
/**
 * Approves a merge request, or takes that back.
 */
export interface ApproveParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Which of both.
   */
  approve: boolean;
}
/**
 * Plans a posting.
 */
export interface PlanParams {
  /**
   * The opened change, a merge request.
   */
  change_id: string;
  /**
   * The review.
   */
  review_id: string;
  /**
   * The findings that are posted.
   */
  chosen: ChosenFinding[];
  /**
   * Whether the summary is posted.
   */
  summary: boolean;
}
/**
 * A finding that is to be posted.
 */
export interface ChosenFinding {
  /**
   * Its key.
   */
  finding: string;
  /**
   * The remark in the reviewer's own words, in place of the agent's.
   */
  body?: string | null;
}
/**
 * What would be posted, exactly as it would land.
 */
export interface PlanView {
  /**
   * Names the plan in `post.start`.
   */
  plan_id: string;
  /**
   * The pieces, the summary last.
   */
  pieces: PieceView[];
}
/**
 * A piece of a posting.
 */
export interface PieceView {
  /**
   * Its key; `summary` for the summary.
   */
  key: string;
  /**
   * The key of its finding. None for the summary.
   */
  finding?: string | null;
  /**
   * Its headline.
   */
  title: string;
  /**
   * Its severity's name; empty for the summary.
   */
  severity: string;
  /**
   * Where it is, for people.
   */
  place: string;
  lands: Lands;
  /**
   * Its text as it is sent, marks left out.
   */
  body: string;
  /**
   * Whether it has a suggestion that can be applied with a click.
   */
  suggestion: boolean;
  /**
   * The lines that the suggestion replaces, as they are; empty where there is none.
   */
  replaced: string[];
  /**
   * What could not be as it was meant, and why.
   */
  notes: string[];
  /**
   * Whether it is there already.
   */
  there: boolean;
}
/**
 * Names an opened change and a review.
 */
export interface ReanchorParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The review.
   */
  review_id: string;
}
/**
 * Posts a plan.
 */
export interface PostParams {
  /**
   * The plan as it was shown.
   */
  plan_id: string;
  /**
   * Whether a finding whose line GitLab refuses goes to its file, or into the summary.
   */
  degrade?: boolean;
}
/**
 * How one piece ended.
 */
export interface ItemResult {
  /**
   * The key of its finding; `summary` for the summary.
   */
  key: string;
  /**
   * Its headline.
   */
  title: string;
  state: ItemState;
  /**
   * Where it is to be seen.
   */
  url?: string | null;
  /**
   * Why it failed.
   */
  error?: ErrorInfo | null;
}
/**
 * How a posting ended.
 */
export interface PostOutcome {
  /**
   * Whether everything is there.
   */
  complete: boolean;
  way: DeliveryMethod;
  /**
   * The pieces, the summary last.
   */
  items: ItemResult[];
  /**
   * Why it stopped before its end.
   */
  error?: ErrorInfo | null;
}
/**
 * What was chosen, and why.
 */
export interface DeliveryMethod {
  /**
   * Whether comments are drafts first.
   */
  drafts: boolean;
  /**
   * Whether they are published together.
   */
  together: boolean;
  /**
   * Whether the summary is published with them.
   */
  summary_along?: boolean;
  /**
   * Why, for people.
   */
  reason: string;
}
/**
 * Keeps a secret.
 */
export interface SecretParams {
  /**
   * A GitLab's address, or `key:VARIABLE`.
   */
  name: string;
  /**
   * The secret. It goes in and never comes out again.
   */
  value: string;
  /**
   * Whether it is kept only until the program ends.
   */
  session_only?: boolean;
}
/**
 * Names a secret, or a GitLab by its address.
 */
export interface SecretNameParams {
  /**
   * The name.
   */
  name: string;
}
/**
 * The secrets that were kept.
 */
export interface SecretList {
  /**
   * By name.
   */
  items: SecretView[];
}
/**
 * A secret that was kept.
 */
export interface SecretView {
  /**
   * Its name.
   */
  name: string;
  /**
   * Whether it is still there.
   */
  there: boolean;
}
/**
 * What a token is good for.
 */
export interface TokenView {
  /**
   * Whose it is.
   */
  username: string;
  /**
   * What it may, where that is told.
   */
  scopes?: string[] | null;
  /**
   * When it ends, where that is told.
   */
  expires_at?: string | null;
  /**
   * Whether it is enough to post, where that is told.
   */
  can_post?: boolean | null;
  /**
   * Where it was found, for people.
   */
  place: string;
}
/**
 * The prompt files in force.
 */
export interface PromptFilesView {
  /**
   * In the order in which they are shown.
   */
  files: PromptFileView[];
}
/**
 * A prompt file in force.
 */
export interface PromptFileView {
  /**
   * `system.md`
   */
  name: string;
  /**
   * Its path; none if it is built in.
   */
  path?: string | null;
  /**
   * Its text.
   */
  text: string;
}
/**
 * The user's own text of a prompt file.
 */
export interface PromptFileParams {
  /**
   * `system.md`
   */
  name: string;
  /**
   * None goes back to the built-in one.
   */
  text?: string | null;
}
/**
 * Asks for what a run sent: of a review, or of a run that gave none.
 */
export interface SentParams {
  /**
   * The review.
   */
  review_id?: string | null;
  /**
   * The run.
   */
  run_id?: string | null;
  /**
   * Which of its prompts is to be read, from 0.
   */
  prompt?: number;
}
/**
 * What a run sent.
 */
export interface SentView {
  /**
   * Its prompts, in the order of agents, parts and attempts; none where nothing was sent.
   */
  prompts: SentPromptView[];
  /**
   * Which of them this is, from 0.
   */
  prompt: number;
  /**
   * Its text, as it was sent.
   */
  text: string;
  /**
   * Its characters.
   */
  chars: number;
  /**
   * Its tokens, counted with a common tokenizer.
   */
  tokens: number;
  /**
   * When the run began, RFC 3339.
   */
  started_at: string;
  /**
   * What the review added to the instructions.
   */
  instructions?: string | null;
  /**
   * Where it is kept.
   */
  run_dir: string;
}
/**
 * A prompt that was sent.
 */
export interface SentPromptView {
  /**
   * The agent's name.
   */
  agent: string;
  /**
   * Which part of the change, from 1.
   */
  part: number;
  /**
   * Which attempt, from 1; later ones say what was wrong with the answer before.
   */
  attempt: number;
}
/**
 * The snippets in force.
 */
export interface SnippetsView {
  /**
   * In order.
   */
  snippets: SnippetView[];
  /**
   * Their file; none if they are built in.
   */
  path?: string | null;
  /**
   * What was skipped, and why.
   */
  notices: string[];
}
/**
 * A message that a button puts into the input.
 */
export interface SnippetView {
  /**
   * What stands on the button.
   */
  icon: string;
  /**
   * What it is for.
   */
  tooltip: string;
  /**
   * The text.
   */
  message: string;
}
/**
 * The user's own snippets.
 */
export interface SnippetsParams {
  /**
   * None goes back to the built-in ones.
   */
  snippets?: SnippetView[] | null;
}
/**
 * A file's text.
 */
export interface ImportParams {
  /**
   * The text.
   */
  text: string;
}
/**
 * Whose settings.
 */
export interface SettingsParams {
  /**
   * An opened change's.
   */
  change_id?: string | null;
  /**
   * Else a repository's, by its path; the user's alone where neither is named.
   */
  repo?: string | null;
}
/**
 * The settings as they hold.
 */
export interface SettingsView {
  /**
   * The user's file.
   */
  file: string;
  /**
   * Whether it is there.
   */
  there: boolean;
  /**
   * Names the file as it is now; changes say which one they are of.
   */
  stamp: string;
  /**
   * Every setting.
   */
  entries: SettingView[];
  /**
   * What the repository wants beyond what counts; none if it wants nothing.
   */
  trust?: TrustView | null;
}
/**
 * A setting.
 */
export interface SettingView {
  /**
   * Its key.
   */
  key: string;
  /**
   * What it is for.
   */
  about: string;
  kind: SettingKind;
  /**
   * What it is.
   */
  value: {
    [k: string]: unknown;
  };
  /**
   * The same as TOML.
   */
  toml: string;
  /**
   * What it is unless set.
   */
  default?: {
    [k: string]: unknown;
  };
  origin: SettingOrigin;
  /**
   * The file or variable, where there is one.
   */
  place?: string | null;
  /**
   * What the user's own file says.
   */
  own?: {
    [k: string]: unknown;
  };
  /**
   * Whether something in it was masked: then it can be replaced but not edited.
   */
  masked: boolean;
}
/**
 * One of a few texts.
 */
export interface SettingChoice {
  /**
   * It.
   */
  value: string;
  /**
   * What it means; empty where the name says it.
   */
  about: string;
}
/**
 * Changes of the user's own settings, all or none.
 */
export interface SettingsChangeParams {
  /**
   * An opened change's.
   */
  change_id?: string | null;
  /**
   * Else a repository's, by its path; the user's alone where neither is named.
   */
  repo?: string | null;
  /**
   * The file as it was shown; none takes it as it is.
   */
  stamp?: string | null;
  /**
   * They.
   */
  changes: SettingChange[];
}
/**
 * A change of a setting.
 */
export interface SettingChange {
  /**
   * Its key.
   */
  key: string;
  /**
   * What it is to be.
   */
  value?: {
    [k: string]: unknown;
  };
  /**
   * The same as TOML, in place of `value`. Neither: back to what counts without it.
   */
  toml?: string | null;
}
/**
 * Limits to try.
 */
export interface LimitsParams {
  /**
   * The change.
   */
  change_id: string;
  limits: Limits;
}
/**
 * The budget of one prompt. A limit of 0 is none.
 */
export interface Limits {
  strategy: Strategy;
  /**
   * Characters of the prepared diff.
   */
  max_diff_chars: number;
  /**
   * Tokens of the prepared diff, counted with a common tokenizer.
   */
  max_diff_tokens: number;
  /**
   * Files of the prepared diff.
   */
  max_files: number;
  /**
   * Hunks kept of each file; of no account where nothing is left out.
   */
  max_hunks_per_file: number;
  /**
   * Lines shown around each change.
   */
  context_lines: number;
  context: Context;
}
/**
 * What would be sent with them.
 */
export interface LimitsPreview {
  /**
   * Files that would be sent.
   */
  files: number;
  /**
   * Files of the change.
   */
  files_of: number;
  /**
   * Characters.
   */
  chars: number;
  /**
   * Tokens, counted with a common tokenizer.
   */
  tokens: number;
  /**
   * Prompts.
   */
  parts: number;
  /**
   * What would be left out.
   */
  cut: CutItem[];
  /**
   * How many files are ignored, whatever the limits are.
   */
  ignored: number;
  /**
   * A line about what is covered.
   */
  summary: string;
}
/**
 * Something that is left out.
 */
export interface CutItem {
  /**
   * The file.
   */
  path: string;
  /**
   * What of it.
   */
  details: string;
}
/**
 * Trusts what was shown.
 */
export interface TrustParams {
  /**
   * The change in which it was shown.
   */
  change_id: string;
  /**
   * What was shown.
   */
  digest: string;
}
/**
 * Names a trusted repository.
 */
export interface DistrustParams {
  /**
   * As it is listed.
   */
  repository: string;
}
/**
 * The trusted repositories.
 */
export interface TrustList {
  /**
   * They.
   */
  items: TrustItem[];
}
/**
 * A trusted repository.
 */
export interface TrustItem {
  /**
   * Its path, or the address of its project.
   */
  repository: string;
  /**
   * When that was said last.
   */
  given_at: string;
  /**
   * The settings and files that it is trusted with.
   */
  with: string[];
}
/**
 * What is kept.
 */
export interface DataView {
  /**
   * The data folder.
   */
  folder: string;
  /**
   * The configuration folder.
   */
  config_folder: string;
  /**
   * What it is made of.
   */
  parts: DataPart[];
  /**
   * Reviews.
   */
  reviews: number;
  /**
   * Conversations.
   */
  conversations: number;
  /**
   * Run folders.
   */
  runs: number;
}
/**
 * A part of the data.
 */
export interface DataPart {
  /**
   * Its name for people.
   */
  title: string;
  /**
   * Bytes.
   */
  bytes: number;
}
/**
 * Removes data.
 */
export interface DataRemoveParams {
  what: DataKind;
  /**
   * Only what is older than so many days; all of it if absent.
   */
  older_than_days?: number | null;
}
/**
 * What was removed, and what is left.
 */
export interface DataRemoved {
  /**
   * Run folders.
   */
  runs: number;
  /**
   * Reviews.
   */
  reviews: number;
  /**
   * Conversations.
   */
  conversations: number;
  /**
   * Bytes.
   */
  bytes: number;
  left: DataView;
}
/**
 * Which review, and how it is written.
 */
export interface ExportParams {
  /**
   * The review.
   */
  review_id: string;
  /**
   * `json`, `markdown`, `html`, `sarif` or `code-quality`.
   */
  format: string;
}
/**
 * A document.
 */
export interface DocumentView {
  /**
   * What its file may be called.
   */
  name: string;
  /**
   * Its text.
   */
  text: string;
}
/**
 * Whether a change is another one by now.
 */
export interface MovedView {
  /**
   * Whether it is.
   */
  moved: boolean;
}
/**
 * A patch that came without a file.
 */
export interface PatchParams {
  /**
   * What it was called.
   */
  name: string;
  /**
   * Its text.
   */
  text: string;
}
/**
 * Where a patch was kept.
 */
export interface PatchView {
  /**
   * Its file.
   */
  path: string;
}
/**
 * A repository whose files, index or branches changed, as it is now.
 */
export interface RepoMoved {
  repo: RepoView;
  /**
   * Whether it is only looked at from time to time: there are too many folders to watch.
   */
  polling: boolean;
}
/**
 * Nothing.
 */
export interface LaunchParams {}
/**
 * What another start of the program, or a link, asks to be shown.
 */
export interface LaunchEvent {
  /**
   * The repository.
   */
  repo?: string | null;
  /**
   * The change.
   */
  target?: Target | null;
  /**
   * The change's name, for people.
   */
  title?: string | null;
  /**
   * The bundled sample.
   */
  sample: boolean;
  /**
   * Whether the reviewer is asked first: a link names a place that is not known.
   */
  ask: boolean;
  /**
   * Why it cannot be shown.
   */
  error?: ErrorInfo | null;
}
/**
 * The conversations about a change, latest first.
 */
export interface ConversationsView {
  /**
   * They.
   */
  conversations: ConversationItem[];
}
/**
 * A conversation.
 */
export interface ConversationItem {
  /**
   * Names it.
   */
  id: string;
  /**
   * How its first message begins; empty for a new one.
   */
  title: string;
  /**
   * Who was asked last; empty for the configured agent.
   */
  agent: string;
  /**
   * The model that was asked for last.
   */
  model?: string | null;
  /**
   * RFC 3339.
   */
  updated_at: string;
}
/**
 * Begins a conversation.
 */
export interface ChatBeginParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Who is asked; the configured agent if absent.
   */
  agent?: string | null;
  /**
   * The model to ask for.
   */
  model?: string | null;
}
/**
 * Names a conversation.
 */
export interface ChatParams {
  /**
   * It.
   */
  conversation_id: string;
}
/**
 * Names a conversation and its opened change.
 */
export interface ChatOfChangeParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The conversation.
   */
  conversation_id: string;
  /**
   * Who would be asked, if another.
   */
  agent?: string | null;
}
/**
 * The messages that would go out with the next one.
 */
export interface AssembledView {
  /**
   * In order.
   */
  messages: AssembledMessage[];
  /**
   * Of all of them.
   */
  tokens: number;
}
/**
 * A message as it goes out.
 */
export interface AssembledMessage {
  /**
   * `system`, `user`, `assistant`
   */
  role: string;
  /**
   * The exact text.
   */
  text: string;
}
/**
 * What stands for earlier messages.
 */
export interface CompactionView {
  /**
   * Names it.
   */
  id: number;
  /**
   * The last message that it stands for.
   */
  through: number;
  /**
   * The directive in the user's place.
   */
  intent: string;
  /**
   * The summary.
   */
  summary: string;
  /**
   * `agent`, `repaired`, `fallback`
   */
  how: string;
  /**
   * What was put right, or why there was nothing to go by.
   */
  notes: string[];
  /**
   * RFC 3339.
   */
  created_at: string;
}
/**
 * A message to be sent.
 */
export interface ChatSendParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The conversation.
   */
  conversation_id: string;
  /**
   * What was typed.
   */
  text: string;
  /**
   * What it is about; empty for the change.
   */
  attached?: About[];
  /**
   * Who is asked; else who was asked last.
   */
  agent?: string | null;
  /**
   * The model to ask for.
   */
  model?: string | null;
  /**
   * The message that it stands in the place of; what was said since is superseded, too.
   */
  replaces?: number | null;
  /**
   * With it the rules are said again, and this.
   */
  tip?: string | null;
}
/**
 * A message is on disk and on its way.
 */
export interface ChatSent {
  /**
   * The number of its answer.
   */
  number: number;
}
/**
 * An answer to a request for permission.
 */
export interface PermitParams {
  /**
   * The conversation.
   */
  conversation_id: string;
  /**
   * The request.
   */
  id: string;
  answer: PermitAnswer;
}
/**
 * A conversation, whole.
 */
export interface ChatView {
  conversation: ConversationItem;
  /**
   * Every message, also superseded ones.
   */
  messages: MessageView[];
  /**
   * What stands for earlier messages, oldest first.
   */
  compactions: CompactionView[];
  /**
   * Whether an answer is being written.
   */
  busy: boolean;
  /**
   * What the agent is doing.
   */
  step: string;
  /**
   * What it wants to be allowed.
   */
  permissions: PermissionView[];
}
/**
 * A message.
 */
export interface MessageView {
  /**
   * Its place in the conversation, from 1.
   */
  number: number;
  /**
   * `user`, `assistant`
   */
  role: string;
  /**
   * `done`, `streaming`, `stopped`, `failed`, `interrupted`
   */
  state: string;
  /**
   * Its text, masked.
   */
  text: string;
  /**
   * What it is about.
   */
  attached: About[];
  /**
   * Who answered, for people.
   */
  agent: string;
  /**
   * The model that was asked for.
   */
  model?: string | null;
  /**
   * Tokens of its request.
   */
  usage?: TokenUsage | null;
  /**
   * How many tokens the model holds.
   */
  limit?: number | null;
  /**
   * What was used.
   */
  tools: ToolView[];
  /**
   * Why it failed.
   */
  error?: ErrorInfo | null;
  /**
   * How long the answer took, in milliseconds.
   */
  milliseconds?: number | null;
  /**
   * Its fix blocks.
   */
  blocks: FixBlockView[];
  /**
   * Whether an edited message stands in its place.
   */
  superseded: boolean;
  /**
   * RFC 3339.
   */
  created_at: string;
}
/**
 * A tool that was used.
 */
export interface ToolView {
  /**
   * Names the call while it runs.
   */
  id: string;
  /**
   * For people.
   */
  title: string;
  /**
   * Whether it ended.
   */
  done: boolean;
}
/**
 * A fix block of a message.
 */
export interface FixBlockView {
  /**
   * The line of its fence in the message, from 0: names it.
   */
  line: number;
  /**
   * How many lines it has in the message, fences included.
   */
  lines: number;
  /**
   * The file.
   */
  path: string;
  /**
   * What is to go; empty to create the file.
   */
  old: string;
  /**
   * What comes in its place.
   */
  new: string;
  /**
   * Why it is no fix; none if it is one.
   */
  problem?: string | null;
  /**
   * The fix, where it is applied.
   */
  applied?: number | null;
}
/**
 * A request for permission.
 */
export interface PermissionView {
  /**
   * Names it.
   */
  id: string;
  /**
   * The kind of thing.
   */
  what: string;
  /**
   * For people.
   */
  title: string;
}
/**
 * Names a fix block.
 */
export interface ApplyParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The conversation.
   */
  conversation_id: string;
  /**
   * The message.
   */
  number: number;
  /**
   * The block's line in it.
   */
  line: number;
  /**
   * The protected file that the reviewer confirmed by its name, after a call that named it in `confirm_path`.
   */
  allow_protected?: string | null;
}
/**
 * A fix that was applied, or undone.
 */
export interface FixView {
  /**
   * Names it.
   */
  id: number;
  /**
   * The file.
   */
  path: string;
  /**
   * Whether it stands.
   */
  applied: boolean;
}
/**
 * Names a fix.
 */
export interface UndoParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The fix.
   */
  fix: number;
}
/**
 * Code of a message.
 */
export interface CodeParams {
  /**
   * Its language, as the fence names it, or a file's path.
   */
  language: string;
  /**
   * The code.
   */
  text: string;
}
/**
 * Asks for a commit message.
 */
export interface CommitParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Who is asked; the configured agent if absent.
   */
  agent?: string | null;
  /**
   * The model to ask for.
   */
  model?: string | null;
}
/**
 * A commit message.
 */
export interface CommitView {
  /**
   * It.
   */
  message: string;
  /**
   * What is still wrong with it.
   */
  problems: string[];
}
/**
 * A finding of the reviewer's own, or made from an answer.
 */
export interface AddFindingParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The name that it had before it was removed, where it comes back.
   */
  again?: string | null;
  severity: Severity;
  category: Category;
  /**
   * The file.
   */
  path: string;
  side: Side;
  /**
   * The first line.
   */
  line_start: number;
  /**
   * The last line.
   */
  line_end: number;
  /**
   * Its headline.
   */
  title: string;
  /**
   * Its text, Markdown.
   */
  body: string;
}
/**
 * Asks for lines around the hunks.
 */
export interface ContextParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Index into `ChangeView.files`.
   */
  file: number;
  /**
   * The first line wanted, of the new side, from 1.
   */
  from: number;
  /**
   * The last one; fewer come where the file ends, or where it is too many.
   */
  to: number;
}
/**
 * Lines around the hunks.
 */
export interface ContextView {
  /**
   * The number of the first one on the new side.
   */
  first: number;
  /**
   * Their text.
   */
  lines: string[];
  colours: HighlightView;
  /**
   * How many lines the file has.
   */
  total: number;
}
/**
 * Asks for a picture.
 */
export interface ImageParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Index into `ChangeView.files`.
   */
  file: number;
  side: Side;
}
/**
 * A picture.
 */
export interface ImageView {
  /**
   * `data:` address with the picture; none where the side has none.
   */
  data?: string | null;
  /**
   * Its size in bytes.
   */
  bytes: number;
}
/**
 * The definitions that a change touches.
 */
export interface SymbolsView {
  /**
   * In the order of the files.
   */
  symbols: SymbolView[];
}
/**
 * A definition that the change touches.
 */
export interface SymbolView {
  /**
   * Index into `ChangeView.files`.
   */
  file: number;
  /**
   * Its name.
   */
  name: string;
  /**
   * `function`, `method`, `class`, …; empty if unknown.
   */
  kind: string;
  /**
   * The line of its name on the new side.
   */
  line: number;
  /**
   * Its first line that the change touches.
   */
  touched: number;
}
/**
 * Says what was seen.
 */
export interface ViewedParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * What.
   */
  marks: ViewedMark[];
  /**
   * Whether it was seen, or no longer counts as seen.
   */
  viewed: boolean;
}
/**
 * A hunk, or a whole file.
 */
export interface ViewedMark {
  /**
   * Index into `ChangeView.files`.
   */
  file: number;
  /**
   * Index of the hunk; all if absent.
   */
  hunk?: number | null;
}
/**
 * Edits a finding.
 */
export interface EditFindingParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The review.
   */
  review_id: string;
  /**
   * The finding.
   */
  finding_key: string;
  edit: FindingEdit;
}
/**
 * A finding in the reviewer's words.
 */
export interface FindingWords {
  severity: Severity;
  category: Category;
  /**
   * The file.
   */
  path: string;
  side: Side;
  /**
   * The first line.
   */
  line_start: number;
  /**
   * The last line.
   */
  line_end: number;
  /**
   * Its headline.
   */
  title: string;
  /**
   * Its text, Markdown.
   */
  body: string;
}
/**
 * Names a finding of a review.
 */
export interface FindingParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The review.
   */
  review_id: string;
  /**
   * The finding.
   */
  finding_key: string;
  /**
   * The protected file that the reviewer confirmed by its name, after a call that named it in `confirm_path`.
   */
  allow_protected?: string | null;
}
/**
 * Asks for a page of the history.
 */
export interface HistoryParams {
  /**
   * Words that must all occur in one text, each as it begins; empty: everything.
   */
  words?: string;
  /**
   * A repository's path or a project's name, as `HistoryView.places` has it.
   */
  place?: string | null;
  /**
   * Only reviews or only conversations.
   */
  kind?: HistoryOf | null;
  /**
   * Where the last page ended.
   */
  after?: HistoryCursor | null;
  /**
   * At most so many, 1 to 500; 100 if absent.
   */
  limit?: number | null;
}
/**
 * Where a page ended.
 */
export interface HistoryCursor {
  /**
   * The last row's time.
   */
  at: string;
  /**
   * The last row's name.
   */
  id: string;
}
/**
 * A page of the history, latest first.
 */
export interface HistoryView {
  /**
   * The rows.
   */
  items: HistoryItem[];
  /**
   * Where the next page starts; none at the end.
   */
  next?: HistoryCursor | null;
  /**
   * Runs that were cut off, latest first; only with the first page.
   */
  interrupted: InterruptedItem[];
  /**
   * Repositories and projects that there is a history of, the most first; only with the first page.
   */
  places: HistoryPlaceView[];
}
/**
 * A review or conversation, in short.
 */
export interface HistoryItem {
  kind: HistoryOf;
  /**
   * Its name.
   */
  id: string;
  /**
   * The repository's or project's name, for people; empty for a patch without one.
   */
  place: string;
  /**
   * The repository's path; empty where there is none.
   */
  repository: string;
  /**
   * The change, for people.
   */
  change: string;
  /**
   * The conversation's headline; empty of a review.
   */
  title: string;
  /**
   * When it was made, or gone on with last; RFC 3339.
   */
  at: string;
  /**
   * Who reviewed, or was asked last.
   */
  agent: string;
  /**
   * With which model, if one was named.
   */
  model?: string | null;
  /**
   * Findings: critical, high, medium, low, info.
   */
  severities: number[];
  /**
   * How many were accepted.
   */
  accepted: number;
  /**
   * How many were dismissed.
   */
  dismissed: number;
  /**
   * How many pieces landed in GitLab.
   */
  posted: number;
  /**
   * Tokens, if they were reported.
   */
  tokens?: number | null;
  /**
   * In US dollars, if that was reported.
   */
  cost_usd?: number | null;
  /**
   * How many messages the conversation has.
   */
  messages: number;
  /**
   * Where the words were found.
   */
  hit?: HitView | null;
}
/**
 * Where words were found.
 */
export interface HitView {
  /**
   * The finding's or message's name, `summary`, or `change`.
   */
  part: string;
  /**
   * The text around; each word that was found stands between U+0001 and U+0002.
   */
  text: string;
  /**
   * In how many texts.
   */
  count: number;
}
/**
 * A run that was cut off: the program ended, or the machine.
 */
export interface InterruptedItem {
  /**
   * The run.
   */
  run_id: string;
  /**
   * The repository's or project's name, for people.
   */
  place: string;
  /**
   * The change, for people.
   */
  change: string;
  /**
   * Who reviewed.
   */
  agent: string;
  /**
   * When it began, RFC 3339.
   */
  started_at: string;
  /**
   * Its folder.
   */
  run_dir: string;
  /**
   * How many answers it has already.
   */
  answers: number;
}
/**
 * A repository or project of the history.
 */
export interface HistoryPlaceView {
  /**
   * Its path or name, as it is asked for.
   */
  place: string;
  /**
   * For people.
   */
  name: string;
  /**
   * How much there is.
   */
  count: number;
}
/**
 * Names something of the history.
 */
export interface HistoryName {
  kind: HistoryOf;
  /**
   * Its name.
   */
  id: string;
}
/**
 * Where something of the history is: its change is opened next, by `change.open` with the same words.
 */
export interface ReopenedView {
  /**
   * The repository; none where the change needs none.
   */
  repo?: RepoView | null;
  target: Target;
  /**
   * The commit since which it was sent, if not all of it was.
   */
  since?: string | null;
  /**
   * The review that it is looked at with, where that is not its latest.
   */
  review_id?: string | null;
  /**
   * The conversation.
   */
  conversation?: ConversationItem | null;
  /**
   * What is not as it was, for people.
   */
  note?: string | null;
  /**
   * The change as it is now, where that is another one.
   */
  now?: Target | null;
}
/**
 * Names a review.
 */
export interface ReviewName {
  /**
   * The review.
   */
  review_id: string;
}
/**
 * The reviews of a change, latest first.
 */
export interface RoundsView {
  /**
   * In short.
   */
  reviews: HistoryItem[];
}
/**
 * Names two reviews of the same change.
 */
export interface CompareParams {
  /**
   * One.
   */
  one: string;
  /**
   * The other.
   */
  other: string;
}
/**
 * Two reviews, compared.
 */
export interface ComparedView {
  /**
   * The earlier one.
   */
  earlier: string;
  /**
   * The later one.
   */
  later: string;
  /**
   * Every finding of both, once: new ones first, then those still there, fixed, gone.
   */
  findings: ComparedFinding[];
}
/**
 * What became of a finding.
 */
export interface ComparedFinding {
  /**
   * `new`, `still`, `fixed` (its code was edited and the later review does not have it), or `gone` (not found again for another
   * reason).
   */
  round: string;
  /**
   * What is known of its code, for people.
   */
  why: string;
  /**
   * As the earlier review has it.
   */
  earlier?: FindingView | null;
  /**
   * As the later review has it.
   */
  later?: FindingView | null;
}
/**
 * Asks what comes of going on with a run that was cut off.
 */
export interface ResumeParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The run.
   */
  run_id: string;
}
/**
 * What comes of going on with it.
 */
export interface ResumeView {
  /**
   * Which agents, by name.
   */
  agents: string[];
  /**
   * Which model, if one was named.
   */
  model?: string | null;
  /**
   * What the review adds to the instructions.
   */
  instructions?: string | null;
  /**
   * Every question, in order.
   */
  parts: ResumePartView[];
}
/**
 * One question.
 */
export interface ResumePartView {
  /**
   * Who is asked, for people.
   */
  agent: string;
  /**
   * Which part, from 1.
   */
  part: number;
  /**
   * Of how many.
   */
  of: number;
  /**
   * Its files, masked.
   */
  files: string[];
  /**
   * Whether its answer is there and holds; else it is asked.
   */
  reused: boolean;
}

/** What can be called: its parameters and its result. */
export interface Methods {
  'rpc.cancel': { params: CancelParams; result: Cancelled };
  'app.info': { params: undefined; result: AppInfo };
  'repo.open': { params: RepoParams; result: RepoView };
  'repo.sample': { params: undefined; result: RepoView };
  'agents.list': { params: undefined; result: AgentsView };
  'agents.check': { params: AgentCheckParams; result: AgentCheck };
  'state.get': { params: StateKey; result: StateEntry };
  'state.set': { params: StateEntry; result: Done };
  'change.open': { params: ChangeParams; result: ChangeView };
  'change.hunks': { params: HunksParams; result: HunkPage };
  'change.highlight': { params: HighlightParams; result: HighlightView };
  'change.prepared': { params: ChangeIdParams; result: PreparedView };
  'redaction.allow': { params: AllowParams; result: Done };
  'redaction.try': { params: TryParams; result: TriedView };
  'prompt.preview': { params: PromptParams; result: PromptView };
  'review.cancel': { params: RunParams; result: Cancelled };
  'finding.decide': { params: DecideParams; result: Done };
  'request.list': { params: RequestsParams; result: RequestList };
  'request.find': { params: FindRequestParams; result: FoundRequest };
  'request.refresh': { params: ChangeIdParams; result: RequestView };
  'thread.reply': { params: ReplyParams; result: RequestView };
  'thread.resolve': { params: ResolveParams; result: RequestView };
  'request.approve': { params: ApproveParams; result: RequestView };
  'post.plan': { params: PlanParams; result: PlanView };
  'review.reanchor': { params: ReanchorParams; result: ReviewView };
  'secret.set': { params: SecretParams; result: Done };
  'secret.remove': { params: SecretNameParams; result: Done };
  'secret.list': { params: undefined; result: SecretList };
  'token.check': { params: SecretNameParams; result: TokenView };
  'prompts.list': { params: undefined; result: PromptFilesView };
  'prompts.keep': { params: PromptFileParams; result: PromptFilesView };
  'prompt.sent': { params: SentParams; result: SentView };
  'snippets.list': { params: undefined; result: SnippetsView };
  'snippets.keep': { params: SnippetsParams; result: SnippetsView };
  'snippets.import': { params: ImportParams; result: SnippetsView };
  'settings.view': { params: SettingsParams; result: SettingsView };
  'settings.set': { params: SettingsChangeParams; result: SettingsView };
  'limits.preview': { params: LimitsParams; result: LimitsPreview };
  'trust.give': { params: TrustParams; result: Done };
  'trust.take': { params: DistrustParams; result: TrustList };
  'trust.list': { params: undefined; result: TrustList };
  'data.view': { params: undefined; result: DataView };
  'data.remove': { params: DataRemoveParams; result: DataRemoved };
  'review.export': { params: ExportParams; result: DocumentView };
  'change.moved': { params: ChangeIdParams; result: MovedView };
  'patch.keep': { params: PatchParams; result: PatchView };
  'chat.list': { params: ChangeIdParams; result: ConversationsView };
  'chat.begin': { params: ChatBeginParams; result: ConversationItem };
  'chat.remove': { params: ChatParams; result: Done };
  'chat.assembled': { params: ChatOfChangeParams; result: AssembledView };
  'chat.compact': { params: ChatOfChangeParams; result: CompactionView };
  'chat.send': { params: ChatSendParams; result: ChatSent };
  'chat.stop': { params: ChatParams; result: Cancelled };
  'chat.permit': { params: PermitParams; result: Done };
  'chat.apply': { params: ApplyParams; result: FixView };
  'chat.undo': { params: UndoParams; result: FixView };
  'code.highlight': { params: CodeParams; result: HighlightView };
  'commit.message': { params: CommitParams; result: CommitView };
  'finding.add': { params: AddFindingParams; result: ReviewView };
  'change.context': { params: ContextParams; result: ContextView };
  'change.image': { params: ImageParams; result: ImageView };
  'change.symbols': { params: ChangeIdParams; result: SymbolsView };
  'change.viewed': { params: ViewedParams; result: Done };
  'finding.edit': { params: EditFindingParams; result: ReviewView };
  'finding.apply': { params: FindingParams; result: FixView };
  'history.list': { params: HistoryParams; result: HistoryView };
  'history.open': { params: HistoryName; result: ReopenedView };
  'history.remove': { params: HistoryName; result: Done };
  'rounds.list': { params: ReviewName; result: RoundsView };
  'rounds.compare': { params: CompareParams; result: ComparedView };
  'run.plan': { params: ResumeParams; result: ResumeView };
}

/** What can be subscribed to: its parameters and its events. */
export interface Subscriptions {
  'review.start': { params: ReviewParams; event: ReviewEvent; notification: 'review.event'; unsubscribe: 'review.stop' };
  'post.start': { params: PostParams; event: PostingEvent; notification: 'post.event'; unsubscribe: 'post.stop' };
  'repo.watch': { params: RepoParams; event: RepoMoved; notification: 'repo.moved'; unsubscribe: 'repo.unwatch' };
  'app.launches': { params: LaunchParams; event: LaunchEvent; notification: 'app.launched'; unsubscribe: 'app.launches_end' };
  'chat.follow': { params: ChatParams; event: ChatNews; notification: 'chat.news'; unsubscribe: 'chat.unfollow' };
}

/** How each subscription is ended. */
export const unsubscribeOf = {
  'review.start': 'review.stop',
  'post.start': 'post.stop',
  'repo.watch': 'repo.unwatch',
  'app.launches': 'app.launches_end',
  'chat.follow': 'chat.unfollow',
} as const satisfies { [Name in keyof Subscriptions]: Subscriptions[Name]['unsubscribe'] };
