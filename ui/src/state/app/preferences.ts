// The types of the preferences and of the view state that survive a restart.
import type { Grouping } from '../../lib/findings/findings';
import type { EditorName } from '../../lib/editors';
import type { ImageView } from '../../lib/diff/image-view';
import type { Mode } from '../../lib/diff/rows';
import type { RenderedKind } from '../../lib/rendered/kinds';
import type { UnsavedWords } from '../../lib/findings/finding-words';
import type { Target } from '../../rpc/types.gen';

export type Theme = 'system' | 'light' | 'dark';

export type Density = 'usual' | 'compact';

export interface Preferences {
  theme: Theme;
  mode: Mode;
  sidebar: number;
  /** Whether the conversation pane is open. */
  chatOpen: boolean;
  chatWidth: number;
  /** Unsent or unsaved texts, by the key of their form. */
  drafts: Record<string, string>;
  /** Unsaved fields of new and edited findings, by place or finding. */
  unsavedFindings: Record<string, UnsavedWords>;
  /** The user's key bindings, by the action's id. An empty key means none. */
  keys: Record<string, string>;
  /** Whether the window has a menu bar. */
  menu: boolean;
  /** The share of the sidebar's height for findings. */
  findingsShare: number;
  grouping: Grouping;
  /** Whether long lines of code wrap. */
  wrap: boolean;
  /** Whether the diff shows coverage, failed tests and findings of tools. */
  facts: boolean;
  /** Whether unchanged callers are shown beside changed signatures. */
  callers: boolean;
  /** Whether lines that differ only in whitespace are shown as unchanged. */
  ignoreWhitespace: boolean;
  /** Whether lines without a new meaning are folded. */
  foldLines: boolean;
  /** The kinds of files that are shown rendered. */
  rendered: RenderedKind[];
  /** How two versions of an image are compared. */
  imageView: ImageView;
  /** The width of a tab, in columns. */
  tabWidth: number;
  /** Whether the definitions around the first visible line are shown above it. */
  functionBar: boolean;
  /** Whether the change is shown in reading order. */
  readingOrder: boolean;
  /** The editor that opens a line. */
  editor: EditorName;
  /** Whether the files are listed as a tree. */
  fileTree: boolean;
  /** Whether a decision selects the next open finding. */
  selectNextOpen: boolean;
  /** The line spacing. */
  density: Density;
  /** The font of code. Empty for the built-in one. */
  codeFont: string;
  /** The size of code, relative to the text. */
  codeSize: number;
  /** Postponed trust requests, by digest. */
  postponedTrust: string[];
  /** The text size, relative to the system's. */
  scale: number;
  agent: string | null;
  /** Agents that review in addition to the selected one. */
  additionalAgents: string[];
  /** How often each agent is asked the same prompt. */
  runs: number;
  /** The model of each agent. */
  models: Record<string, string>;
  /** Extra instructions for reviews. */
  instructions: string;
  /** Selected skills, by repository, or by project where there is no clone. */
  skills: Record<string, string[]>;
  last: { repo: string; target: Target } | null;
  /** Scroll positions of changes: fingerprint, row key, px into the row. The latest first. */
  scrolls: [fingerprint: string, key: string, within: number][];
  /** View states of reviews, the latest first. */
  reviewViews: SavedReviewView[];
}

/** The view state of a review: selected finding, filter, view, severities, and whether only open findings are listed. */
export type SavedReviewView = [
  review: string,
  selected: string | null,
  filter: string,
  place: string,
  severities?: string[],
  onlyOpen?: boolean,
];
