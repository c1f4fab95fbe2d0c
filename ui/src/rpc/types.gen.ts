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
       * Whether untracked files (except ignored ones) are included.
       */
      untracked: boolean;
    }
  | {
      kind: 'commit';
      /**
       * A revision that names a commit.
       */
      rev: string;
    }
  | {
      kind: 'range';
      /**
       * The start of the range.
       */
      base: string;
      /**
       * The end of the range.
       */
      head: string;
      /**
       * Whether the range starts at the merge base of both commits instead (`base...head`).
       */
      merge_base: boolean;
    }
  | {
      kind: 'branch';
      /**
       * The branch or a commit. If absent, the checked-out branch.
       */
      name?: string | null;
      /**
       * The branch that it is compared with. If absent, the default branch.
       */
      base?: string | null;
    }
  | {
      kind: 'patch';
      /**
       * The path of the file.
       */
      path: string;
      /**
       * Whether the readable part of an incomplete patch is used.
       */
      partial?: boolean;
    }
  | {
      kind: 'merge_request';
      /**
       * The address of the GitLab server: `https://gitlab.example.com`.
       */
      base: string;
      /**
       * The path of the project: `group/project`.
       */
      project: string;
      /**
       * The number of the merge request in the project.
       */
      iid: number;
    };
/**
 * The kinds of failure. The list is closed: new ones are added to the specification first.
 */
export type ErrorCode =
  | 'CONFIG_PARSE_ERROR'
  | 'CONFIG_UNTRUSTED'
  | 'DIFF_FETCH_FAILED'
  | 'DIFF_PARSE_FAILED'
  | 'REDACTION_ENGINE_FAILED'
  | 'GITLAB_FETCH_FAILED'
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
  | 'UPDATE_FAILED'
  | 'CANCELLED'
  | 'INTERNAL';
/**
 * What it is about.
 */
export type Category =
  'correctness' | 'security' | 'performance' | 'maintainability' | 'style' | 'testing' | 'docs' | 'other';
/**
 * How bad it is.
 */
export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';
/**
 * The handling of a change that exceeds the limits.
 */
export type Strategy = 'truncate' | 'split';
/**
 * The code that is shown around each change, as far as the limits allow.
 */
export type Context = 'lines' | 'function';
/**
 * A side of the change.
 */
export type Side = 'new' | 'old';
/**
 * How a suggested patch is written.
 */
export type PatchFormat = 'unified-diff' | 'replacement';
/**
 * The result of checking a finding's place against the change.
 */
export type AnchorState = 'verified' | 'moved' | 'unverified' | 'file' | 'unplaced';
/**
 * The result of checking a claim.
 */
export type Verdict = 'verified' | 'contradicted' | 'unchecked';
/**
 * Whether a finding is right, by a second look at the code.
 */
export type OpinionVerdict = 'holds' | 'refuted' | 'unsure';
/**
 * A reviewer's decision about a finding.
 */
export type Decision = 'open' | 'accepted' | 'dismissed';
/**
 * Whether the code does what a requirement says.
 */
export type IntentVerdict = 'not_found' | 'met' | 'contradicted';
/**
 * The mechanism that confines an agent.
 */
export type SandboxMechanism = 'none' | 'bubblewrap' | 'landlock' | 'seatbelt';
/**
 * The access of an agent to files.
 */
export type FileAccess = 'none' | 'observed' | 'not_observed';
/**
 * The verdict of the reviewer about the whole merge request, which is given together with the comments.
 */
export type PostVerdict = 'comment' | 'approve' | 'request_changes';
/**
 * The status of reviewed lines in the current version of the file.
 */
export type CodeStatus =
  | {
      status: 'unchanged';
    }
  | {
      status: 'moved';
      /**
       * The current first line, from 1, if known.
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
 * The state of the trust in a repository.
 */
export type TrustState = 'not_needed' | 'untrusted' | 'changed' | 'trusted';
/**
 * The effect that a setting or a file can have.
 */
export type SettingEffect = 'runs' | 'sends' | 'unmasks' | 'reads' | 'leads' | 'behaves';
/**
 * Why lines are folded. Each reason names the only difference that the lines may have.
 */
export type FoldReason = 'moved' | 'whitespace' | 'formatting' | 'renamed' | 'imports' | 'comments';
/**
 * The origin of a chapter's name.
 */
export type ChapterKind = 'symbol' | 'folder' | 'rest';
/**
 * Why a hunk is at its place in the reading order.
 */
export type OrderKind = 'entry' | 'called' | 'test' | 'unconnected' | 'no_code';
/**
 * The reason why a file is not read as code, so that fewer of its lines can be folded and its hunks are not connected to others.
 */
export type UnreadReason = 'no_grammar' | 'too_large' | 'not_text' | 'unavailable';
/**
 * The reason why nothing was found.
 */
export type Missing =
  | {
      reason: 'unread';
    }
  | {
      reason: 'no_name';
    }
  | {
      reason: 'external';
      detail: string;
    }
  | {
      reason: 'undefined';
      detail: string;
    };
/**
 * Whether tests ran a line.
 */
export type LineState = 'uncovered' | 'partial' | 'covered';
/**
 * The severity of a finding of a tool.
 */
export type ToolSeverity = 'info' | 'minor' | 'major' | 'critical' | 'blocker';
/**
 * The format of a source.
 */
export type SourceKind =
  'junit' | 'cobertura' | 'lcov' | 'code-quality' | 'sarif' | 'gitlab-tests' | 'unknown';
/**
 * The kind of a part that was cut.
 */
export type TruncationKind = 'file' | 'hunk' | 'partial_hunk';
/**
 * The reason why a value was masked. It contains no value, so that it can be shown and stored anywhere.
 */
export type RedactionReason =
  | {
      kind: 'format';
    }
  | {
      kind: 'key';
      /**
       * The letters around a word of the rules, such as `password`. At most 16 are before the word and 16 after it.
       */
      word: string;
    }
  | {
      kind: 'call_argument';
    }
  | {
      kind: 'command_line';
    }
  | {
      kind: 'credential_file';
    }
  | {
      kind: 'key_block';
    }
  | {
      kind: 'encoded';
    }
  | {
      kind: 'user_pattern';
    }
  | {
      kind: 'copy';
    };
/**
 * The reason why a file is not sent.
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
  | 'reviewed'
  | 'not_selected';
/**
 * The state of one line of the change.
 */
export type Coverage = 'sent' | 'redacted' | 'cut' | 'ignored' | 'folded';
/**
 * The findings that get a second opinion.
 */
export type Verify = 'off' | 'high' | 'all';
/**
 * A way to review a change.
 */
export type BudgetChoice = 'split' | 'whole' | 'truncate';
/**
 * A change of the registry, or of a saved review.
 */
export type ReviewEvent =
  | {
      kind: 'snapshot';
      /**
       * The running reviews, and failed ones, oldest first.
       */
      runs: LiveRun[];
    }
  | {
      kind: 'started';
      run: LiveRun;
    }
  | {
      kind: 'agents';
      /**
       * The run's id.
       */
      run_id: string;
      /**
       * The names of the agents.
       */
      agents: string[];
    }
  | {
      kind: 'progress';
      /**
       * The run's id.
       */
      run_id: string;
      /**
       * The step that began, if one did.
       */
      step?: string | null;
      line: RunLine;
    }
  | {
      kind: 'usage';
      /**
       * The run's id.
       */
      run_id: string;
      /**
       * The agent's name.
       */
      agent: string;
      usage: RunUsage;
    }
  | {
      kind: 'ended';
      /**
       * The run's id.
       */
      run_id: string;
      end: RunEnd;
    }
  | {
      kind: 'closed';
      /**
       * The run's id.
       */
      run_id: string;
    }
  | {
      kind: 'edited';
      /**
       * The key of the change: `ChangeView.review_key`.
       */
      change: string;
    };
/**
 * The end of a run.
 */
export type RunEnd =
  | {
      kind: 'done';
      /**
       * The number of findings.
       */
      findings: number;
    }
  | {
      kind: 'skipped';
      /**
       * Why: `NO_DIFF`, `NOTHING_SENT`, `AUTO_MERGE`, `SAME_FINGERPRINT`.
       */
      reason: string;
      /**
       * The reason as text for display.
       */
      message: string;
    }
  | {
      kind: 'failed';
      failure: RunFailure;
    }
  | {
      kind: 'cancelled';
    };
/**
 * An edit of a finding.
 */
export type FindingEdit =
  | {
      kind: 'rewrite';
      words: NewFinding;
    }
  | {
      kind: 'restore';
    }
  | {
      kind: 'remove';
    };
/**
 * The kind of an entry, and the data that is removed with it.
 */
export type EntryKind = 'review' | 'conversation' | 'run';
/**
 * The kind of a row.
 */
export type InboxRowKind = 'merge_request' | 'local';
/**
 * A group of rows.
 */
export type InboxGroup = 'your_turn' | 'ready_to_merge' | 'waiting' | 'drafts' | 'done';
/**
 * The kind of a reason. New kinds may be added.
 */
export type InboxReasonCode =
  | 'review_requested'
  | 'review_requested_again'
  | 'review_started'
  | 'new_commits'
  | 'answered'
  | 'threads_open'
  | 'changes_requested'
  | 'reviewed'
  | 'pipeline_failed'
  | 'conflicts'
  | 'needs_rebase'
  | 'no_reviewer'
  | 'waiting_for_others'
  | 'approvals_missing'
  | 'ready'
  | 'pipeline_unfinished'
  | 'draft'
  | 'merged'
  | 'closed'
  | 'gone'
  | 'marked_done'
  | 'snoozed'
  | 'muted'
  | 'unreviewed'
  | 'uncommitted'
  | 'local_reviewed';
/**
 * What the reader did with a row.
 */
export type InboxMark = 'done' | 'snoozed' | 'muted';
/**
 * The relation of the reader to a merge request. If there are several, the first one counts.
 */
export type InboxRole = 'author' | 'reviewer' | 'assignee' | 'participant';
/**
 * The state of a pipeline.
 */
export type PipelineState = 'running' | 'passed' | 'failed' | 'cancelled' | 'manual';
/**
 * The kind of comment that an item becomes.
 */
export type Placement = 'inline' | 'range' | 'file' | 'in_summary' | 'summary' | 'replaced';
/**
 * An event of a posting. The last event is always `done` or `failed`.
 */
export type PostingEvent =
  | {
      kind: 'step';
      /**
       * Text for display.
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
 * The state of an item.
 */
export type ItemState =
  'waiting' | 'sending' | 'prepared' | 'already_there' | 'landed' | 'on_file' | 'in_summary' | 'failed';
/**
 * The state of a verdict.
 */
export type VerdictState = 'given' | 'already_given' | 'not_sent' | 'failed';
/**
 * An attachment.
 */
export type About =
  | {
      kind: 'finding';
      /**
       * The key of the finding.
       */
      key: string;
    }
  | {
      kind: 'file';
      /**
       * The path of the file.
       */
      path: string;
    }
  | {
      kind: 'selection';
      /**
       * The path of the file.
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
 * The user's answer to a request for permission.
 */
export type PermissionAnswer = 'refuse' | 'once' | 'always';
/**
 * An event of a conversation.
 */
export type ChatUpdate =
  | {
      kind: 'snapshot';
      view: ChatView;
    }
  | {
      kind: 'messages';
      /**
       * The messages.
       */
      messages: MessageView[];
      /**
       * The number from which on other messages were superseded.
       */
      superseded_from?: number | null;
    }
  | {
      kind: 'step';
      /**
       * Text for display.
       */
      message: string;
    }
  | {
      kind: 'text';
      /**
       * The number of the answer's message.
       */
      number: number;
      /**
       * How much of the text so far is unchanged, in UTF-16 units.
       */
      keep: number;
      /**
       * The text that follows the unchanged part.
       */
      add: string;
    }
  | {
      kind: 'thinking';
    }
  | {
      kind: 'tool';
      tool: ToolCall;
    }
  | {
      kind: 'permission';
      permission: PermissionRequest;
    }
  | {
      kind: 'permitted';
      /**
       * The request's id.
       */
      id: string;
    }
  | {
      kind: 'tokens';
      used: TokenUsage;
      /**
       * The size of the model's context, in tokens.
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
 * The kind of a value.
 */
export type SettingKind =
  | {
      type: 'switch';
    }
  | {
      type: 'number';
      /**
       * The minimum.
       */
      least?: number | null;
      /**
       * The maximum.
       */
      most?: number | null;
    }
  | {
      type: 'text';
    }
  | {
      type: 'choice';
      /**
       * The texts to choose from.
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
 * The layer that a value comes from.
 */
export type SettingOrigin = 'default' | 'user' | 'repository' | 'environment' | 'command_line';
/**
 * A kind of data to remove.
 */
export type DataKind = 'runs' | 'everything' | 'caches';
/**
 * Where a version was seen.
 */
export type VersionOrigin = 'opened' | 'reviewed' | 'server';
/**
 * The result of a comparison.
 */
export type Verdict2 = 'same' | 'no_edits' | 'edited' | 'unrelated';
/**
 * Something about a file that its lines do not show.
 */
export type FileNoteItem =
  | {
      kind: 'added';
    }
  | {
      kind: 'removed';
    }
  | {
      kind: 'renamed';
      /**
       * The path before.
       */
      from: string;
    }
  | {
      kind: 'mode';
      /**
       * Git's mode before.
       */
      from: number;
      /**
       * Git's mode now.
       */
      to: number;
    }
  | {
      kind: 'content';
    }
  | {
      kind: 'target_removed';
    }
  | {
      kind: 'target_changed';
    }
  | {
      kind: 'conflict';
    }
  | {
      kind: 'unread';
      /**
       * The reason.
       */
      reason: string;
    };
/**
 * The origin of a line.
 */
export type LineSource = 'base' | 'old_version' | 'target' | 'both' | 'new_version';
/**
 * The state of a commit in the later version.
 */
export type CommitState = 'unchanged' | 'edited' | 'new' | 'dropped';
/**
 * The kind of a remark.
 */
export type RemarkKind = 'finding' | 'thread';
/**
 * The state of the review of a layer.
 */
export type LayerReview = 'none' | 'current' | 'outdated';
/**
 * The state of an item.
 */
export type QueueState = 'waiting' | 'running' | 'done' | 'failed';
/**
 * The work of the program on updates.
 */
export type UpdatePhase = 'idle' | 'checking' | 'downloading' | 'ready' | 'restarting';

/**
 * Identifies a request of the same connection.
 */
export interface CancelParams {
  /**
   * The request's JSON-RPC id.
   */
  id: number;
}
/**
 * The result of cancelling a run or a request.
 */
export interface Cancelled {
  /**
   * Whether it was cancelled. False if it had already ended.
   */
  cancelled: boolean;
}
/**
 * Facts about the running program.
 */
export interface AppInfo {
  /**
   * The program's version.
   */
  version: string;
  /**
   * The folder that contains reviews and run folders.
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
   * The repositories that were opened before, latest first.
   */
  recent: RecentRepo[];
  /**
   * Whether the bundled sample can be opened.
   */
  sample: boolean;
  /**
   * Messages for the user about the state file since it was opened; usually empty.
   */
  notices: string[];
  /**
   * Whether this session cannot save anything.
   */
  read_only: boolean;
}
/**
 * A repository that was opened before.
 */
export interface RecentRepo {
  /**
   * The path of its root.
   */
  path: string;
  /**
   * The name of its folder.
   */
  name: string;
}
/**
 * Reads one value of the interface's state.
 */
export interface StateKey {
  /**
   * The name of the value.
   */
  key: string;
}
/**
 * A value of the interface's state (theme, panes, the last change), which the core saves across restarts.
 */
export interface StateEntry {
  /**
   * The name of the value.
   */
  key: string;
  /**
   * The value as JSON text. None if it was never set.
   */
  value?: string | null;
}
/**
 * The empty result of a method that succeeded.
 */
export interface Done {}
/**
 * No parameters.
 */
export interface LaunchParams {}
/**
 * A request of another start of the program, or of a link, to show a change.
 */
export interface LaunchEvent {
  /**
   * The repository to open.
   */
  repo?: string | null;
  /**
   * The change to open.
   */
  target?: Target | null;
  /**
   * The title of the change, for display.
   */
  title?: string | null;
  /**
   * Whether to open the bundled sample.
   */
  sample: boolean;
  /**
   * Whether to ask the user first, because a link names an unknown place.
   */
  ask: boolean;
  /**
   * Why the change cannot be shown.
   */
  error?: ErrorInfo | null;
}
/**
 * A failure in `run.json`, in events and in JSON-RPC answers.
 */
export interface ErrorInfo {
  error_code: ErrorCode;
  /**
   * The failure and its meaning, in one or two sentences.
   */
  message: string;
  /**
   * The suggested action for the user.
   */
  hint?: string | null;
  /**
   * Whether the same call may succeed later.
   */
  retryable: boolean;
  /**
   * Further facts for diagnosis.
   */
  context: {
    [k: string]: unknown;
  };
  /**
   * The text of the underlying failure.
   */
  cause?: string | null;
}
/**
 * Identifies a repository.
 */
export interface RepoParams {
  /**
   * Any path inside the repository.
   */
  path: string;
}
/**
 * A repository and the changes that it offers.
 */
export interface RepoView {
  /**
   * The path of its root, or of the repository itself if it is bare.
   */
  path: string;
  /**
   * The name of its folder.
   */
  name: string;
  /**
   * The checked-out branch. None if the head is detached.
   */
  branch?: string | null;
  /**
   * The branch that other branches are compared with.
   */
  default_branch?: string | null;
  /**
   * The local changes, each with its number of files. Empty ones are listed too.
   */
  local: LocalChange[];
  /**
   * The local branches, latest first.
   */
  branches: BranchInfo[];
  /**
   * Recent commits of the checked-out branch.
   */
  commits: CommitInfo[];
  /**
   * The change that is suggested to open first.
   */
  suggested?: Target | null;
  /**
   * Why there are no local changes, if the work tree that the repository names is not used.
   */
  notice?: string | null;
}
/**
 * Unstaged, staged or all local changes.
 */
export interface LocalChange {
  target: Target;
  /**
   * The title for display.
   */
  title: string;
  /**
   * The number of changed files.
   */
  files: number;
}
/**
 * A local branch.
 */
export interface BranchInfo {
  /**
   * The short name.
   */
  name: string;
  /**
   * The number of commits that are not in the default branch.
   */
  ahead: number;
  /**
   * The time of the last commit, in seconds since 1970.
   */
  time: number;
  /**
   * The subject of the last commit.
   */
  subject: string;
}
/**
 * A commit.
 */
export interface CommitInfo {
  /**
   * The full id.
   */
  id: string;
  /**
   * The first line of the message.
   */
  subject: string;
  /**
   * The author's name.
   */
  author: string;
  /**
   * The time of the commit, in seconds since 1970.
   */
  time: number;
}
/**
 * A repository whose files, index or branches changed, in its new state.
 */
export interface RepoChanged {
  repo: RepoView;
  /**
   * Whether the repository is only checked from time to time, because it has too many folders to watch.
   */
  polling: boolean;
}
/**
 * The agents that diffsan knows.
 */
export interface AgentsView {
  /**
   * The agent that reviews unless another is selected. None if no agent is installed.
   */
  default?: string | null;
  /**
   * Every agent.
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
   * Its name for display.
   */
  title: string;
  /**
   * The path of the program, if it was found.
   */
  program?: string | null;
  /**
   * Its address, if it is an endpoint.
   */
  url?: string | null;
  /**
   * Why the agent cannot be used, as text for display. None if it can.
   */
  missing?: string | null;
  /**
   * Whether only a model is missing.
   */
  needs_model: boolean;
  /**
   * The names of the programs that were searched.
   */
  looked_for: string[];
  /**
   * The folders that were searched.
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
   * Whether the agent itself enforces the schema of its answer.
   */
  structured: boolean;
  /**
   * Whether the agent can read the files of the head besides the prompt.
   */
  reads_files: boolean;
  /**
   * Whether this is the built-in reviewer, to which nothing is sent.
   */
  built_in: boolean;
  /**
   * The result of the agent's last test, if there was one.
   */
  checked?: LastCheck | null;
}
/**
 * The result of an agent's last test.
 */
export interface LastCheck {
  /**
   * The time when the test ended.
   */
  at: string;
  /**
   * The agent's answer, if it answered.
   */
  found?: AgentCheck | null;
  /**
   * The error, if the agent did not answer.
   */
  error?: ErrorInfo | null;
}
/**
 * The result of testing an agent that works.
 */
export interface AgentCheck {
  /**
   * The agent's display name.
   */
  title: string;
  /**
   * The path of the program, or the address, masked.
   */
  place: string;
  /**
   * The version that the agent reports.
   */
  version?: string | null;
  /**
   * The requested model, if any.
   */
  model?: string | null;
  /**
   * The time until the answer, in milliseconds.
   */
  milliseconds: number;
  /**
   * The number of tokens that the agent reported, if any.
   */
  usage?: TokenUsage | null;
  /**
   * A problem that did not prevent the answer.
   */
  note?: string | null;
}
/**
 * The number of tokens that an agent reported.
 */
export interface TokenUsage {
  /**
   * Tokens read, including cached ones.
   */
  input: number;
  /**
   * The part of `input` that the provider read from its cache.
   */
  cached_input: number;
  /**
   * Tokens written, including reasoning.
   */
  output: number;
}
/**
 * The records of all agents.
 */
export interface TrackRecord {
  /**
   * The agents over all their models, most decisions first. Their model is `None`.
   */
  agents: AgentRecord[];
  /**
   * The agents with each of their models, if an agent was used with several.
   */
  models: AgentRecord[];
}
/**
 * The record of an agent with one model.
 */
export interface AgentRecord {
  /**
   * The name of the agent.
   */
  agent: string;
  /**
   * The model that was asked for. `None` for the agent's own choice.
   */
  model?: string | null;
  total: Tally;
  /**
   * The counts by category, most decisions first.
   */
  categories: CategoryTally[];
  /**
   * The counts by severity, the worst first.
   */
  severities: SeverityTally[];
  /**
   * The most frequent reasons of dismissals.
   */
  reasons: ReasonCount[];
}
/**
 * The counts of some findings.
 */
export interface Tally {
  /**
   * The number of accepted findings.
   */
  accepted: number;
  /**
   * The number of dismissed findings.
   */
  dismissed: number;
  /**
   * The number of posted findings.
   */
  posted: number;
  /**
   * The number of findings that an edit resolved.
   */
  resolved: number;
  /**
   * The likely share of accepted findings among the decided ones. `None` for fewer than ten decisions.
   */
  accepted_share?: Interval | null;
}
/**
 * A range in which a share lies with 95% confidence, 0 to 1.
 */
export interface Interval {
  /**
   * The lower bound.
   */
  low: number;
  /**
   * The upper bound.
   */
  high: number;
}
/**
 * The counts of one category.
 */
export interface CategoryTally {
  category: Category;
  tally: Tally;
}
/**
 * The counts of one severity.
 */
export interface SeverityTally {
  severity: Severity;
  tally: Tally;
}
/**
 * A reason of dismissals.
 */
export interface ReasonCount {
  /**
   * The reason in the reviewer's words.
   */
  reason: string;
  /**
   * The number of dismissals with it.
   */
  count: number;
}
/**
 * Tests an agent with one line.
 */
export interface AgentCheckParams {
  /**
   * The agent's name.
   */
  name: string;
  /**
   * The model to ask for. The configured model or the agent's default if absent.
   */
  model?: string | null;
}
/**
 * Identifies a change of a repository.
 */
export interface ChangeParams {
  /**
   * The repository's path.
   */
  repo: string;
  target: Target;
  /**
   * A commit that was already reviewed: only the changes since then are sent.
   */
  since?: string | null;
  /**
   * The review to show with the change. The latest one if absent.
   */
  review_id?: string | null;
  /**
   * The part of the change that is sent. As the settings say if absent.
   */
  scope?: ReviewScope | null;
  /**
   * Whether a merge request is read from its server, also if the inbox has fetched it.
   */
  current?: boolean;
}
/**
 * The part of a change that is sent. The user chooses it for one change; it is not saved as a setting.
 */
export interface ReviewScope {
  /**
   * The limits, in place of those of the settings.
   */
  limits?: Limits | null;
  /**
   * The paths of the files. All files if absent.
   */
  files?: string[] | null;
}
/**
 * The limits of one prompt. 0 disables a limit.
 */
export interface Limits {
  strategy: Strategy;
  /**
   * The maximum length of the prepared diff, in characters.
   */
  max_diff_chars: number;
  /**
   * The maximum length of the prepared diff, in tokens of a common tokenizer.
   */
  max_diff_tokens: number;
  /**
   * The maximum number of files in the prepared diff.
   */
  max_files: number;
  /**
   * The maximum number of hunks for each file. Ignored if nothing is left out.
   */
  max_hunks_per_file: number;
  /**
   * The number of lines shown around each change.
   */
  context_lines: number;
  context: Context;
}
/**
 * An opened change. `change.hunks` returns its lines.
 */
export interface ChangeView {
  /**
   * The id of the opened change, for later calls.
   */
  change_id: string;
  /**
   * The title for display.
   */
  title: string;
  target: Target;
  /**
   * Identifies the change in the events of `review.follow`. It is equal for each state of the change.
   */
  review_key: string;
  /**
   * The SHA-256 of the raw diff. Equal content has an equal value.
   */
  fingerprint: string;
  /**
   * The abbreviated base commit.
   */
  base?: string | null;
  /**
   * The abbreviated head commit.
   */
  head?: string | null;
  /**
   * The number of added lines.
   */
  added: number;
  /**
   * The number of removed lines.
   */
  removed: number;
  /**
   * The files, ordered by their importance for a reviewer.
   */
  files: FileView[];
  /**
   * Whether whole files can be shown, which needs a repository that contains them.
   */
  whole_files: boolean;
  first: HunkPage;
  /**
   * The latest saved review of this change.
   */
  review?: ReviewView | null;
  /**
   * Facts about the merge request, if the change is one.
   */
  request?: RequestView | null;
  /**
   * The interrupted runs of this change (the program ended or the machine stopped), latest first.
   */
  interrupted: InterruptedRun[];
  /**
   * The requests of the repository that need trust. None if there are none.
   */
  trust?: TrustView | null;
}
/**
 * A file of a change.
 */
export interface FileView {
  /**
   * The current path; for a deleted file, the old path.
   */
  path: string;
  /**
   * The previous path, if it differs.
   */
  old_path?: string | null;
  /**
   * `added`, `deleted`, `modified`, `renamed`, `copied`, `type_changed`, `unmerged`.
   */
  status: string;
  /**
   * Notes for display: `mode 100644 → 100755`, `symlink`, `submodule a1b2 → c3d4`, `binary`, `92% similar`; often
   * empty.
   */
  notes: string[];
  /**
   * The number of added lines.
   */
  added: number;
  /**
   * The number of removed lines.
   */
  removed: number;
  /**
   * The number of hunks.
   */
  hunks: number;
  /**
   * The number of lines in all hunks.
   */
  lines: number;
  /**
   * Whether the file has no lines because its content is binary.
   */
  binary: boolean;
  /**
   * Why the file is not sent to an agent, if it is not.
   */
  ignored?: string | null;
  /**
   * Whether the file is an image that can be shown.
   */
  image: boolean;
  /**
   * The indices of the hunks that the reviewer has viewed, in this round or an earlier one; 0 for a file without
   * hunks.
   */
  viewed: number[];
}
/**
 * Some hunks, in the order of the files.
 */
export interface HunkPage {
  /**
   * The hunks or parts of hunks.
   */
  parts: HunkPart[];
  /**
   * The start of the next page. None at the end.
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
   * Index of the part's first line in the hunk; 0 at the hunk's beginning.
   */
  first_line: number;
  /**
   * The hunk's header: `@@ -1,4 +1,6 @@ fn main()`.
   */
  header: string;
  /**
   * The line number of the part's first line on the old side.
   */
  old_start: number;
  /**
   * The line number of the part's first line on the new side.
   */
  new_start: number;
  /**
   * One character for each line: ` ` context, `+` added, `-` removed. A `!` follows for each line that ends its file
   * without a line feed.
   */
  kinds: string;
  /**
   * The text of the lines, in order. Bytes that are not UTF-8 are shown as U+FFFD.
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
 * A saved review with the reviewer's decisions.
 */
export interface ReviewView {
  /**
   * The review's id.
   */
  review_id: string;
  /**
   * The creation time, RFC 3339.
   */
  created_at: string;
  /**
   * Whether there is a later review of the same change.
   */
  earlier: boolean;
  /**
   * Whether the change now has another fingerprint than the reviewed one.
   */
  outdated: boolean;
  /**
   * The summary, as Markdown.
   */
  summary_markdown: string;
  /**
   * The findings, most severe first.
   */
  findings: FindingView[];
  /**
   * Whether findings of equal severity are in the order of the track record.
   */
  by_record: boolean;
  /**
   * The requirements of the authors, and whether the code meets them.
   */
  intent: Requirement[];
  /**
   * Sentences about the chapters of the reading order, each about the chapter that contains its first evidence. Empty if the change was
   * edited after the review.
   */
  chapters: ChapterSentence[];
  /**
   * Facts about the second opinions, without the opinions. None if there are none.
   */
  second_opinion?: SecondOpinion | null;
  meta: ReviewMeta;
  /**
   * The evidence of reading as sentences. Empty if there is none.
   */
  reading: string[];
  /**
   * The run folder, which contains the artifacts.
   */
  run_dir: string;
  /**
   * The number of tokens, if the agent reported it.
   */
  tokens?: TokenUsage | null;
  /**
   * The number of secrets that were masked.
   */
  masked: number;
  /**
   * The number of files that were cut, completely or partly.
   */
  cut_files: number;
}
/**
 * A finding with the reviewer's decision.
 */
export interface FindingView {
  finding: Finding;
  /**
   * The second opinion on it, if there is one.
   */
  opinion?: Opinion | null;
  /**
   * Index into `ChangeView.files` of the finding's file, if the file is part of the change.
   */
  file?: number | null;
  decision: Decision;
  /**
   * The reviewer's reason for the decision, if there is one.
   */
  reason?: string | null;
  /**
   * The id of the fix, if the suggested patch is applied to the work tree.
   */
  applied?: number | null;
}
/**
 * A finding with its anchor.
 */
export interface Finding {
  /**
   * Identifies the finding over rounds, rebases, edits and postings. Files of earlier versions contain a number such as `f1`, which is
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
   * The names of the agents that found it.
   */
  sources: string[];
  /**
   * The number of runs of each agent that found it, if the agents were asked several times.
   */
  runs?: RunCount[];
  verdict?: Verdict;
  /**
   * The checked claims.
   */
  claims?: Claim[];
  /**
   * The steps from the code to an effect, if the capability reviewer followed them.
   */
  chain?: ChainHop[];
  /**
   * The suggested patch, if it applies.
   */
  fix?: Fix | null;
  /**
   * The digest of the lines that it is about: their number and a hash. A decision is valid as long as this digest does not change.
   */
  code?: string | null;
  /**
   * The finding before the reviewer edited it; `None` if it was not edited.
   */
  original?: AgentFinding | null;
  /**
   * The version since which the author has not edited its lines, if the review was of the edits since that version. The finding is not
   * about a new line.
   */
  unedited_since?: string | null;
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
 * The checked place of a finding.
 */
export interface Anchor {
  state: AnchorState;
  /**
   * The path of the file as the change writes it (repaired if necessary); the agent's text if unplaced.
   */
  path: string;
  side: Side;
  /**
   * The first line, from 1; `None` for a file or unplaced anchor.
   */
  line_start?: number | null;
  /**
   * The last line, from 1.
   */
  line_end?: number | null;
  /**
   * Whether the change contains the last line.
   */
  in_change: boolean;
  /**
   * Notes for the reviewer about repairs and failed repairs.
   */
  notes?: string[];
}
/**
 * The number of an agent's runs that found a finding.
 */
export interface RunCount {
  /**
   * The name of the agent.
   */
  agent: string;
  /**
   * The number of runs that found it.
   */
  found: number;
  /**
   * The number of answered runs.
   */
  of: number;
  /**
   * The number of failed runs, which are not among them.
   */
  failed?: number;
}
/**
 * A statement of a finding about the code that a search can check.
 */
export interface Claim {
  /**
   * The statement: `parse` is never called.
   */
  claim: string;
  verdict: Verdict;
  /**
   * The place that decided the verdict, if there is one.
   */
  evidence?: Evidence | null;
}
/**
 * A place that supports or contradicts a claim.
 */
export interface Evidence {
  /**
   * The path of the file.
   */
  path: string;
  /**
   * The line, from 1.
   */
  line: number;
  /**
   * The text of the line, masked.
   */
  text: string;
}
/**
 * One step of a chain, the steps from changed code to an effect.
 */
export interface ChainHop {
  /**
   * The symbol that is used here: `notificationClient.sendRefundNotice`.
   */
  symbol: string;
  /**
   * The path of the file.
   */
  path: string;
  /**
   * The line of the new side, from 1.
   */
  line: number;
  /**
   * The text of the line, masked.
   */
  text: string;
}
/**
 * A suggested patch that applies to the head exactly, as edits from top to bottom.
 */
export interface Fix {
  /**
   * The path of the file.
   */
  path: string;
  /**
   * The edits; no two edits touch the same line.
   */
  edits: Edit[];
}
/**
 * Replaces lines of a file.
 */
export interface Edit {
  /**
   * The first line to remove, from 1; if none is removed, the line before which the text is inserted.
   */
  line_start: number;
  /**
   * The number of lines to remove.
   */
  lines: number;
  /**
   * The new text; every line has a line end.
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
 * A second opinion on a finding, with checked evidence.
 */
export interface Opinion {
  /**
   * The key of the finding.
   */
  finding: string;
  verdict: OpinionVerdict;
  answered: OpinionVerdict;
  /**
   * The agent's reason, masked.
   */
  reason: string;
  /**
   * The code that decides it.
   */
  evidence?: CheckedQuote[];
  /**
   * The number of quotes that are not in the code.
   */
  unproven?: number;
  /**
   * The name of the agent.
   */
  agent: string;
  /**
   * The requested model, if one was named.
   */
  model?: string | null;
  /**
   * The time (RFC 3339).
   */
  given_at: string;
  /**
   * The verdict of the opinion that this one replaced, if it was another one.
   */
  previous?: OpinionVerdict | null;
  /**
   * Whether it was given in an earlier review, on the same code.
   */
  remembered?: boolean;
}
/**
 * Quoted code that was found.
 */
export interface CheckedQuote {
  /**
   * The path of the file as the change writes it.
   */
  path: string;
  side: Side;
  /**
   * The first line, from 1.
   */
  line_start: number;
  /**
   * The last line, from 1.
   */
  line_end: number;
  /**
   * The code as the agent quoted it.
   */
  quote: string;
}
/**
 * A requirement with its checked evidence.
 */
export interface Requirement {
  /**
   * The requirement.
   */
  requirement: string;
  verdict: IntentVerdict;
  /**
   * The code that decides it. Empty if the verdict is "not found".
   */
  evidence?: CheckedQuote[];
  /**
   * The number of quotes that are not in the code.
   */
  unproven?: number;
  /**
   * The names of the agents that named it.
   */
  sources: string[];
}
/**
 * A sentence about a chapter with its checked evidence.
 */
export interface ChapterSentence {
  /**
   * The sentence.
   */
  sentence: string;
  /**
   * The code in hunks of the change. The sentence belongs to the chapter of the first one.
   */
  evidence: CheckedQuote[];
  /**
   * The name of the agent.
   */
  source: string;
}
/**
 * The second opinions of a review.
 */
export interface SecondOpinion {
  /**
   * The opinions, one for a finding at most.
   */
  opinions: Opinion[];
  /**
   * The number of findings that were asked about and got no opinion.
   */
  unanswered?: number;
  /**
   * The number of findings that were not asked about, because they were over the limits.
   */
  left_out?: number;
  /**
   * The number of tokens that the agents reported, if any.
   */
  token_usage?: TokenUsage | null;
  /**
   * The reported cost in US dollars.
   */
  cost_usd?: number | null;
  /**
   * The reason why opinions are missing, if an agent failed or the user cancelled it.
   */
  error?: string | null;
}
/**
 * The facts that a review is based on.
 */
export interface ReviewMeta {
  fingerprint: Fingerprint;
  /**
   * The names of the agents that answered, joined by commas.
   */
  agent: string;
  /**
   * The result of each agent, including those that failed.
   */
  agents?: AgentResult[];
  /**
   * The requested model, if one was named.
   */
  model?: string | null;
  timings: Timings;
  /**
   * The number of tokens that the agents reported, if any.
   */
  token_usage?: TokenUsage | null;
  /**
   * The reported cost in US dollars.
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
   * A sentence about the parts of the change that were and were not reviewed.
   */
  coverage: string;
  /**
   * The number of the accepted attempt, from 1.
   */
  attempts: number;
  /**
   * The number of batches in which the change was reviewed.
   */
  batches: number;
  /**
   * How the answer was found (`strict`, `fenced`, `recovered`, …).
   */
  read_as: string;
  /**
   * The findings of the answers that cannot be read. They are not in the list of findings.
   */
  unreadable?: UnreadableFinding[];
  /**
   * The facts of the pipeline and of reports in numbers; `None` if there were none.
   */
  facts?: FactsSummary | null;
  /**
   * The evidence of reading; `None` if no agent reviewed, and in reviews of earlier versions.
   */
  reading?: Reading | null;
  unsent?: UnsentFiles;
  /**
   * The commits that were reviewed, if the findings were placed on later ones since.
   */
  reviewed?: ReviewedCommits | null;
}
/**
 * A digest of the raw diff. Equal content has an equal fingerprint on every machine.
 */
export interface Fingerprint {
  /**
   * Always `sha256`.
   */
  algo: string;
  /**
   * The digest in lower-case hexadecimal digits.
   */
  value: string;
}
/**
 * The result of one agent.
 */
export interface AgentResult {
  /**
   * The name of the agent.
   */
  name: string;
  /**
   * The requested model, if one was named.
   */
  model?: string | null;
  /**
   * The number of findings; `None` if the agent failed.
   */
  findings?: number | null;
  /**
   * The number of the accepted attempt, from 1.
   */
  attempts: number;
  /**
   * The reported number of tokens, if any.
   */
  token_usage?: TokenUsage | null;
  /**
   * The reported cost in US dollars.
   */
  cost_usd?: number | null;
  /**
   * The reason for its failure, as text.
   */
  error?: string | null;
  /**
   * How its processes were confined; `None` for an endpoint, and if it failed.
   */
  sandbox?: SandboxReceipt | null;
  /**
   * The runs of the same prompt, counted; `None` if it was asked once.
   */
  runs?: RunsResult | null;
}
/**
 * How an agent was confined.
 */
export interface SandboxReceipt {
  mechanism?: SandboxMechanism;
  /**
   * Why there was no mechanism, or not the preferred one.
   */
  reason?: string | null;
  /**
   * What the mechanism does not restrict.
   */
  not_covered?: string[];
  /**
   * The files and folders outside of the system's that the agent could read.
   */
  readable?: string[];
  /**
   * The folders that the agent could write to. They were in memory and are gone.
   */
  writable?: string[];
  /**
   * The files that were saved after the run.
   */
  saved?: string[];
  /**
   * The hosts that the agent could reach.
   */
  hosts?: string[];
  /**
   * The hosts that the agent asked for.
   */
  connections?: SandboxConnection[];
  /**
   * The limit that ended the run.
   */
  exceeded?: string | null;
}
/**
 * The connections of an agent to one host.
 */
export interface SandboxConnection {
  /**
   * The name with the port.
   */
  host?: string;
  /**
   * Whether the host was allowed.
   */
  allowed?: boolean;
  /**
   * The number of connections.
   */
  count?: number;
  /**
   * The bytes that the agent sent.
   */
  sent?: number;
  /**
   * The bytes that the agent received.
   */
  received?: number;
}
/**
 * The runs of one agent, counted.
 */
export interface RunsResult {
  /**
   * The number of answered runs.
   */
  answered: number;
  /**
   * The errors of the failed runs.
   */
  failed?: string[];
  /**
   * The number of different findings.
   */
  findings: number;
  /**
   * The number of findings that every answered run found.
   */
  in_every_run: number;
  /**
   * The mean agreement of two runs, 0 to 1; `None` if fewer than two runs answered.
   */
  agreement?: number | null;
}
/**
 * The durations of the parts of a run, in milliseconds.
 */
export interface Timings {
  /**
   * The time to read the change.
   */
  fetch_ms: number;
  /**
   * The time to prepare the change.
   */
  prepare_ms: number;
  /**
   * The time of all attempts of the agent.
   */
  agent_ms: number;
  /**
   * The time of the whole run.
   */
  total_ms: number;
}
/**
 * A finding of an answer that cannot be read, for example because its severity is not known.
 */
export interface UnreadableFinding {
  /**
   * The name of the agent.
   */
  agent: string;
  /**
   * The problems as `field: message`.
   */
  problems: string[];
  /**
   * The finding as the agent wrote it, as indented JSON.
   */
  text: string;
}
/**
 * The facts in a few numbers. Stale facts are not counted.
 */
export interface FactsSummary {
  /**
   * The status of the head's pipeline.
   */
  pipeline?: string | null;
  /**
   * The number of failed jobs.
   */
  failed_jobs: number;
  /**
   * The number of failed tests.
   */
  failed_tests: number;
  /**
   * The number of added lines that tests ran.
   */
  covered_lines: number;
  /**
   * The number of added lines that no test ran.
   */
  uncovered_lines: number;
  /**
   * The number of findings of tools on added lines.
   */
  tool_findings: number;
  /**
   * Whether there are stale facts besides.
   */
  stale: boolean;
  /**
   * The names of the sources that were read.
   */
  sources: string[];
}
/**
 * The evidence of one review.
 */
export interface Reading {
  /**
   * The files of the change, in its order.
   */
  files?: FileReading[];
  /**
   * The agents that answered. The capability reviewer is not among them: it reads the files itself.
   */
  agents?: AgentReading[];
}
/**
 * The delivery of a file of the change. The path is masked.
 */
export interface FileReading {
  /**
   * The path of the file.
   */
  path?: string;
  /**
   * The prompts that contain a part of the file, from 1.
   */
  prompts?: number[];
  /**
   * The hunks, in the order of the change. Empty for a file without lines.
   */
  hunks?: HunkReading[];
}
/**
 * The delivery of a hunk.
 */
export interface HunkReading {
  /**
   * The first line of the hunk on the old side.
   */
  old_start?: number;
  /**
   * The first line of the hunk on the new side.
   */
  new_start?: number;
  /**
   * The number of changed lines.
   */
  changed?: number;
  /**
   * The number of changed lines that were delivered.
   */
  delivered?: number;
  /**
   * The prompts that contain changed lines of the hunk, from 1.
   */
  prompts?: number[];
}
/**
 * The files that one agent opened.
 */
export interface AgentReading {
  /**
   * The name of the agent.
   */
  agent?: string;
  /**
   * Its display name. If empty, the name is shown.
   */
  title?: string;
  /**
   * Whether the agent reports the files that it opens.
   */
  events?: boolean;
  access?: FileAccess;
  /**
   * The reason why the file system was not observed, or not completely.
   */
  reason?: string | null;
  /**
   * The files that it opened, by path.
   */
  opened?: string[];
  /**
   * The files that it reported as opened, although the file system saw no access. They do not count.
   */
  not_confirmed?: string[];
  /**
   * The number of further files that the file system saw opened without a report, for example by a search. They do not count.
   */
  not_reported?: number;
  /**
   * The number of opened files that are not listed, because there are too many.
   */
  not_listed?: number;
}
/**
 * The files of which a review did not send all hunks, although they are not ignored. It is empty in reviews of earlier versions.
 */
export interface UnsentFiles {
  /**
   * The paths.
   */
  paths?: string[];
  /**
   * Whether there are others, which are not listed. Then no file counts as sent.
   */
  more?: boolean;
}
/**
 * The commits of a reviewed change.
 */
export interface ReviewedCommits {
  /**
   * The base commit, if there is one.
   */
  base_sha?: string | null;
  /**
   * The head commit.
   */
  head_sha: string;
}
/**
 * Facts about an opened merge request.
 */
export interface RequestView {
  /**
   * The address of the GitLab server.
   */
  base: string;
  /**
   * Its number in the project.
   */
  iid: number;
  /**
   * The title.
   */
  title: string;
  /**
   * `opened`, `closed`, `merged`, `locked`.
   */
  state: string;
  /**
   * The name of its author.
   */
  author?: string | null;
  /**
   * The source branch.
   */
  source_branch: string;
  /**
   * The target branch.
   */
  target_branch: string;
  /**
   * The address of its page.
   */
  web_url?: string | null;
  /**
   * The name of the token's user, who reads and posts.
   */
  me?: string | null;
  /**
   * The commit that is reviewed and approved: the head at the time of opening.
   */
  head: string;
  /**
   * Whether the head has changed since it was opened.
   */
  moved: boolean;
  /**
   * Whether the token's user approved it. None if that is unknown.
   */
  approved?: boolean | null;
  /**
   * The names of the users who approved it. None if that is unknown.
   */
  approved_by?: string[] | null;
  /**
   * The number of missing approvals, if GitLab reports it.
   */
  approvals_left?: number | null;
  /**
   * The verdicts that the token's user can choose. Empty if that is unknown.
   */
  verdicts: VerdictChoice[];
  /**
   * Why whole files are not available, if they are not.
   */
  note?: string | null;
  /**
   * The threads, oldest first.
   */
  threads: ThreadView[];
  /**
   * The interrupted posting, if there is one.
   */
  interrupted?: InterruptedPosting | null;
}
/**
 * A verdict in the posting view.
 */
export interface VerdictChoice {
  verdict: PostVerdict;
  /**
   * Why the user cannot give it, for display. None if it can be given.
   */
  unavailable?: string | null;
}
/**
 * A thread of a merge request.
 */
export interface ThreadView {
  /**
   * The thread's id.
   */
  id: string;
  /**
   * Index into `ChangeView.files` of the thread's file, if the file is part of the opened change.
   */
  file?: number | null;
  /**
   * The path of the file in GitLab. None for a general comment.
   */
  path?: string | null;
  side: Side;
  /**
   * The line, if it is in the diff that is shown.
   */
  line?: number | null;
  /**
   * Whether the thread is about an earlier version of the diff.
   */
  outdated: boolean;
  /**
   * Whether the thread can be resolved.
   */
  resolvable: boolean;
  /**
   * Whether the thread is resolved.
   */
  resolved: boolean;
  /**
   * Whether diffsan posted it.
   */
  own: boolean;
  /**
   * The key of the thread's finding in the shown review.
   */
  finding?: string | null;
  /**
   * The status of the thread's code, if it is known.
   */
  code_status?: CodeStatus | null;
  /**
   * Whether the interface offers to resolve the thread: its code was edited, the latest review does not find it
   * again, and nobody replied.
   */
  offered: boolean;
  /**
   * The comments, oldest first.
   */
  notes: NoteView[];
}
/**
 * A comment.
 */
export interface NoteView {
  /**
   * The comment's number.
   */
  id: number;
  /**
   * The name of its author.
   */
  author: string;
  /**
   * The text without markers.
   */
  body: string;
  /**
   * The creation time, RFC 3339.
   */
  created_at?: string | null;
}
/**
 * An interrupted posting.
 */
export interface InterruptedPosting {
  /**
   * The start of the posting, RFC 3339.
   */
  begun_at: string;
  /**
   * The id of the posted review, if that is still saved.
   */
  review_id?: string | null;
  /**
   * The number of items of the posting.
   */
  comments: number;
  /**
   * The number of items that are known to be posted.
   */
  landed: number;
}
/**
 * An interrupted run: the program or the machine stopped before it ended.
 */
export interface InterruptedRun {
  /**
   * The run's id.
   */
  run_id: string;
  /**
   * The agent's name.
   */
  agent: string;
  /**
   * The start of the run, RFC 3339.
   */
  started_at: string;
  /**
   * The run folder.
   */
  run_dir: string;
  /**
   * The number of answers that were already received.
   */
  answers: number;
}
/**
 * The requests of a repository that need trust, and its trust state.
 */
export interface TrustView {
  /**
   * The repository's name in the list of trusted repositories.
   */
  repository: string;
  state: TrustState;
  /**
   * The place from which its settings were read.
   */
  place: string;
  /**
   * The digest that identifies exactly these requests.
   */
  digest: string;
  /**
   * The settings that need trust.
   */
  settings: RequestedSettingView[];
  /**
   * The files that need trust.
   */
  files: RequestedFileView[];
  /**
   * Files in the repository that the settings name. The text is empty for a file without one.
   */
  named: RequestedFileView[];
  /**
   * Whether an agent is started inside the repository.
   */
  starts_inside: boolean;
  /**
   * Files in the repository that instruct agents or make them run something.
   */
  room: string[];
  /**
   * Notes about ignored parts of the repository, with the reason.
   */
  notes: string[];
}
/**
 * A setting that needs trust.
 */
export interface RequestedSettingView {
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
   * The effect in plain words.
   */
  words: string;
}
/**
 * A file that needs trust.
 */
export interface RequestedFileView {
  /**
   * The path of the file.
   */
  path: string;
  /**
   * The text of the file.
   */
  text: string;
}
/**
 * Asks for an image.
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
 * An image.
 */
export interface ImageView {
  /**
   * The image as a `data:` address. None if that side has no image.
   */
  data?: string | null;
  /**
   * The size in bytes.
   */
  bytes: number;
}
/**
 * Identifies an opened change.
 */
export interface ChangeIdParams {
  /**
   * The opened change.
   */
  change_id: string;
}
/**
 * The definitions that a change touches.
 */
export interface SymbolsView {
  /**
   * The definitions, in the order of the files.
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
   * The name, such as `verify`.
   */
  name: string;
  /**
   * The kind, such as `function`, `method`, `class`, `interface`, `module` or `constant`. Empty if unknown.
   */
  kind: string;
  /**
   * The line of the name on the new side, from 1.
   */
  line: number;
  /**
   * The last line of the definition, from 1.
   */
  last: number;
  /**
   * The first line of the definition that the change touches.
   */
  touched: number;
}
/**
 * The folds of a change and the order to read it in, by the indices of the files in display order.
 */
export interface ShownReading {
  /**
   * The folds, in the change's order.
   */
  folds: ShownFold[];
  /**
   * The chapters, which have every hunk once.
   */
  chapters: ShownChapter[];
  /**
   * Whether the change is too large, so that it has neither folds nor chapters.
   */
  too_large: boolean;
  /**
   * The files that are not read as code, in the change's order.
   */
  unread: UnreadFile[];
}
/**
 * Changed lines that are folded for one reason.
 */
export interface ShownFold {
  reason: FoldReason;
  /**
   * The symbols with new names. Empty for other reasons.
   */
  renames: Rename[];
  /**
   * The lines, in the change's order.
   */
  spans: ShownSpan[];
}
/**
 * A symbol that has another name.
 */
export interface Rename {
  /**
   * The name before the change.
   */
  from: string;
  /**
   * The name after the change.
   */
  to: string;
}
/**
 * Adjacent folded lines of a hunk.
 */
export interface ShownSpan {
  /**
   * The index of the file in display order.
   */
  file: number;
  /**
   * The index of the hunk in the file.
   */
  hunk: number;
  /**
   * The index of the first line in the hunk.
   */
  start: number;
  /**
   * The index after the last line in the hunk.
   */
  end: number;
  /**
   * The other end of a moved block.
   */
  other?: FoldPlace | null;
}
/**
 * A place in a file of the change.
 */
export interface FoldPlace {
  /**
   * The path on its side.
   */
  path: string;
  /**
   * The line, from 1.
   */
  line: number;
  side: Side;
}
/**
 * Hunks that are read together.
 */
export interface ShownChapter {
  kind: ChapterKind;
  /**
   * The name of the symbol or folder. The root folder is empty.
   */
  name: string;
  /**
   * The hunks, in reading order.
   */
  steps: ShownStep[];
}
/**
 * A hunk of a chapter, with the reason of its place.
 */
export interface ShownStep {
  hunk: ShownHunk;
  reason: OrderKind;
  /**
   * The name that `by` uses, if it is called.
   */
  name?: string | null;
  /**
   * The hunk that uses it, if it is called.
   */
  by?: ShownHunk | null;
}
/**
 * A hunk, or a file without hunks.
 */
export interface ShownHunk {
  /**
   * The index of the file in display order.
   */
  file: number;
  /**
   * The index of the hunk. `None` for a file without hunks.
   */
  hunk?: number | null;
}
/**
 * A file that is not read as code.
 */
export interface UnreadFile {
  /**
   * The index of the file in display order.
   */
  file: number;
  reason: UnreadReason;
}
/**
 * The description and the commits of a change.
 */
export interface Overview {
  /**
   * The description of the merge request, as Markdown.
   */
  description?: string | null;
  /**
   * The commits, oldest first. Empty for local changes.
   */
  commits: OverviewCommit[];
}
/**
 * A commit of a change.
 */
export interface OverviewCommit {
  /**
   * The full id. None if only the message is known.
   */
  id?: string | null;
  /**
   * The whole message.
   */
  message: string;
  /**
   * The name of the author, if it is known.
   */
  author?: string | null;
  /**
   * The time at which the author wrote it, in seconds since 1970, if it is known.
   */
  time?: number | null;
}
/**
 * The owners of the files of a change.
 */
export interface FileOwners {
  /**
   * The path of the `CODEOWNERS` file on the target side. None if there is none.
   */
  source?: string | null;
  /**
   * The owners of each file, in the order of the files that are shown.
   */
  files: string[][];
}
/**
 * Marks hunks or files as viewed or not viewed.
 */
export interface ViewedParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The hunks and files.
   */
  marks: ViewedMark[];
  /**
   * Whether they are marked as viewed or as not viewed.
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
   * Index of the hunk. All hunks of the file if absent.
   */
  hunk?: number | null;
}
/**
 * Whether a change differs from the opened one.
 */
export interface MovedView {
  /**
   * Whether it differs.
   */
  moved: boolean;
}
/**
 * A patch without a file, such as a pasted one.
 */
export interface PatchParams {
  /**
   * The name of the patch.
   */
  name: string;
  /**
   * Its text.
   */
  text: string;
}
/**
 * The place where a patch was saved.
 */
export interface PatchView {
  /**
   * The path of its file.
   */
  path: string;
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
   * The approximate number of lines to send. Hunks are cut at this number, so a page may end inside a hunk.
   */
  max_lines: number;
}
/**
 * Asks for the highlighting of some lines.
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
   * The number of lines.
   */
  count: number;
}
/**
 * The highlighting of some lines.
 */
export interface HighlightView {
  /**
   * For each line a flat list `[length, class, length, class, …]` in UTF-16 units that covers the line from its
   * start. A class is an index into `HighlightView.classes`. The list is empty for a line without colours.
   */
  lines: number[][];
  /**
   * The CSS class names: ``, `keyword`, `string`, `comment`, `number`, `function`, `type`, `constant`, `variable`,
   * `operator`, `punctuation`, `tag`, `attribute`, `heading`, `escape`.
   */
  classes: string[];
}
/**
 * Code in a message.
 */
export interface CodeParams {
  /**
   * The language as the fence names it, or the path of a file.
   */
  language: string;
  /**
   * The code.
   */
  text: string;
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
   * The first requested line of the new side, from 1.
   */
  from: number;
  /**
   * The last requested line. Fewer lines are returned at the end of the file, or if the request is too large.
   */
  to: number;
}
/**
 * Lines around the hunks.
 */
export interface ContextView {
  /**
   * The number of the first line on the new side.
   */
  first: number;
  /**
   * The text of the lines.
   */
  lines: string[];
  colours: HighlightView;
  /**
   * The number of lines in the file.
   */
  total: number;
}
/**
 * Asks for the whole texts of a file.
 */
export interface TextsParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Index into `ChangeView.files`.
   */
  file: number;
}
/**
 * The whole texts of a file.
 */
export interface TextsView {
  /**
   * The text before the change. None for a new file.
   */
  old?: string | null;
  /**
   * The text after the change. None for a deleted file.
   */
  new?: string | null;
}
/**
 * Opens a file in the editor that `$VISUAL` or `$EDITOR` names.
 */
export interface EditorParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The path of a file in the work tree.
   */
  path: string;
  /**
   * The line, from 1.
   */
  line: number;
}
/**
 * The state of the symbols of a change's head.
 */
export interface SymbolsState {
  /**
   * The number of files with symbols.
   */
  files: number;
  /**
   * Files of known languages without symbols.
   */
  skipped: SkippedFile[];
}
/**
 * A file that has no symbols, although its language is known.
 */
export interface SkippedFile {
  /**
   * The path.
   */
  path: string;
  /**
   * The reason, as a clause: `it is larger than a megabyte, or binary`.
   */
  reason: string;
}
/**
 * Asks for the definition of a name.
 */
export interface DefinitionParams {
  /**
   * The opened change.
   */
  change_id: string;
  name_place: NamePlace;
}
/**
 * A name in a file.
 */
export interface NamePlace {
  side: Side;
  /**
   * The path on that side.
   */
  path: string;
  /**
   * The line, from 1.
   */
  line: number;
  /**
   * The column in UTF-16 units, from 0.
   */
  column: number;
}
/**
 * The names on a line.
 */
export interface NamesOnLine {
  /**
   * The names that can be asked about, in order, each once.
   */
  names: NameOnLine[];
  /**
   * The reason if the file has no symbols.
   */
  missing?: Missing | null;
  /**
   * Whether the file has syntax errors, so that names can be missing.
   */
  partial: boolean;
}
/**
 * A name on a line.
 */
export interface NameOnLine {
  /**
   * The name.
   */
  name: string;
  /**
   * The column in UTF-16 units, from 0.
   */
  column: number;
}
/**
 * The answer to the question where a name is defined.
 */
export interface FoundDefinition {
  /**
   * There is exactly one, and it is certain.
   */
  certain: boolean;
  /**
   * The candidates, the most likely first.
   */
  places: ShownPlace[];
  /**
   * The reason if there is none.
   */
  missing?: Missing | null;
}
/**
 * A definition with its first lines.
 */
export interface ShownPlace {
  /**
   * The path in the tree.
   */
  path: string;
  /**
   * The line of the name, from 1.
   */
  line: number;
  /**
   * Bytes before the name in its line.
   */
  column: number;
  /**
   * The last line of the definition. The line of the name for other places.
   */
  last_line: number;
  /**
   * The name, with the names of its containers, joined by dots.
   */
  name: string;
  /**
   * The kind of the definition; `local` for a variable, `file` for a module that is a file.
   */
  kind: string;
  /**
   * The first lines from the place on.
   */
  lines: string[];
}
/**
 * Asks for the references to a name.
 */
export interface ReferencesParams {
  /**
   * The opened change.
   */
  change_id: string;
  name_place: NamePlace;
  /**
   * Only calls are returned.
   */
  only_calls?: boolean;
}
/**
 * The references to a name.
 */
export interface FoundReferences {
  /**
   * The references, the certain ones first.
   */
  references: ShownUsage[];
  /**
   * The number of further references.
   */
  more: number;
  /**
   * The search stopped at its limit, so there can be more than `more` says.
   */
  stopped: boolean;
  /**
   * The possible definitions, the most likely first, if the definition is not certain. The references are those of all of them.
   */
  candidates: ShownPlace[];
  /**
   * The reason if there is none.
   */
  missing?: Missing | null;
}
/**
 * A reference with its line.
 */
export interface ShownUsage {
  /**
   * The path in the tree.
   */
  path: string;
  /**
   * The line of the name, from 1.
   */
  line: number;
  /**
   * Bytes before the name in its line.
   */
  column: number;
  /**
   * The name of the definition around it, with its containers. Empty at the top of a file.
   */
  within: string;
  /**
   * The line of the definition around it.
   */
  within_line: number;
  /**
   * The last line of the definition around it.
   */
  within_last: number;
  /**
   * It calls the definition.
   */
  call: boolean;
  /**
   * It can refer to nothing else.
   */
  certain: boolean;
  /**
   * The text of the line, trimmed.
   */
  text: string;
}
/**
 * The changed signatures of a change.
 */
export interface SignaturesView {
  /**
   * The changed signatures with unchanged callers, in the order of the files.
   */
  signatures: ChangedSignature[];
}
/**
 * A definition whose signature the change edits or removes.
 */
export interface ChangedSignature {
  place: Place;
  /**
   * The change removes the definition.
   */
  removed: boolean;
  /**
   * The signature in the base.
   */
  before: string;
  /**
   * The signature in the head. `None` if it is removed.
   */
  after?: string | null;
  /**
   * Calls in the head that the change does not touch, the certain ones first.
   */
  callers: UnchangedCaller[];
  /**
   * The number of further callers that are not listed.
   */
  more: number;
  /**
   * The search for callers stopped at its limit, so there can be more.
   */
  stopped: boolean;
}
/**
 * A place in a file.
 */
export interface Place {
  /**
   * The path in the tree.
   */
  path: string;
  /**
   * The line of the name, from 1.
   */
  line: number;
  /**
   * Bytes before the name in its line.
   */
  column: number;
  /**
   * The last line of the definition. The line of the name for other places.
   */
  last_line: number;
  /**
   * The name, with the names of its containers, joined by dots.
   */
  name: string;
  /**
   * The kind of the definition; `local` for a variable, `file` for a module that is a file.
   */
  kind: string;
}
/**
 * A call that the change does not touch.
 */
export interface UnchangedCaller {
  usage: Usage;
  /**
   * The text of its line, trimmed.
   */
  text: string;
}
/**
 * A use of a definition.
 */
export interface Usage {
  /**
   * The path in the tree.
   */
  path: string;
  /**
   * The line of the name, from 1.
   */
  line: number;
  /**
   * Bytes before the name in its line.
   */
  column: number;
  /**
   * The name of the definition around it, with its containers. Empty at the top of a file.
   */
  within: string;
  /**
   * The line of the definition around it.
   */
  within_line: number;
  /**
   * The last line of the definition around it.
   */
  within_last: number;
  /**
   * It calls the definition.
   */
  call: boolean;
  /**
   * It can refer to nothing else.
   */
  certain: boolean;
}
/**
 * Asks for the facts about a change.
 */
export interface FactsParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Whether reports and the pipeline are read again. Otherwise, known facts are returned.
   */
  again?: boolean;
}
/**
 * The facts about a change.
 */
export interface Facts {
  /**
   * The head commit of the change, if it has one.
   */
  commit?: string | null;
  /**
   * The pipeline of the head, or the latest one of an earlier head.
   */
  pipeline?: Pipeline | null;
  /**
   * The jobs of the pipeline.
   */
  jobs: Job[];
  /**
   * The numbers of tests, if there is a report of tests.
   */
  tests?: TestCounts | null;
  /**
   * The failed tests.
   */
  failures: TestFailure[];
  /**
   * The coverage of the files of the change.
   */
  coverage: TestCoverage[];
  /**
   * The findings of tools in the files of the change.
   */
  findings: ToolFinding[];
  /**
   * The sources that were read, including those that could not be read.
   */
  sources: FactSource[];
  /**
   * Notes about parts that are left out or not sure.
   */
  notes: string[];
}
/**
 * A pipeline.
 */
export interface Pipeline {
  /**
   * The ID.
   */
  id: number;
  /**
   * `success`, `failed`, `running`, ….
   */
  status: string;
  /**
   * The commit that it ran for.
   */
  commit: string;
  /**
   * Whether it ran for another commit than the head.
   */
  stale: boolean;
  /**
   * The address of its page.
   */
  web_url?: string | null;
}
/**
 * A job of a pipeline.
 */
export interface Job {
  /**
   * The ID.
   */
  id: number;
  /**
   * The name.
   */
  name: string;
  /**
   * The stage.
   */
  stage: string;
  /**
   * `success`, `failed`, `running`, ….
   */
  status: string;
  /**
   * Whether the pipeline may succeed if the job fails.
   */
  allow_failure: boolean;
  /**
   * The address of its page.
   */
  web_url?: string | null;
  /**
   * The end of the log of a failed job, if it could be read.
   */
  log?: LogTail | null;
}
/**
 * The end of a log, as plain text.
 */
export interface LogTail {
  /**
   * The last lines.
   */
  text: string;
  /**
   * Whether the log has more lines before them.
   */
  shortened: boolean;
}
/**
 * The numbers of tests.
 */
export interface TestCounts {
  /**
   * Tests that passed.
   */
  passed: number;
  /**
   * Tests that failed, or ended with an error.
   */
  failed: number;
  /**
   * Tests that were skipped.
   */
  skipped: number;
}
/**
 * A failed test.
 */
export interface TestFailure {
  /**
   * The name of the test.
   */
  name: string;
  /**
   * The class, module or suite.
   */
  suite: string;
  /**
   * The message, usually one line.
   */
  message: string;
  /**
   * The stack trace or output.
   */
  details: string;
  /**
   * The lines of the head that its report or stack trace names. The first one is that of the test.
   */
  places: FileLine[];
  /**
   * Whether the report is about another state of the code than the head.
   */
  stale: boolean;
  /**
   * Index into `Facts.sources`.
   */
  source: number;
}
/**
 * A line of a file of the head.
 */
export interface FileLine {
  /**
   * The path of the file.
   */
  path: string;
  /**
   * The line, from 1.
   */
  line: number;
}
/**
 * The coverage of a file.
 */
export interface TestCoverage {
  /**
   * The path of the file.
   */
  path: string;
  /**
   * The measured lines, in order.
   */
  runs: LineRun[];
  /**
   * Whether the report is about another state of the file than the head.
   */
  stale: boolean;
  /**
   * Indices into `Facts.sources`.
   */
  sources: number[];
}
/**
 * Consecutive lines with the same state. Lines without code are in no run.
 */
export interface LineRun {
  /**
   * The first line, from 1.
   */
  start: number;
  /**
   * The last line.
   */
  end: number;
  state: LineState;
}
/**
 * A finding of a tool, such as a linter.
 */
export interface ToolFinding {
  /**
   * The name of the tool, if the report has it.
   */
  tool?: string | null;
  /**
   * The rule.
   */
  rule?: string | null;
  /**
   * The message.
   */
  message: string;
  severity: ToolSeverity;
  /**
   * The path of the file.
   */
  path: string;
  /**
   * The first line, from 1.
   */
  line_start: number;
  /**
   * The last line.
   */
  line_end: number;
  /**
   * Whether the report is about another state of the file than the head.
   */
  stale: boolean;
  /**
   * Index into `Facts.sources`.
   */
  source: number;
}
/**
 * A report that was read, or could not be read.
 */
export interface FactSource {
  /**
   * The path of the file, or the job and the path of its artifact.
   */
  name: string;
  kind: SourceKind;
  /**
   * The commit that it is about, if that is known.
   */
  commit?: string | null;
  /**
   * Whether it is about another commit than the head, or older than all files of the change.
   */
  stale: boolean;
  /**
   * The reason why it could not be read, if it could not.
   */
  problem?: string | null;
}
/**
 * Asks for the history of a line.
 */
export interface LineHistoryParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Index into `ChangeView.files`.
   */
  file: number;
  side: Side;
  /**
   * The line on that side, from 1.
   */
  line: number;
}
/**
 * The history of a line.
 */
export interface LineHistoryView {
  /**
   * The commits that changed the line, newest first. The first one is the blame.
   */
  changes: LineChangeView[];
  /**
   * The reason why older commits, or all of them, are missing.
   */
  stopped?: string | null;
}
/**
 * A commit that changed a line.
 */
export interface LineChangeView {
  /**
   * The full id.
   */
  commit: string;
  /**
   * The whole message.
   */
  message: string;
  /**
   * The name of the author.
   */
  author: string;
  /**
   * The time at which the author wrote it, in seconds since 1970.
   */
  time: number;
  /**
   * The path of the file in that commit.
   */
  path: string;
  /**
   * The number of the line in that commit, from 1.
   */
  line: number;
  /**
   * The text of the line in that commit.
   */
  text: string;
  /**
   * The merge request that brought it, as `group/project!7`, if a message names it.
   */
  merge_request?: string | null;
}
/**
 * The prepared change: the part that would be sent, and reports about the rest.
 */
export interface PreparedView {
  truncation: TruncationReport;
  redaction: RedactionReport;
  /**
   * The ignored files.
   */
  ignored: IgnoredFile[];
  /**
   * The hunks that are not sent because their changed lines have no new meaning.
   */
  folded: FoldedHunk[];
  coverage: CoverageMap;
  /**
   * The values that the reviewer marked as not secret in this repository.
   */
  allowed: AllowedValue[];
}
/**
 * The parts that were cut to fit the budget. Every dropped part is listed.
 */
export interface TruncationReport {
  /**
   * Whether anything was cut.
   */
  truncated: boolean;
  /**
   * The number of characters of the change before the cut, without ignored files.
   */
  original_chars: number;
  /**
   * The number of characters of the prepared diff.
   */
  final_chars: number;
  /**
   * The number of files before the cut.
   */
  original_files: number;
  /**
   * The number of files in the prepared diff.
   */
  final_files: number;
  /**
   * Every dropped file and hunk.
   */
  items: TruncationItem[];
}
/**
 * One part that was cut.
 */
export interface TruncationItem {
  kind: TruncationKind;
  /**
   * The path of its file.
   */
  path: string;
  /**
   * The lines, and the limit that cut them.
   */
  details: string;
}
/**
 * The report of the masked places of a run.
 */
export interface RedactionReport {
  /**
   * Whether the engine is enabled.
   */
  enabled: boolean;
  /**
   * Whether any secret was found.
   */
  found: boolean;
  /**
   * Every masked place, without the secret.
   */
  matches: RedactionMatch[];
  /**
   * The number of further matches that are not listed, because the list has a limit.
   */
  unlisted: number;
  /**
   * One summary for each file or other place with listed matches, in the order of the matches.
   */
  files: RedactedFile[];
  /**
   * The text that replaces a secret in contract fields.
   */
  redaction_token: string;
}
/**
 * One masked place.
 */
export interface RedactionMatch {
  /**
   * The rule that found the secret.
   */
  pattern_name: string;
  /**
   * The file (or `commit message`, `path`, `prompt`, `agent output`, …).
   */
  path: string;
  /**
   * The line, if known: of the file's new side (old side for a removed line), otherwise of the text.
   */
  line_hint?: number | null;
  /**
   * The HMAC-SHA-256 of the secret in hexadecimal, under the installation key. A plain digest could be guessed.
   */
  match_sha256: string;
  /**
   * The length of the secret in bytes.
   */
  match_length: number;
  reason: RedactionReason;
}
/**
 * The masked places of one file.
 */
export interface RedactedFile {
  /**
   * The file, as in [`RedactionMatch::path`].
   */
  path: string;
  /**
   * The number of masked places.
   */
  places: number;
  /**
   * The number of different values.
   */
  values: number;
  /**
   * The rules that found them, each once, in the order of the matches.
   */
  rules: string[];
}
/**
 * An ignored file.
 */
export interface IgnoredFile {
  /**
   * The path of the file.
   */
  path: string;
  reason: IgnoreReason;
  /**
   * The glob, attribute, name or marker that decided.
   */
  details: string;
}
/**
 * A hunk that is not sent because its changed lines have no new meaning.
 */
export interface FoldedHunk {
  /**
   * The path of its file.
   */
  path: string;
  /**
   * Its line numbers: `@@ -1,4 +1,4 @@`.
   */
  hunk: string;
  /**
   * The number of its changed lines.
   */
  lines: number;
  /**
   * The reasons, each once.
   */
  reasons: FoldReason[];
  /**
   * The reasons as text: `moved to src/b.rs:12`.
   */
  details: string;
}
/**
 * The coverage of a change: the state of each of its lines.
 */
export interface CoverageMap {
  /**
   * The summary as a sentence: `18 of 21 files, 94% of changed lines sent; 2 files over the limits, 1 ignored`.
   */
  summary: string;
  /**
   * Every file of the change, in the change's order.
   */
  files: FileCoverage[];
}
/**
 * The states of one file's lines.
 */
export interface FileCoverage {
  /**
   * The path of the file.
   */
  path: string;
  state: Coverage;
  /**
   * The hunks, in the change's order.
   */
  hunks: HunkCoverage[];
}
/**
 * The states of one hunk's lines, in order.
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
   * Runs that cover all lines of the hunk.
   */
  runs: CoverageRun[];
  /**
   * The reasons why its lines are folded. Empty unless they are.
   */
  folded?: FoldReason[];
}
/**
 * A run of lines with the same state.
 */
export interface CoverageRun {
  state: Coverage;
  /**
   * The number of lines of the hunk, in its order.
   */
  lines: number;
}
/**
 * A masked value that the user marked as not secret.
 */
export interface AllowedValue {
  /**
   * The keyed digest of the value, as in the redaction reports.
   */
  value: string;
  /**
   * The rule that classified the value as a secret.
   */
  rule: string;
  /**
   * The place where the value was found.
   */
  place: string;
}
/**
 * Marks a value as not secret in the change's repository, or removes the mark. It takes effect when the change is
 * opened again.
 */
export interface AllowParams {
  /**
   * The opened change.
   */
  change_id: string;
  secret: AllowedValue;
  /**
   * Whether the value is sent without masking.
   */
  allowed: boolean;
}
/**
 * A text to test masking with.
 */
export interface TryParams {
  /**
   * The opened change whose settings apply. The user's own settings if absent.
   */
  change_id?: string | null;
  /**
   * The path of the file that the text is assumed to be in.
   */
  path?: string;
  /**
   * The text to mask.
   */
  text: string;
}
/**
 * The result of masking a text.
 */
export interface TriedView {
  /**
   * The masked text.
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
   * The agent that the prompt is for. The configured agent if absent.
   */
  agent?: string | null;
  /**
   * The model to ask for. The configured model or the agent's default if absent.
   */
  model?: string | null;
  /**
   * Instructions that this review adds.
   */
  instructions?: string | null;
  /**
   * The skills that were selected for this review. The configured skills if absent.
   */
  skills?: string[] | null;
  /**
   * The index of the batch, from 0.
   */
  batch?: number;
}
/**
 * The exact prompt.
 */
export interface PromptView {
  /**
   * The unchanged callers of changed signatures as its text lists them. Empty if it has none.
   */
  callers: string;
  /**
   * The agent that the prompt is for.
   */
  agent: string;
  /**
   * The text, masked as it will be sent.
   */
  text: string;
  /**
   * The number of characters.
   */
  chars: number;
  /**
   * The number of tokens, counted with a common tokenizer. An agent's own count differs slightly.
   */
  tokens: number;
  /**
   * The model that will be requested, if one is named.
   */
  model?: string | null;
  /**
   * The estimated cost by the price table, in US dollars. None if the model or its price is unknown.
   */
  cost_usd?: number | null;
  /**
   * The index of the batch that the prompt is for, from 0.
   */
  batch: number;
  /**
   * The batches, if the change is sent in several prompts; else empty.
   */
  batches: BatchView[];
  /**
   * The source of each prompt file.
   */
  sources: PromptSource[];
  /**
   * The names of the skills in the prompt.
   */
  skills: string[];
  /**
   * The names of all available skills.
   */
  known_skills: string[];
  verify: Verify;
  /**
   * The name of the agent that gives it. Empty for the agent of the review.
   */
  verify_agent: string;
  prepared: PreparedView;
}
/**
 * One batch of a change that is sent in several prompts.
 */
export interface BatchView {
  /**
   * The paths of its files, masked.
   */
  files: string[];
  /**
   * The number of characters of its diff.
   */
  chars: number;
  /**
   * The number of tokens of its diff.
   */
  tokens: number;
}
/**
 * The source of a prompt file.
 */
export interface PromptSource {
  /**
   * The file's name, such as `system.md`.
   */
  name: string;
  /**
   * Its path, or `built in`.
   */
  place: string;
}
/**
 * Asks for the ways to review a change that exceeds the limits.
 */
export interface BudgetParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The agent. The configured agent if absent.
   */
  agent?: string | null;
  /**
   * The model. The configured model or the agent's default if absent.
   */
  model?: string | null;
}
/**
 * The ways to review a change, and the size of each file.
 */
export interface Budget {
  /**
   * The number of added and removed lines, without ignored files.
   */
  lines: number;
  limits: Limits;
  /**
   * The number of tokens that every prompt has in addition to its diff.
   */
  overhead: number;
  /**
   * The number of characters of the whole diff.
   */
  chars: number;
  /**
   * The ways, the recommended one first.
   */
  options: BudgetOption[];
  /**
   * The number of tokens of each file's diff, in the order of the files that are shown. 0 for an ignored file.
   */
  file_tokens: number[];
  /**
   * The number of characters of each file's diff, in the same order.
   */
  file_chars: number[];
}
/**
 * A way to review a change, with its cost.
 */
export interface BudgetOption {
  choice: BudgetChoice;
  limits: Limits;
  /**
   * The number of prompts.
   */
  prompts: number;
  /**
   * The number of tokens of all prompts, counted with a common tokenizer.
   */
  tokens: number;
  /**
   * The number of added and removed lines that are sent.
   */
  lines: number;
  /**
   * The estimated cost by the price table, in US dollars. None if the model or its price is unknown.
   */
  cost_usd?: number | null;
}
/**
 * Limits to preview.
 */
export interface LimitsParams {
  /**
   * The opened change.
   */
  change_id: string;
  limits: Limits;
}
/**
 * The prepared change with other limits, in numbers.
 */
export interface LimitsPreview {
  /**
   * The number of files that would be sent.
   */
  files: number;
  /**
   * The number of files in the change.
   */
  files_of: number;
  /**
   * The number of characters.
   */
  chars: number;
  /**
   * The number of tokens, counted with a common tokenizer.
   */
  tokens: number;
  /**
   * The number of prompts.
   */
  parts: number;
  /**
   * The parts that would be cut.
   */
  cut: TruncationItem[];
  /**
   * The number of ignored files, which does not depend on the limits.
   */
  ignored: number;
  /**
   * One line about the coverage.
   */
  summary: string;
}
/**
 * The prompt files in effect.
 */
export interface PromptFilesView {
  /**
   * The files, in display order.
   */
  files: PromptFileView[];
}
/**
 * A prompt file in effect.
 */
export interface PromptFileView {
  /**
   * The name of the file, such as `system.md`.
   */
  name: string;
  /**
   * The path of the file. None if it is built in.
   */
  path?: string | null;
  /**
   * The text of the file.
   */
  text: string;
}
/**
 * Sets the user's text of a prompt file.
 */
export interface PromptFileParams {
  /**
   * The name of the file, such as `system.md`.
   */
  name: string;
  /**
   * The text. None restores the built-in text.
   */
  text?: string | null;
}
/**
 * Asks for the prompts of a review, or of a run without a review.
 */
export interface SentParams {
  /**
   * The review's id.
   */
  review_id?: string | null;
  /**
   * The run's id.
   */
  run_id?: string | null;
  /**
   * The index of the prompt to read, from 0.
   */
  prompt?: number;
}
/**
 * The prompts that a run sent.
 */
export interface SentView {
  /**
   * The prompts, in the order of agents, batches and attempts. Empty if nothing was sent.
   */
  prompts: SentPromptView[];
  /**
   * The index of the returned prompt, from 0.
   */
  prompt: number;
  /**
   * The text of the prompt, as it was sent.
   */
  text: string;
  /**
   * The number of characters.
   */
  chars: number;
  /**
   * The number of tokens, counted with a common tokenizer.
   */
  tokens: number;
  /**
   * The start of the run, RFC 3339.
   */
  started_at: string;
  /**
   * Instructions that the review added.
   */
  instructions?: string | null;
  /**
   * The run folder.
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
   * The number of the batch, from 1.
   */
  part: number;
  /**
   * The number of the attempt, from 1. Later attempts describe the errors of the previous answer.
   */
  attempt: number;
}
/**
 * Names a run by its review or by its id.
 */
export interface RawAnswersParams {
  /**
   * The review.
   */
  review_id?: string | null;
  /**
   * The run, if it has no review.
   */
  run_id?: string | null;
}
/**
 * The answers of a run.
 */
export interface RawAnswersView {
  /**
   * The answers, ordered by agent, batch and attempt.
   */
  answers: RawAnswer[];
}
/**
 * The answer of an agent as it wrote it, masked.
 */
export interface RawAnswer {
  /**
   * The agent's name.
   */
  agent: string;
  /**
   * The number of the batch, from 1.
   */
  part: number;
  /**
   * The number of the attempt, from 1.
   */
  attempt: number;
  /**
   * The text.
   */
  text: string;
}
/**
 * The snippets in effect.
 */
export interface SnippetsView {
  /**
   * The snippets, in order.
   */
  snippets: Snippet[];
  /**
   * The path of their file. None if they are built in.
   */
  path?: string | null;
  /**
   * The entries that were skipped, with the reason.
   */
  notices: string[];
}
/**
 * A prepared message, and its button.
 */
export interface Snippet {
  /**
   * The label of the button.
   */
  icon: string;
  /**
   * The purpose of the snippet.
   */
  tooltip: string;
  /**
   * The text that is inserted.
   */
  message: string;
}
/**
 * Sets the user's snippets.
 */
export interface SnippetsParams {
  /**
   * The snippets. None restores the built-in ones.
   */
  snippets?: Snippet[] | null;
}
/**
 * The text of a file to import.
 */
export interface ImportParams {
  /**
   * The text.
   */
  text: string;
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
   * The agents, which review at the same time. The configured agent if empty.
   */
  agents?: string[];
  /**
   * The model to ask for. The configured model or the agent's default if absent.
   */
  model?: string | null;
  /**
   * Instructions that this review adds.
   */
  instructions?: string | null;
  /**
   * The skills that were selected for this review. The configured skills if absent.
   */
  skills?: string[] | null;
  /**
   * Whether to review even if the settings say to skip the change.
   */
  anyway?: boolean;
  /**
   * How often each agent is asked the same prompt, at most 20. 0 and 1 mean once.
   */
  runs?: number;
  /**
   * The findings that get a second opinion. The setting if absent.
   */
  verify?: Verify | null;
  /**
   * An interrupted run to resume: its agents, model and instructions are used again, and its answers as far as they
   * are still valid.
   */
  resume?: string | null;
}
/**
 * The answer to a request for a review.
 */
export interface StartedReview {
  /**
   * The run's id.
   */
  run_id: string;
  /**
   * Whether the run is new. Otherwise the change was already being reviewed.
   */
  new: boolean;
}
/**
 * Identifies a run.
 */
export interface RunParams {
  /**
   * The run's id.
   */
  run_id: string;
}
/**
 * No parameters.
 */
export interface FollowReviewsParams {}
/**
 * A running review with its progress so far, or the latest failed review of a change. Its texts are masked.
 */
export interface LiveRun {
  /**
   * The run's id.
   */
  run_id: string;
  /**
   * The key of the change: `ChangeView.review_key`.
   */
  change: string;
  /**
   * The repository to open the change in. Empty for a change without one.
   */
  repo: string;
  target: Target;
  /**
   * The title of the change, for display.
   */
  title: string;
  /**
   * The names of the agents. Empty until the configured agent is known.
   */
  agents: string[];
  /**
   * The milliseconds since the start of the run.
   */
  elapsed_ms: number;
  /**
   * The current step: `fetch`, `prepare`, `room`, `prompt`, `agent` or `validate`.
   */
  step: string;
  /**
   * Whether the step `room` occurred. Not every agent reads files.
   */
  has_room: boolean;
  /**
   * The latest progress messages, oldest first.
   */
  log: RunLine[];
  /**
   * The usage by agent.
   */
  usage: {
    [k: string]: RunUsage;
  };
  /**
   * The failure, if the run failed. It stays until the change is reviewed again, or the user closes it.
   */
  failure?: RunFailure | null;
}
/**
 * A progress message of a run.
 */
export interface RunLine {
  /**
   * The milliseconds since the start of the run.
   */
  elapsed_ms: number;
  /**
   * The agent's name, if the message is about one agent.
   */
  agent?: string | null;
  /**
   * Text for display.
   */
  message: string;
}
/**
 * The usage of an agent so far.
 */
export interface RunUsage {
  /**
   * The number of tokens, if the agent reports it.
   */
  tokens?: TokenUsage | null;
  /**
   * The cost that the agent reports, in US dollars.
   */
  cost_usd?: number | null;
}
/**
 * The failure of a run.
 */
export interface RunFailure {
  error: ErrorInfo;
  /**
   * The run folder, which contains everything that was produced.
   */
  run_dir: string;
}
/**
 * Asks for the state of the reviews of an opened change.
 */
export interface CurrentReviewParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * Whether to show the latest review from now on, even if the change was opened with another one.
   */
  latest?: boolean;
}
/**
 * The state of the reviews of an opened change.
 */
export interface CurrentReview {
  /**
   * The latest review, or the one that the change was opened with.
   */
  review?: ReviewView | null;
  /**
   * The interrupted runs of this change (the program ended or the machine stopped), latest first.
   */
  interrupted: InterruptedRun[];
}
/**
 * Identifies an opened change and a review to place on it.
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
 * Asks for a review in an export format.
 */
export interface ExportParams {
  /**
   * The review.
   */
  review_id: string;
  /**
   * The name of the format. `config/schema/export-formats.json` lists them.
   */
  format: string;
}
/**
 * An exported document.
 */
export interface Document {
  /**
   * A suggested file name, such as `diffsan-2026-11-21-branch-topic.html`.
   */
  name: string;
  /**
   * The text of the document.
   */
  text: string;
}
/**
 * Sets the decision about findings.
 */
export interface DecideParams {
  /**
   * The review's id.
   */
  review_id: string;
  /**
   * The keys of the findings.
   */
  findings: string[];
  decision: Decision;
  /**
   * The reason for the decision.
   */
  reason?: string | null;
}
/**
 * A finding that the reviewer writes, or makes from an answer.
 */
export interface AddFindingParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The key that the finding had before it was removed, if the removal is undone.
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
   * The title.
   */
  title: string;
  /**
   * The text, as Markdown.
   */
  body: string;
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
 * A finding that the reviewer writes.
 */
export interface NewFinding {
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
   * The title.
   */
  title: string;
  /**
   * The text, as Markdown.
   */
  body: string;
}
/**
 * Identifies a finding of a review.
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
   * The protected file that the user confirmed by typing its name. An earlier call named it in `confirm_path`.
   */
  allow_protected?: string | null;
}
/**
 * A fix that was applied or undone.
 */
export interface FixView {
  /**
   * The id of the fix.
   */
  id: number;
  /**
   * The file.
   */
  path: string;
  /**
   * Whether the fix is applied.
   */
  applied: boolean;
}
/**
 * Names findings of a review for a second opinion.
 */
export interface OpinionParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The review.
   */
  review_id: string;
  /**
   * The keys of the findings.
   */
  findings: string[];
}
/**
 * The prompts of a second opinion, before they are sent.
 */
export interface OpinionPreview {
  /**
   * The name of the agent.
   */
  agent: string;
  /**
   * The display name of the agent.
   */
  title: string;
  /**
   * The requested model, if one is named.
   */
  model?: string | null;
  /**
   * The prompts, masked as they will be sent.
   */
  prompts: string[];
  /**
   * The number of tokens of all prompts, counted with a common tokenizer.
   */
  tokens: number;
  /**
   * The estimated cost of the prompts by the price table, in US dollars. None if the model or its price is unknown.
   */
  cost_usd?: number | null;
  /**
   * The number of findings that are over the limits.
   */
  left_out: number;
}
/**
 * Identifies a review.
 */
export interface ReviewName {
  /**
   * The review's id.
   */
  review_id: string;
}
/**
 * The reviews of a change, latest first.
 */
export interface RoundsView {
  /**
   * The summaries of the reviews.
   */
  reviews: HistoryItem[];
}
/**
 * A summary of a review or conversation.
 */
export interface HistoryItem {
  kind: EntryKind;
  /**
   * The id of the review or conversation.
   */
  id: string;
  /**
   * The name of the repository or project, for display; empty for a patch without one.
   */
  place: string;
  /**
   * The path of the repository; empty if there is none.
   */
  repository: string;
  /**
   * The title of the change, for display.
   */
  change: string;
  /**
   * The title of the conversation; empty for a review.
   */
  title: string;
  /**
   * The time when it was made or last continued, RFC 3339.
   */
  at: string;
  /**
   * The agent that reviewed, or that was asked last.
   */
  agent: string;
  /**
   * The model, if one was named.
   */
  model?: string | null;
  /**
   * The number of findings by severity: critical, high, medium, low, info.
   */
  severities: number[];
  /**
   * The number of accepted findings.
   */
  accepted: number;
  /**
   * The number of dismissed findings.
   */
  dismissed: number;
  /**
   * The number of items that were posted to GitLab.
   */
  posted: number;
  /**
   * The number of tokens, if it was reported.
   */
  tokens?: number | null;
  /**
   * The cost in US dollars, if it was reported.
   */
  cost_usd?: number | null;
  /**
   * The number of messages of the conversation.
   */
  messages: number;
  /**
   * The place where the search words were found.
   */
  hit?: SearchHit | null;
}
/**
 * A search match.
 */
export interface SearchHit {
  /**
   * The ID of the finding or message, or `summary` or `change`.
   */
  part: string;
  /**
   * An excerpt, with the matched words between [`MARKS`].
   */
  text: string;
  /**
   * The number of texts that match.
   */
  count: number;
}
/**
 * Identifies two reviews of the same change.
 */
export interface CompareParams {
  /**
   * The id of one review.
   */
  one: string;
  /**
   * The id of the other review.
   */
  other: string;
}
/**
 * Two reviews, compared.
 */
export interface ComparedView {
  /**
   * The id of the earlier review.
   */
  earlier: string;
  /**
   * The id of the later review.
   */
  later: string;
  /**
   * Every finding of both reviews, once: first new ones, then those still present, fixed, gone.
   */
  findings: ComparedFinding[];
}
/**
 * A finding in a comparison of two reviews.
 */
export interface ComparedFinding {
  /**
   * `new`, `still`, `fixed` (its code was edited and the later review does not contain it) or `gone` (not found
   * again for another reason).
   */
  round: string;
  /**
   * Facts about the status of its code, for display.
   */
  why: string;
  /**
   * The finding in the earlier review.
   */
  earlier?: FindingView | null;
  /**
   * The finding in the later review.
   */
  later?: FindingView | null;
}
/**
 * Asks for the plan of resuming an interrupted run.
 */
export interface ResumeParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The run's id.
   */
  run_id: string;
}
/**
 * The plan for resuming an interrupted run.
 */
export interface ResumeView {
  /**
   * The names of the agents.
   */
  agents: string[];
  /**
   * The model, if one was named.
   */
  model?: string | null;
  /**
   * Instructions that the review adds.
   */
  instructions?: string | null;
  /**
   * Every request to an agent, in order.
   */
  parts: ResumePart[];
}
/**
 * One question of a run that is resumed.
 */
export interface ResumePart {
  /**
   * The display name of the agent.
   */
  agent: string;
  /**
   * The number of the part, from 1.
   */
  part: number;
  /**
   * The number of parts.
   */
  of: number;
  /**
   * The number of the run, from 1, if the agent is asked several times.
   */
  run?: number | null;
  /**
   * The files of the part, masked.
   */
  files: string[];
  /**
   * Whether the stored answer is reused; otherwise the agent is asked.
   */
  reused: boolean;
}
/**
 * Asks for a page of the history.
 */
export interface HistoryParams {
  /**
   * Words that must all occur in one text, each at the beginning of a word. Empty matches everything.
   */
  words?: string;
  /**
   * The path of a repository or the name of a project, as in `HistoryView.places`.
   */
  place?: string | null;
  /**
   * Returns only reviews or only conversations.
   */
  kind?: EntryKind | null;
  /**
   * The end of the previous page.
   */
  after?: HistoryCursor | null;
  /**
   * The maximum number of rows, 1 to 500. 100 if absent.
   */
  limit?: number | null;
}
/**
 * The last row of a page.
 */
export interface HistoryCursor {
  /**
   * The time of the row.
   */
  at: string;
  /**
   * The ID of the row.
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
   * The start of the next page. None at the end.
   */
  next?: HistoryCursor | null;
  /**
   * The interrupted runs, latest first. Only in the first page.
   */
  interrupted: InterruptedItem[];
  /**
   * The repositories and projects in the history, those with the most entries first. Only in the first page.
   */
  places: HistoryPlaceView[];
}
/**
 * An interrupted run with its change.
 */
export interface InterruptedItem {
  /**
   * The run's id.
   */
  run_id: string;
  /**
   * The agent's name.
   */
  agent: string;
  /**
   * The start of the run, RFC 3339.
   */
  started_at: string;
  /**
   * The run folder.
   */
  run_dir: string;
  /**
   * The number of answers that were already received.
   */
  answers: number;
  /**
   * The name of the repository or project, for display.
   */
  place: string;
  /**
   * The title of the change, for display.
   */
  change: string;
}
/**
 * A repository or project in the history.
 */
export interface HistoryPlaceView {
  /**
   * Its path or name, as `HistoryParams.place` expects it.
   */
  place: string;
  /**
   * The name for display.
   */
  name: string;
  /**
   * The number of its entries.
   */
  count: number;
}
/**
 * Identifies an entry of the history.
 */
export interface HistoryName {
  kind: EntryKind;
  /**
   * The id of the entry.
   */
  id: string;
}
/**
 * The change of an entry of the history. The client opens it with `change.open` and the same values.
 */
export interface ReopenedView {
  /**
   * The repository. None if the change needs none.
   */
  repo?: RepoView | null;
  target: Target;
  /**
   * The commit since which changes were sent, if not all of them were.
   */
  since?: string | null;
  /**
   * The review to show with the change, if it is not the latest.
   */
  review_id?: string | null;
  /**
   * The conversation.
   */
  conversation?: ConversationItem | null;
  /**
   * A note for display if something differs from then.
   */
  note?: string | null;
  /**
   * The change as it is now, if it differs.
   */
  now?: Target | null;
}
/**
 * A conversation.
 */
export interface ConversationItem {
  /**
   * The conversation's id.
   */
  id: string;
  /**
   * The beginning of its first message; empty for a new conversation.
   */
  title: string;
  /**
   * The agent that was asked last; empty for the configured agent.
   */
  agent: string;
  /**
   * The model that was asked for last.
   */
  model?: string | null;
  /**
   * The time of its last change, RFC 3339.
   */
  updated_at: string;
}
/**
 * The inbox.
 */
export interface InboxView {
  /**
   * The rows: by group in the order of the groups, and in each group the latest update first.
   */
  rows: InboxRow[];
  /**
   * The accounts.
   */
  accounts: InboxAccount[];
  /**
   * Whether a refresh runs.
   */
  refreshing: boolean;
  /**
   * After a refresh, the keys of the rows that came to wait for the reader and are to be notified. Each is returned once.
   */
  news: string[];
}
/**
 * A row of the inbox.
 */
export interface InboxRow {
  /**
   * The key of the row. It stays the same for as long as the merge request or branch exists.
   */
  key: string;
  kind: InboxRowKind;
  group: InboxGroup;
  reason: InboxReason;
  /**
   * Whether the reader snoozed or muted the row.
   */
  hidden: boolean;
  /**
   * The mark of the reader, if it still holds.
   */
  mark?: InboxMark | null;
  /**
   * The end of a snooze, RFC 3339.
   */
  snoozed_until?: string | null;
  target: Target;
  /**
   * The path of a local repository of the project.
   */
  repository?: string | null;
  /**
   * The address of the GitLab server. Empty for local work.
   */
  host: string;
  /**
   * The path of the project, or the name of the local repository's folder.
   */
  project: string;
  /**
   * The number of the merge request in its project.
   */
  iid?: number | null;
  /**
   * The title of the merge request, or the branch.
   */
  title: string;
  /**
   * The user name of the author. Empty for local work.
   */
  author: string;
  role: InboxRole;
  /**
   * The address of the web page.
   */
  web_url?: string | null;
  /**
   * The names of the labels.
   */
  labels: string[];
  /**
   * The time of creation, RFC 3339.
   */
  created_at?: string | null;
  /**
   * The time of the last update or commit, RFC 3339.
   */
  updated_at?: string | null;
  /**
   * The number of changed files. `1000+` if GitLab did not count them all.
   */
  changed_files?: string | null;
  /**
   * The numbers of added and removed lines, if they are known.
   *
   * @minItems 2
   * @maxItems 2
   */
  lines?: [number, number] | null;
  /**
   * Whether GitLab shows only a part of the diff, because it is too large.
   */
  too_large: boolean;
  /**
   * The state of the pipeline.
   */
  pipeline?: PipelineState | null;
  /**
   * The user names of those who approved.
   */
  approved_by: string[];
  /**
   * The number of missing approvals, if it is known.
   */
  approvals_left?: number | null;
  /**
   * Whether it is a draft.
   */
  draft: boolean;
  /**
   * Whether it has conflicts with the target branch.
   */
  conflicts: boolean;
  /**
   * Whether it needs a rebase.
   */
  needs_rebase: boolean;
  /**
   * The number of unresolved threads.
   */
  open_threads: number;
  /**
   * The head commit.
   */
  head?: string | null;
  /**
   * The latest review in diffsan.
   */
  review?: InboxReview | null;
  /**
   * Why the row is incomplete or old.
   */
  problem?: string | null;
}
/**
 * The reason for a group.
 */
export interface InboxReason {
  code: InboxReasonCode;
  /**
   * The reason in words, such as `author answered in 3 threads`.
   */
  text: string;
}
/**
 * The latest review of a row in diffsan.
 */
export interface InboxReview {
  /**
   * The ID of the review.
   */
  id: string;
  /**
   * The time of the review, RFC 3339.
   */
  created_at: string;
  /**
   * The head commit that was reviewed.
   */
  head?: string | null;
  /**
   * Whether the head is still the same.
   */
  current: boolean;
  /**
   * The numbers of findings by severity: critical, high, medium, low, info.
   *
   * @minItems 5
   * @maxItems 5
   */
  severities: [number, number, number, number, number];
  /**
   * Whether something of it was posted.
   */
  posted: boolean;
}
/**
 * An account in the inbox.
 */
export interface InboxAccount {
  /**
   * The address of the GitLab server.
   */
  host: string;
  /**
   * The name of the account. Empty if there is only one.
   */
  account: string;
  /**
   * The user name, if it is known.
   */
  username?: string | null;
  /**
   * The time of the last complete refresh, RFC 3339.
   */
  refreshed_at?: string | null;
  /**
   * Why the last refresh failed. The rows are those of the refresh before.
   */
  problem?: InboxProblem | null;
  /**
   * The number of requests of the last refresh.
   */
  requests: number;
  /**
   * The seconds by which the server's clock is ahead of this machine's. 0 if they differ by less than a minute.
   */
  clock_ahead: number;
  /**
   * The merge requests that the running refresh has read, and all of them.
   *
   * @minItems 2
   * @maxItems 2
   */
  progress?: [number, number] | null;
}
/**
 * Why an account could not be read.
 */
export interface InboxProblem {
  /**
   * The failure.
   */
  message: string;
  /**
   * The suggested action.
   */
  hint?: string | null;
}
/**
 * Asks for a refresh of the inbox.
 */
export interface InboxRefreshParams {}
/**
 * Sets the mark of a row.
 */
export interface InboxMarkParams {
  /**
   * The key of the row.
   */
  key: string;
  /**
   * The mark. Without it, the mark of the row is removed.
   */
  mark?: InboxMark | null;
  /**
   * The end of a snooze, RFC 3339. Without it, new activity ends the snooze.
   */
  until?: string | null;
}
/**
 * Takes the latest mark back.
 */
export interface InboxUndoParams {}
/**
 * The inbox after an undo.
 */
export interface InboxUndoneView {
  /**
   * The key of the row whose mark was taken back. None if there was nothing to undo.
   */
  key?: string | null;
  inbox: InboxView;
}
/**
 * Asks for the open merge requests of a repository's remote.
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
   * The merge requests, latest first.
   */
  items: RequestItem[];
}
/**
 * A merge request in a list.
 */
export interface RequestItem {
  target: Target;
  /**
   * Its number in the project.
   */
  iid: number;
  /**
   * The relation of the token's user to it: `reviewer`, `assigned` or `mine`.
   */
  relation?: string | null;
  /**
   * The title.
   */
  title: string;
  /**
   * The name of its author.
   */
  author?: string | null;
  /**
   * The source branch.
   */
  source_branch: string;
  /**
   * The target branch.
   */
  target_branch: string;
  /**
   * The time of its last update, RFC 3339.
   */
  updated_at?: string | null;
}
/**
 * Asks for the merge request that a text names.
 */
export interface FindRequestParams {
  /**
   * The path of the repository. Its remotes determine the project if the text does not name it.
   */
  repo: string;
  /**
   * An address, `group/project!7` or `!7`.
   */
  text: string;
}
/**
 * The merge request that a text names.
 */
export interface FoundRequest {
  target: Target;
  /**
   * The path of a clone of its project that was opened before.
   */
  repo?: string | null;
}
/**
 * Replies in a thread.
 */
export interface ReplyParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The thread's id.
   */
  thread: string;
  /**
   * The text of the reply.
   */
  body: string;
}
/**
 * Resolves or reopens a thread.
 */
export interface ResolveParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The thread's id.
   */
  thread: string;
  /**
   * Whether to resolve or to reopen it.
   */
  resolved: boolean;
}
/**
 * Plans a posting.
 */
export interface PlanParams {
  /**
   * The opened change, which is a merge request.
   */
  change_id: string;
  /**
   * The review. None for a plan without comments, whose posting only gives a verdict.
   */
  review_id?: string | null;
  /**
   * The findings to post.
   */
  chosen: ChosenFinding[];
  /**
   * Whether to post the summary.
   */
  summary: boolean;
  /**
   * The user's text, which replaces the words of the summary.
   */
  summary_text?: string | null;
  /**
   * Whether the summary lists the requirements of the authors. The setting if absent.
   */
  requirements?: boolean | null;
  /**
   * Whether this plan replaces an earlier one, which has left out the findings of lower layers of the stack. The
   * stack is not read again.
   */
  replan?: boolean;
}
/**
 * A finding that is selected for posting.
 */
export interface ChosenFinding {
  /**
   * The finding's key.
   */
  finding: string;
  /**
   * The user's text, which replaces the agent's.
   */
  body?: string | null;
}
/**
 * A post plan: exactly the comments that would be posted.
 */
export interface PlanView {
  /**
   * The id of the plan, for `post.start`.
   */
  plan_id: string;
  /**
   * The items, the summary last.
   */
  comments: PlannedComment[];
  /**
   * The findings that are not posted here, because a lower layer of the stack introduced their lines.
   */
  elsewhere: FindingElsewhere[];
  /**
   * Why the stack could not be read. Findings of lower layers are then planned here.
   */
  stack_error?: string | null;
  /**
   * Whether the summary lists the requirements of the authors, if the review has any.
   */
  requirements: boolean;
}
/**
 * One item of a post plan.
 */
export interface PlannedComment {
  /**
   * The item's key; `summary` for the summary.
   */
  key: string;
  /**
   * The key of its finding. None for the summary.
   */
  finding?: string | null;
  /**
   * The title.
   */
  title: string;
  /**
   * Its severity's name; empty for the summary.
   */
  severity: string;
  /**
   * The place, for display.
   */
  place: string;
  placement: Placement;
  /**
   * The text to send, without markers.
   */
  body: string;
  /**
   * Whether the text contains a suggestion that can be applied in GitLab.
   */
  suggestion: boolean;
  /**
   * The current lines that the suggestion replaces; empty without a suggestion.
   */
  replaced: string[];
  /**
   * Notes about parts that cannot be posted as intended, with the reason.
   */
  notes: string[];
  /**
   * Whether the item is already posted.
   */
  already_posted: boolean;
}
/**
 * A finding that belongs to a lower layer of the stack.
 */
export interface FindingElsewhere {
  /**
   * The key of the finding.
   */
  key: string;
  /**
   * The title, or the text of a finding without one.
   */
  title: string;
  /**
   * The place, for display.
   */
  place: string;
  layer: LayerOfFinding;
}
/**
 * The lower layer that introduced the lines of a finding.
 */
export interface LayerOfFinding {
  target: Target;
  /**
   * The name of the layer: the number of the merge request as `!7`, or the branch.
   */
  name: string;
  /**
   * The title of the layer.
   */
  title: string;
}
/**
 * Posts a post plan.
 */
export interface PostParams {
  /**
   * The id of the plan.
   */
  plan_id: string;
  /**
   * Whether a finding whose line GitLab rejects is posted to its file or in the summary instead.
   */
  degrade?: boolean;
  verdict?: PostVerdict;
}
/**
 * The result of one item.
 */
export interface ItemResult {
  /**
   * The key of the item's finding; `summary` for the summary.
   */
  key: string;
  /**
   * The title.
   */
  title: string;
  state: ItemState;
  /**
   * The address of the comment.
   */
  url?: string | null;
  /**
   * The error, if the item failed.
   */
  error?: ErrorInfo | null;
}
/**
 * The outcome of a posting.
 */
export interface PostOutcome {
  /**
   * Whether every item is posted and the verdict is given.
   */
  complete: boolean;
  way: DeliveryMethod;
  /**
   * The items, the summary last.
   */
  items: ItemResult[];
  /**
   * The result of the verdict, if one was chosen.
   */
  verdict?: VerdictResult | null;
  /**
   * The error that stopped the posting before its end.
   */
  error?: ErrorInfo | null;
  /**
   * The error of recording the end of the posting. The items are posted nevertheless.
   */
  journal_error?: ErrorInfo | null;
}
/**
 * The selected method, and the reason.
 */
export interface DeliveryMethod {
  /**
   * Whether comments are drafts first.
   */
  drafts: boolean;
  /**
   * Whether the drafts are published together.
   */
  together: boolean;
  /**
   * Whether the summary is published together with the drafts.
   */
  summary_along?: boolean;
  /**
   * The reason, for display.
   */
  reason: string;
}
/**
 * The result of a verdict.
 */
export interface VerdictResult {
  verdict: PostVerdict;
  state: VerdictState;
  /**
   * The error, if it failed.
   */
  error?: ErrorInfo | null;
}
/**
 * Saves a secret.
 */
export interface SecretParams {
  /**
   * The address of a GitLab server, or `key:VARIABLE`.
   */
  name: string;
  /**
   * The secret. No method returns it.
   */
  value: string;
  /**
   * Whether to keep it only until the program ends.
   */
  session_only?: boolean;
}
/**
 * Identifies a secret, or a GitLab server by its address.
 */
export interface SecretNameParams {
  /**
   * The name of the secret, or the server's address.
   */
  name: string;
}
/**
 * The saved secrets.
 */
export interface SecretList {
  /**
   * The secrets, by name.
   */
  items: SecretView[];
}
/**
 * A saved secret.
 */
export interface SecretView {
  /**
   * The name of the secret.
   */
  name: string;
  /**
   * Whether the secret still exists.
   */
  exists: boolean;
}
/**
 * Facts about a token.
 */
export interface TokenView {
  /**
   * The name of the token's user.
   */
  username: string;
  /**
   * The scopes of the token, if they are known.
   */
  scopes?: string[] | null;
  /**
   * The expiry date, if it is known.
   */
  expires_at?: string | null;
  /**
   * Whether the scopes are sufficient for posting, if that is known.
   */
  can_post?: boolean | null;
  /**
   * The place where the token was found, for display.
   */
  place: string;
}
/**
 * Identifies a fix block to apply.
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
   * The number of the message.
   */
  number: number;
  /**
   * The line of the block's opening fence in the message.
   */
  line: number;
  /**
   * The protected file that the user confirmed by typing its name. An earlier call named it in `confirm_path`.
   */
  allow_protected?: string | null;
}
/**
 * Identifies a fix to undo.
 */
export interface UndoParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The id of the fix.
   */
  fix: number;
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
   * The agent to ask. The configured agent if absent.
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
export interface CommitMessage {
  /**
   * The text.
   */
  message: string;
  /**
   * The problems that remain after a repair.
   */
  problems: string[];
  /**
   * Whether it was repaired.
   */
  repaired: boolean;
}
/**
 * The conversations about a change, latest first.
 */
export interface ConversationsView {
  /**
   * The conversations.
   */
  conversations: ConversationItem[];
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
   * The agent to ask. The configured agent if absent.
   */
  agent?: string | null;
  /**
   * The model to ask for.
   */
  model?: string | null;
}
/**
 * Identifies a conversation.
 */
export interface ChatParams {
  /**
   * The conversation's id.
   */
  conversation_id: string;
}
/**
 * Identifies a conversation and its opened change.
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
   * The agent that would be asked, if it is another one.
   */
  agent?: string | null;
}
/**
 * The messages that would be sent with the next one, for display.
 */
export interface AssembledMessages {
  /**
   * The messages, in order.
   */
  messages: AssembledMessage[];
  /**
   * The number of tokens of all messages.
   */
  tokens: number;
}
/**
 * A message as it is sent.
 */
export interface AssembledMessage {
  /**
   * `system`, `user` or `assistant`.
   */
  role: string;
  /**
   * The exact text.
   */
  text: string;
}
/**
 * A compaction: a summary that replaces earlier messages.
 */
export interface CompactionView {
  /**
   * The compaction's id.
   */
  id: number;
  /**
   * The number of the last message that it replaces.
   */
  through: number;
  /**
   * The directive that replaces the user's messages.
   */
  intent: string;
  /**
   * The summary.
   */
  summary: string;
  /**
   * The origin of the summary: `agent`, `repaired` or `fallback`.
   */
  how: string;
  /**
   * Notes about repaired parts of the summary, or the reason why the agent's summary could not be used.
   */
  notes: string[];
  /**
   * The creation time, RFC 3339.
   */
  created_at: string;
}
/**
 * A message to send.
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
   * The text that the user typed.
   */
  text: string;
  /**
   * The things that the message is about; empty for the whole change.
   */
  attached?: About[];
  /**
   * The agent to ask. The agent that was asked last if absent or empty.
   */
  agent?: string | null;
  /**
   * The model to ask for. The model that was asked for last if absent or empty.
   */
  model?: string | null;
  /**
   * The number of the message that this one replaces. That message and all later ones become superseded.
   */
  replaces?: number | null;
  /**
   * An extra instruction. If it is not empty, the rules are sent again together with it.
   */
  tip?: string;
}
/**
 * The result of sending a message: it is saved and on its way to the agent.
 */
export interface ChatSent {
  /**
   * The number of the answer's message.
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
   * The request's id.
   */
  id: string;
  answer: PermissionAnswer;
}
/**
 * A whole conversation.
 */
export interface ChatView {
  conversation: ConversationItem;
  /**
   * Every message, including superseded ones.
   */
  messages: MessageView[];
  /**
   * The compactions, oldest first.
   */
  compactions: CompactionView[];
  /**
   * Whether an answer is being written.
   */
  busy: boolean;
  /**
   * The agent's current step, for display.
   */
  step: string;
  /**
   * The open requests for permission.
   */
  permissions: PermissionRequest[];
}
/**
 * A message.
 */
export interface MessageView {
  /**
   * The message's number in the conversation, from 1.
   */
  number: number;
  /**
   * `user` or `assistant`.
   */
  role: string;
  /**
   * `done`, `streaming`, `stopped`, `failed` or `interrupted`.
   */
  state: string;
  /**
   * Its text, masked.
   */
  text: string;
  /**
   * The things that the message is about.
   */
  attached: About[];
  /**
   * The title of the agent that answered, for display.
   */
  agent: string;
  /**
   * The model that was asked for.
   */
  model?: string | null;
  /**
   * The token usage of its request.
   */
  usage?: TokenUsage | null;
  /**
   * The size of the model's context, in tokens.
   */
  limit?: number | null;
  /**
   * The tools that the agent used.
   */
  tools: ToolCall[];
  /**
   * The error, if the answer failed.
   */
  error?: ErrorInfo | null;
  /**
   * The duration of the answer, in milliseconds.
   */
  milliseconds?: number | null;
  /**
   * How the agent's process was confined; `None` for an endpoint, and before its end.
   */
  sandbox?: SandboxReceipt | null;
  /**
   * The fix blocks of its text.
   */
  blocks: FixBlockView[];
  /**
   * Whether an edited message replaces it.
   */
  superseded: boolean;
  /**
   * The creation time, RFC 3339.
   */
  created_at: string;
}
/**
 * A tool call.
 */
export interface ToolCall {
  /**
   * The call's id.
   */
  id: string;
  /**
   * The title for display.
   */
  title: string;
  /**
   * Whether the call has ended.
   */
  done: boolean;
}
/**
 * A fix block of a message.
 */
export interface FixBlockView {
  /**
   * The line of its opening fence in the message, from 0. It identifies the block.
   */
  line: number;
  /**
   * The number of lines in the message, including the fences.
   */
  lines: number;
  /**
   * The file to edit.
   */
  path: string;
  /**
   * The text to replace; empty to create the file.
   */
  old: string;
  /**
   * The new text.
   */
  new: string;
  /**
   * Why the block is not a valid fix. None if it is valid.
   */
  problem?: string | null;
  /**
   * The id of the fix, if the block is applied.
   */
  applied?: number | null;
}
/**
 * A request for permission.
 */
export interface PermissionRequest {
  /**
   * The request's id.
   */
  id: string;
  /**
   * The kind of action.
   */
  kind: string;
  /**
   * The title for display.
   */
  title: string;
}
/**
 * Selects whose settings are meant.
 */
export interface SettingsParams {
  /**
   * The id of an opened change, for its settings.
   */
  change_id?: string | null;
  /**
   * The path of a repository, for its settings. The user's settings alone if neither is named.
   */
  repo?: string | null;
}
/**
 * The settings in effect.
 */
export interface SettingsView {
  /**
   * The path of the user's settings file.
   */
  file: string;
  /**
   * Whether the file exists.
   */
  exists: boolean;
  /**
   * Identifies the current content of the file. A change of settings names the content that it is based on.
   */
  stamp: string;
  /**
   * Every setting, with its value.
   */
  entries: SettingView[];
  /**
   * The requests of the repository that need trust. None if there are none.
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
   * The description of the setting.
   */
  about: string;
  kind: SettingKind;
  /**
   * The current value.
   */
  value: {
    [k: string]: unknown;
  };
  /**
   * The current value as TOML.
   */
  toml: string;
  /**
   * The value if nothing sets it.
   */
  default?: {
    [k: string]: unknown;
  };
  origin: SettingOrigin;
  /**
   * The file or variable that the value comes from, if there is one.
   */
  place?: string | null;
  /**
   * The value in the user's file.
   */
  own?: {
    [k: string]: unknown;
  };
  /**
   * Whether a part of the value was masked. Such a value can be replaced but not edited.
   */
  masked: boolean;
}
/**
 * One option of a choice.
 */
export interface SettingChoice {
  /**
   * The value.
   */
  value: string;
  /**
   * The description; empty if the value explains itself.
   */
  about: string;
}
/**
 * Changes of the user's settings. Either all of them are made or none.
 */
export interface SettingsChangeParams {
  /**
   * The id of an opened change, for its settings.
   */
  change_id?: string | null;
  /**
   * The path of a repository, for its settings. The user's settings alone if neither is named.
   */
  repo?: string | null;
  /**
   * The `SettingsView.stamp` that the changes are based on. None accepts any content of the file.
   */
  stamp?: string | null;
  /**
   * The changes.
   */
  changes: SettingChange[];
}
/**
 * A change of a setting.
 */
export interface SettingChange {
  /**
   * The setting's key.
   */
  key: string;
  /**
   * The new value.
   */
  value?: {
    [k: string]: unknown;
  };
  /**
   * The new value as TOML, instead of `value`. Without both, the setting is removed from the file.
   */
  toml?: string | null;
}
/**
 * Trusts the requests that were shown.
 */
export interface TrustParams {
  /**
   * The opened change with which they were shown.
   */
  change_id: string;
  /**
   * The digest of the requests that were shown.
   */
  digest: string;
}
/**
 * Identifies a trusted repository.
 */
export interface DistrustParams {
  /**
   * The repository, as in the list.
   */
  repository: string;
}
/**
 * The trusted repositories.
 */
export interface TrustList {
  /**
   * The repositories.
   */
  items: TrustItem[];
}
/**
 * A trusted repository.
 */
export interface TrustItem {
  /**
   * The path of the repository, or the address of its project.
   */
  repository: string;
  /**
   * The time when it was last trusted.
   */
  given_at: string;
  /**
   * The settings and files that it is trusted with.
   */
  with: string[];
}
/**
 * The saved data.
 */
export interface SavedData {
  /**
   * The path of the data folder.
   */
  folder: string;
  /**
   * The path of the configuration folder.
   */
  config_folder: string;
  /**
   * The parts of the data folder.
   */
  parts: DataPart[];
  /**
   * The number of reviews.
   */
  reviews: number;
  /**
   * The number of conversations.
   */
  conversations: number;
  /**
   * The number of run folders.
   */
  runs: number;
}
/**
 * A part of the data folder.
 */
export interface DataPart {
  /**
   * The name for display.
   */
  title: string;
  /**
   * The size in bytes.
   */
  bytes: number;
}
/**
 * Removes saved data.
 */
export interface DataRemoveParams {
  kind: DataKind;
  /**
   * The minimum age in days. Everything of that kind if absent.
   */
  older_than_days?: number | null;
}
/**
 * The result of removing data.
 */
export interface DataRemoved {
  /**
   * The number of run folders.
   */
  runs: number;
  /**
   * The number of reviews.
   */
  reviews: number;
  /**
   * The number of conversations.
   */
  conversations: number;
  /**
   * The freed disk space, in bytes.
   */
  bytes: number;
  remaining: SavedData;
}
/**
 * Identifies an opened change.
 */
export interface VersionsParams {
  /**
   * The opened change.
   */
  change_id: string;
}
/**
 * The known versions of a change, oldest first.
 */
export interface VersionsView {
  /**
   * The versions.
   */
  versions: VersionItem[];
}
/**
 * A version of an opened change.
 */
export interface VersionItem {
  /**
   * The number in the list, from 1. `v3` names the third version.
   */
  number: number;
  /**
   * The full id of the commit where it starts. None for an empty tree.
   */
  base?: string | null;
  /**
   * The full id of the commit where it ends.
   */
  head: string;
  origin: VersionOrigin;
  /**
   * The time at which diffsan first opened or reviewed it, RFC 3339.
   */
  time?: string | null;
  /**
   * The number of its commits and files. None if the repository does not have its commits.
   */
  size?: VersionSize | null;
  /**
   * Whether the latest review is of this version.
   */
  reviewed: boolean;
  /**
   * Whether it is the opened one.
   */
  current: boolean;
}
/**
 * The size of a version.
 */
export interface VersionSize {
  /**
   * The number of commits without merges, at most 1,000.
   */
  commits: number;
  /**
   * The number of changed files.
   */
  files: number;
}
/**
 * Asks for the edits since a version.
 */
export interface SinceParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The version: `last` for the last review, `v3` for the third known version, a commit, or the full ids of its base and its head
   * as `BASE..HEAD`. Numbers can change when a version is added, ids do not.
   */
  since: string;
  /**
   * The later version, named in the same way. The opened one if absent.
   */
  until?: string | null;
  /**
   * The number of files to skip: those of earlier pages.
   */
  from?: number;
}
/**
 * The edits of the author since a version. Files are sent in pages.
 */
export interface SinceView {
  old: VersionRange;
  new: VersionRange;
  verdict: Verdict2;
  /**
   * The result in a sentence.
   */
  summary: string;
  /**
   * The number of files with edits.
   */
  file_count: number;
  /**
   * The files of this page. A page ends after 5,000 lines, and has at least one file.
   */
  files: ComparedFile[];
  /**
   * The number of files to skip for the next page. None at the end.
   */
  next?: number | null;
  hidden: HiddenLines;
  /**
   * The commits of both versions. Only in the first page.
   */
  commits: CommitRow[];
  /**
   * The findings of the last review and the threads whose lines the earlier version has. Only in the first page.
   */
  remarks: ComparedRemark[];
}
/**
 * The commits of a version.
 */
export interface VersionRange {
  /**
   * The full id of the commit where it starts. None for an empty tree.
   */
  base?: string | null;
  /**
   * The full id of the commit where it ends.
   */
  head: string;
}
/**
 * A file with edits of the author.
 */
export interface ComparedFile {
  /**
   * The path in the new version, or in the old one if the file is gone.
   */
  path: string;
  /**
   * The path in the old version, if it differs.
   */
  old_path?: string | null;
  /**
   * Whether the author had to resolve a conflict with the target branch.
   */
  conflict: boolean;
  /**
   * The differences that the lines do not show.
   */
  notes: FileNoteItem[];
  /**
   * The edits.
   */
  hunks: ComparedHunk[];
  hidden: HiddenLines;
}
/**
 * Adjacent lines of a file.
 */
export interface ComparedHunk {
  /**
   * Whether it has lines of a conflict.
   */
  conflict: boolean;
  /**
   * The lines.
   */
  lines: ComparedLine[];
}
/**
 * A line.
 */
export interface ComparedLine {
  /**
   * ` ` for a line that is in the new version and is expected there, `+` for one that the author added since the old version,
   * `-` for one that the author removed.
   */
  sign: string;
  source: LineSource;
  /**
   * The number in the old head, from 1.
   */
  old?: number | null;
  /**
   * The number in the new base, from 1.
   */
  base?: number | null;
  /**
   * The number in the new head, from 1.
   */
  new?: number | null;
  /**
   * Whether the author's change and that of the target branch touch each other here.
   */
  conflict: boolean;
  /**
   * The text, without the line feed. Bytes that are not UTF-8 are replaced.
   */
  text: string;
  /**
   * Whether no line feed follows.
   */
  no_newline: boolean;
}
/**
 * The lines that are not shown.
 */
export interface HiddenLines {
  /**
   * The number of files that only the target branch changed.
   */
  target_files: number;
  /**
   * The number of lines that the target branch added to files of the change.
   */
  target_added: number;
  /**
   * The number of lines that the target branch removed from files of the change.
   */
  target_removed: number;
  /**
   * The number of lines of the author that the target branch has now, too.
   */
  in_target: number;
}
/**
 * A commit in both versions, or in one of them.
 */
export interface CommitRow {
  state: CommitState;
  /**
   * Whether it has another place among the commits that both versions have.
   */
  reordered: boolean;
  /**
   * Whether the message differs.
   */
  message_changed: boolean;
  /**
   * The commit in the old version.
   */
  old?: CommitItem | null;
  /**
   * The commit in the new version.
   */
  new?: CommitItem | null;
}
/**
 * A commit.
 */
export interface CommitItem {
  /**
   * Its place in its version, from 1.
   */
  number: number;
  /**
   * The full id.
   */
  id: string;
  /**
   * The first line of the message.
   */
  subject: string;
}
/**
 * A remark in a comparison.
 */
export interface ComparedRemark {
  kind: RemarkKind;
  /**
   * The key of the finding, or the id of the thread.
   */
  id: string;
  status: CodeStatus;
  /**
   * The path of the file with the edits, as the comparison names it. None if the file has none.
   */
  path?: string | null;
  /**
   * The index of the edits of the file that are at its lines. None if none are.
   */
  hunk?: number | null;
}
/**
 * The commits of a change.
 */
export interface CommitsView {
  /**
   * The commits without merges, oldest first.
   */
  commits: CommitEntry[];
  /**
   * The commits that the findings of the review belong to: those that introduced or removed their lines.
   */
  findings: CommitFinding[];
}
/**
 * A commit of a change.
 */
export interface CommitEntry {
  /**
   * Its place in the change, from 1, oldest first.
   */
  number: number;
  /**
   * The full id.
   */
  id: string;
  /**
   * The whole message.
   */
  message: string;
  /**
   * The path of findings about the message.
   */
  message_path: string;
  /**
   * The name of the author.
   */
  author: string;
  /**
   * The time at which the author wrote it, in seconds since 1970.
   */
  time: number;
  /**
   * The number of the commit that it fixes, if it is a `fixup!`, `squash!` or `amend!` commit of the change.
   */
  fixes?: number | null;
}
/**
 * The commit that introduced the line of a finding, or removed it.
 */
export interface CommitFinding {
  /**
   * The key of the finding.
   */
  key: string;
  /**
   * The full id of the commit.
   */
  commit: string;
  /**
   * The path in the diff of the commit. None for a finding about the message.
   */
  path?: string | null;
  side: Side;
  /**
   * The number of the line on that side, from 1; in the message, for a finding about it.
   */
  line: number;
}
/**
 * Asks for the diff of a commit.
 */
export interface CommitParams2 {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The full id of the commit; of a range, the first one.
   */
  commit: string;
  /**
   * The full id of the last commit of a range.
   */
  until?: string | null;
  /**
   * The number of files to skip: those of earlier pages.
   */
  from?: number;
}
/**
 * The diff of a commit, or of a range of them. Files are sent in pages.
 */
export interface CommitView {
  /**
   * The full id of the commit before. None before a root commit.
   */
  base?: string | null;
  /**
   * The full id of the commit; of a range, the last one.
   */
  head: string;
  /**
   * The number of changed files.
   */
  file_count: number;
  /**
   * The files of this page. A page ends after 5,000 lines, and has at least one file.
   */
  files: ComparedFile[];
  /**
   * The number of files to skip for the next page. None at the end.
   */
  next?: number | null;
}
/**
 * A stack.
 */
export interface Stack {
  /**
   * The layers, the lowest one first. Empty if the change is not part of a stack.
   */
  layers: Layer[];
}
/**
 * A layer of a stack.
 */
export interface Layer {
  target: Target;
  /**
   * The branch.
   */
  source: string;
  /**
   * The branch that it builds on.
   */
  onto: string;
  /**
   * The number of the merge request. None for a local branch.
   */
  iid?: number | null;
  /**
   * The title of the merge request, or the subject of the branch's last commit.
   */
  title: string;
  /**
   * The number of layers below it.
   */
  depth: number;
  /**
   * Whether it is the opened one.
   */
  current: boolean;
  /**
   * The full id of the head, if it is known.
   */
  head?: string | null;
  review: LayerReview;
  /**
   * Whether the merge request is a draft.
   */
  draft: boolean;
  /**
   * Whether it has conflicts with the branch that it builds on.
   */
  conflicts: boolean;
  /**
   * Whether the layer below has commits that this one does not have, so that it must be rebased. False if that is not known.
   */
  behind: boolean;
  /**
   * The state of the head's pipeline, if it is known.
   */
  pipeline?: PipelineState | null;
  /**
   * The names of the users who have approved the merge request, as far as they are known.
   */
  approved_by: string[];
}
/**
 * Moves findings to the lower layer that introduced their lines.
 */
export interface MoveParams {
  /**
   * The opened change.
   */
  change_id: string;
  /**
   * The review.
   */
  review_id: string;
  /**
   * The keys of the findings.
   */
  findings: string[];
  target: Target;
}
/**
 * The result of moving findings to a lower layer.
 */
export interface MovedFindings {
  target: Target;
  /**
   * The number of findings that its review has now, and did not have before.
   */
  added: number;
  /**
   * The number of findings that its review had already.
   */
  known: number;
}
/**
 * The review queue.
 */
export interface QueueView {
  /**
   * Whether the queue is on.
   */
  on: boolean;
  /**
   * Why it was turned off by itself.
   */
  note?: string | null;
  /**
   * The agent of items without one.
   */
  agent: string;
  budget: QueueBudget;
  /**
   * The items in their order.
   */
  items: QueueItem[];
}
/**
 * The budget of a day. A limit of 0 is none.
 */
export interface QueueBudget {
  /**
   * The local day, such as `2026-11-25`.
   */
  day: string;
  /**
   * The started reviews, and their limit.
   *
   * @minItems 2
   * @maxItems 2
   */
  reviews: [number, number];
  /**
   * The tokens, and their limit.
   *
   * @minItems 2
   * @maxItems 2
   */
  tokens: [number, number];
  /**
   * The cost in US cents, and its limit.
   *
   * @minItems 2
   * @maxItems 2
   */
  cents: [number, number];
  /**
   * The minutes that agents worked, and their limit.
   *
   * @minItems 2
   * @maxItems 2
   */
  minutes: [number, number];
  /**
   * The hours of the day in which the queue works. Empty for all.
   */
  hours: string;
  /**
   * Why no review can start now.
   */
  reason?: string | null;
}
/**
 * An item of the review queue.
 */
export interface QueueItem {
  /**
   * The key of the inbox's row.
   */
  key: string;
  target: Target;
  /**
   * The title.
   */
  title: string;
  /**
   * The project and number, or the name of the repository.
   */
  place: string;
  /**
   * The agents. Empty for the configured one.
   */
  agents: string[];
  state: QueueState;
  /**
   * The reason of the state, such as `pushed during the review` or `3 findings, 1 high`.
   */
  reason?: string | null;
  /**
   * The ID of the latest run.
   */
  run_id?: string | null;
  /**
   * The time of the latest change, RFC 3339.
   */
  changed_at: string;
}
/**
 * Adds rows of the inbox to the queue.
 */
export interface QueueAddParams {
  /**
   * The keys of the rows.
   */
  keys?: string[];
  /**
   * Whether all rows are added that wait for the user and are not reviewed at their head.
   */
  all?: boolean;
  /**
   * The agents, which review at the same time. The configured agent if empty.
   */
  agents?: string[];
}
/**
 * Names items of the queue.
 */
export interface QueueRemoveParams {
  /**
   * The keys of the items. Without any, all items that have ended.
   */
  keys?: string[];
}
/**
 * Moves an item of the queue.
 */
export interface QueueMoveParams {
  /**
   * The key of the item.
   */
  key: string;
  /**
   * The new place among the items that wait, from 0.
   */
  place: number;
}
/**
 * Turns the queue on or off.
 */
export interface QueueSwitchParams {
  /**
   * Whether the queue works.
   */
  on: boolean;
}
/**
 * The updates of the program.
 */
export interface UpdateView {
  /**
   * The running version.
   */
  version: string;
  /**
   * Why updates are not offered. None if they are.
   */
  not_offered?: string | null;
  /**
   * The setting `update.url`. Empty for no updates.
   */
  url: string;
  /**
   * The newer version that the last check found.
   */
  available?: AvailableVersion | null;
  phase: UpdatePhase;
  /**
   * The downloaded bytes so far.
   */
  received: number;
  /**
   * The time of the last check (RFC 3339). None if there was none.
   */
  checked_at?: string | null;
  /**
   * A message about an update that failed, until the user removes it.
   */
  outcome?: string | null;
}
/**
 * A newer version.
 */
export interface AvailableVersion {
  /**
   * The version.
   */
  version: string;
  /**
   * The time of its release (RFC 3339).
   */
  released: string;
  /**
   * The size of the download in bytes.
   */
  size: number;
}
/**
 * How to check for a newer version.
 */
export interface UpdateCheckParams {
  /**
   * Whether nobody asked. Such a check does nothing without an address, or within a day of the last check.
   */
  automatic?: boolean;
}
/**
 * No parameters.
 */
export interface UpdateParams {}

/** What can be called: its parameters and its result. */
export interface Methods {
  'agents.check': { params: AgentCheckParams; result: AgentCheck };
  'agents.list': { params: undefined; result: AgentsView };
  'agents.record': { params: undefined; result: TrackRecord };
  'answer.raw': { params: RawAnswersParams; result: RawAnswersView };
  'app.info': { params: undefined; result: AppInfo };
  'change.budget': { params: BudgetParams; result: Budget };
  'change.commit': { params: CommitParams2; result: CommitView };
  'change.commits': { params: ChangeIdParams; result: CommitsView };
  'change.context': { params: ContextParams; result: ContextView };
  'change.facts': { params: FactsParams; result: Facts };
  'change.has_changed': { params: ChangeIdParams; result: MovedView };
  'change.highlight': { params: HighlightParams; result: HighlightView };
  'change.hunks': { params: HunksParams; result: HunkPage };
  'change.image': { params: ImageParams; result: ImageView };
  'change.open': { params: ChangeParams; result: ChangeView };
  'change.overview': { params: ChangeIdParams; result: Overview };
  'change.owners': { params: ChangeIdParams; result: FileOwners };
  'change.prepared': { params: ChangeIdParams; result: PreparedView };
  'change.reading': { params: ChangeIdParams; result: ShownReading };
  'change.since': { params: SinceParams; result: SinceView };
  'change.stack': { params: ChangeIdParams; result: Stack };
  'change.symbols': { params: ChangeIdParams; result: SymbolsView };
  'change.texts': { params: TextsParams; result: TextsView };
  'change.versions': { params: VersionsParams; result: VersionsView };
  'change.viewed': { params: ViewedParams; result: Done };
  'chat.answer_permission': { params: PermitParams; result: Done };
  'chat.apply': { params: ApplyParams; result: FixView };
  'chat.assembled': { params: ChatOfChangeParams; result: AssembledMessages };
  'chat.begin': { params: ChatBeginParams; result: ConversationItem };
  'chat.compact': { params: ChatOfChangeParams; result: CompactionView };
  'chat.list': { params: ChangeIdParams; result: ConversationsView };
  'chat.remove': { params: ChatParams; result: Done };
  'chat.send': { params: ChatSendParams; result: ChatSent };
  'chat.stop': { params: ChatParams; result: Cancelled };
  'chat.undo': { params: UndoParams; result: FixView };
  'code.highlight': { params: CodeParams; result: HighlightView };
  'commit.message': { params: CommitParams; result: CommitMessage };
  'data.remove': { params: DataRemoveParams; result: DataRemoved };
  'data.view': { params: undefined; result: SavedData };
  'editor.open': { params: EditorParams; result: Done };
  'finding.add': { params: AddFindingParams; result: ReviewView };
  'finding.apply': { params: FindingParams; result: FixView };
  'finding.decide': { params: DecideParams; result: Done };
  'finding.edit': { params: EditFindingParams; result: ReviewView };
  'history.list': { params: HistoryParams; result: HistoryView };
  'history.open': { params: HistoryName; result: ReopenedView };
  'history.remove': { params: HistoryName; result: Done };
  'inbox.list': { params: undefined; result: InboxView };
  'inbox.mark': { params: InboxMarkParams; result: InboxView };
  'inbox.refresh': { params: InboxRefreshParams; result: InboxView };
  'inbox.undo': { params: InboxUndoParams; result: InboxUndoneView };
  'limits.preview': { params: LimitsParams; result: LimitsPreview };
  'line.history': { params: LineHistoryParams; result: LineHistoryView };
  'navigation.definition': { params: DefinitionParams; result: FoundDefinition };
  'navigation.names': { params: DefinitionParams; result: NamesOnLine };
  'navigation.prepare': { params: ChangeIdParams; result: SymbolsState };
  'navigation.references': { params: ReferencesParams; result: FoundReferences };
  'navigation.signatures': { params: ChangeIdParams; result: SignaturesView };
  'opinion.ask': { params: OpinionParams; result: ReviewView };
  'opinion.preview': { params: OpinionParams; result: OpinionPreview };
  'patch.save': { params: PatchParams; result: PatchView };
  'post.plan': { params: PlanParams; result: PlanView };
  'prompt.preview': { params: PromptParams; result: PromptView };
  'prompt.sent': { params: SentParams; result: SentView };
  'prompts.list': { params: undefined; result: PromptFilesView };
  'prompts.save': { params: PromptFileParams; result: PromptFilesView };
  'queue.add': { params: QueueAddParams; result: QueueView };
  'queue.list': { params: undefined; result: QueueView };
  'queue.move': { params: QueueMoveParams; result: QueueView };
  'queue.remove': { params: QueueRemoveParams; result: QueueView };
  'queue.switch': { params: QueueSwitchParams; result: QueueView };
  'redaction.allow': { params: AllowParams; result: Done };
  'redaction.try': { params: TryParams; result: TriedView };
  'repo.open': { params: RepoParams; result: RepoView };
  'repo.sample': { params: undefined; result: RepoView };
  'request.find': { params: FindRequestParams; result: FoundRequest };
  'request.list': { params: RequestsParams; result: RequestList };
  'request.refresh': { params: ChangeIdParams; result: RequestView };
  'request.revoke_approval': { params: ChangeIdParams; result: RequestView };
  'review.cancel': { params: RunParams; result: Cancelled };
  'review.close': { params: RunParams; result: Done };
  'review.current': { params: CurrentReviewParams; result: CurrentReview };
  'review.export': { params: ExportParams; result: Document };
  'review.relocate': { params: ReanchorParams; result: ReviewView };
  'review.start': { params: ReviewParams; result: StartedReview };
  'rounds.compare': { params: CompareParams; result: ComparedView };
  'rounds.list': { params: ReviewName; result: RoundsView };
  'rpc.cancel': { params: CancelParams; result: Cancelled };
  'run.plan': { params: ResumeParams; result: ResumeView };
  'secret.list': { params: undefined; result: SecretList };
  'secret.remove': { params: SecretNameParams; result: Done };
  'secret.set': { params: SecretParams; result: Done };
  'settings.set': { params: SettingsChangeParams; result: SettingsView };
  'settings.view': { params: SettingsParams; result: SettingsView };
  'snippets.import': { params: ImportParams; result: SnippetsView };
  'snippets.list': { params: undefined; result: SnippetsView };
  'snippets.save': { params: SnippetsParams; result: SnippetsView };
  'stack.move': { params: MoveParams; result: MovedFindings };
  'state.get': { params: StateKey; result: StateEntry };
  'state.set': { params: StateEntry; result: Done };
  'thread.reply': { params: ReplyParams; result: RequestView };
  'thread.resolve': { params: ResolveParams; result: RequestView };
  'token.check': { params: SecretNameParams; result: TokenView };
  'trust.grant': { params: TrustParams; result: Done };
  'trust.list': { params: undefined; result: TrustList };
  'trust.revoke': { params: DistrustParams; result: TrustList };
  'update.check': { params: UpdateCheckParams; result: UpdateView };
  'update.dismiss': { params: UpdateParams; result: Done };
  'update.download': { params: UpdateParams; result: UpdateView };
  'update.install': { params: UpdateParams; result: Done };
  'update.started': { params: UpdateParams; result: Done };
  'update.state': { params: undefined; result: UpdateView };
}

/** What can be subscribed to: its parameters and its events. */
export interface Subscriptions {
  'app.launches': { params: LaunchParams; event: LaunchEvent; notification: 'app.launched'; unsubscribe: 'app.launches_end' };
  'chat.follow': { params: ChatParams; event: ChatUpdate; notification: 'chat.event'; unsubscribe: 'chat.unfollow' };
  'post.start': { params: PostParams; event: PostingEvent; notification: 'post.event'; unsubscribe: 'post.stop' };
  'repo.watch': { params: RepoParams; event: RepoChanged; notification: 'repo.changed'; unsubscribe: 'repo.unwatch' };
  'review.follow': { params: FollowReviewsParams; event: ReviewEvent; notification: 'review.event'; unsubscribe: 'review.unfollow' };
}

/** How each subscription is ended. */
export const unsubscribeOf = {
  'app.launches': 'app.launches_end',
  'chat.follow': 'chat.unfollow',
  'post.start': 'post.stop',
  'repo.watch': 'repo.unwatch',
  'review.follow': 'review.unfollow',
} as const satisfies { [Name in keyof Subscriptions]: Subscriptions[Name]['unsubscribe'] };

/** The action that the interface offers for a failure. */
export type NextStep = 'retry' | 'trust' | 'change' | 'none' | 'agents';

/** The heading and the action for each error code. */
export const presentations: Record<ErrorCode, { heading: string; next: NextStep }> = {
  CONFIG_PARSE_ERROR: { heading: 'A settings file is not valid', next: 'retry' },
  CONFIG_UNTRUSTED: { heading: 'This repository needs your trust', next: 'trust' },
  DIFF_FETCH_FAILED: { heading: 'The change could not be read', next: 'change' },
  DIFF_PARSE_FAILED: { heading: 'This is not a patch that diffsan can read', next: 'change' },
  REDACTION_ENGINE_FAILED: { heading: 'Secrets could not be masked, so nothing was sent', next: 'retry' },
  GITLAB_FETCH_FAILED: { heading: 'GitLab could not be read', next: 'retry' },
  GITLAB_FETCH_PRIOR_FAILED: { heading: 'Earlier comments could not be read from GitLab', next: 'retry' },
  GITLAB_AUTH_ERROR: { heading: 'GitLab refused access', next: 'none' },
  GITLAB_POSITION_INVALID: { heading: 'GitLab did not accept a position in the diff', next: 'none' },
  GITLAB_POST_FAILED: { heading: 'Posting to GitLab failed', next: 'retry' },
  GITLAB_HEAD_MOVED: { heading: 'The merge request has new commits', next: 'retry' },
  AGENT_NOT_FOUND: { heading: 'The agent is not installed', next: 'agents' },
  AGENT_EXEC_FAILED: { heading: 'The agent stopped with an error', next: 'retry' },
  AGENT_OUTPUT_INVALID: { heading: 'The agent’s answer could not be read', next: 'retry' },
  AGENT_TIMEOUT: { heading: 'The agent took too long', next: 'retry' },
  AGENT_CANCELLED: { heading: 'Cancelled', next: 'retry' },
  AGENT_QUOTA: { heading: 'The agent’s account reached a limit', next: 'agents' },
  FORMAT_FAILED: { heading: 'The result could not be written', next: 'none' },
  SECRET_STORE_UNAVAILABLE: { heading: 'The system’s keyring is not available', next: 'none' },
  NOT_FOUND: { heading: 'Not found', next: 'none' },
  INVALID_INPUT: { heading: 'Invalid input', next: 'none' },
  BUSY: { heading: 'Currently in use', next: 'retry' },
  STORE_FAILED: { heading: 'The data could not be saved', next: 'retry' },
  IO_FAILED: { heading: 'A file could not be read or written', next: 'retry' },
  UPDATE_FAILED: { heading: 'The update was not installed', next: 'retry' },
  CANCELLED: { heading: 'Cancelled', next: 'retry' },
  INTERNAL: { heading: 'Internal error in diffsan', next: 'retry' },
};

/** The formats of an exported review. */
export const exportFormats = [
  { name: 'json', title: 'JSON' },
  { name: 'markdown', title: 'Markdown' },
  { name: 'html', title: 'one HTML file' },
  { name: 'sarif', title: 'SARIF 2.1.0' },
  { name: 'code-quality', title: 'a GitLab code quality report' },
] as const;

/** The name of an export format. */
export type ExportFormat = (typeof exportFormats)[number]['name'];
