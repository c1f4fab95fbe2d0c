// Facts of the pipeline: the marks in the gutter, the cards between lines, and the sheet.
import { plural } from '../text/format';

export const factsTexts = {
  // Marks in the gutter
  line: {
    covered: 'Tests ran this line.',
    partial: 'Tests ran this line, but not all of its branches.',
    uncovered: 'No test ran this line.',
    failed: (test: string) => `The failed test “${test}” names this line.`,
    stale: (title: string) => `${title} Stale: the report is about another state of the file.`,
  },

  // Cards between lines
  card: {
    failed: 'Failed test',
    failedTest: (name: string) => `Failed test: ${name}`,
    trace: 'Stack trace',
    tool: 'Findings of tools',
  },

  // Button in the toolbar
  button: {
    title: 'Show pipeline, failed tests, coverage and tool findings',
    failed: (tests: number) => plural(tests, 'failed test'),
    uncovered: (lines: number) => `${plural(lines, 'line')} not covered`,
    tools: (findings: number) => plural(findings, 'tool finding'),
    pipeline: (status: string) => `Pipeline: ${status}`,
  },

  // Sheet
  sheet: {
    title: 'Pipeline and reports',
    stale: 'stale',
    staleTitle: 'About another commit or state of the code than the shown one',
    again: 'Read again',
    loading: 'Reading reports…',
    none: 'No pipeline and no reports were found.',
    noneText:
      'Reports of tests, coverage and linters in the repository are found by their names (setting facts.files). The pipeline of a merge request is read from GitLab.',
    pipeline: 'Pipeline',
    pipelineNumber: (id: number) => `Pipeline ${id}`,
    ranFor: (commit: string) => `for ${commit.slice(0, 10)}`,
    jobs: 'Jobs',
    mayFail: 'may fail',
    log: 'End of the log',
    logShortened: 'Earlier lines are left out.',
    tests: 'Tests',
    counts: (passed: number, failed: number, skipped: number) =>
      `${passed} passed, ${failed} failed, ${skipped} skipped`,
    coverage: 'Coverage of added lines',
    file: 'File',
    covered: 'Covered',
    uncovered: 'Not covered',
    tools: 'Findings of tools',
    sources: 'Sources',
    notes: 'Notes',
    open: 'Open in the browser',
  },

  // History of a line
  history: {
    title: (path: string, line: number) => `History of ${path}:${line}`,
    searching: 'Searching the history…',
    blame: 'Last change',
    earlier: 'Earlier changes',
    at: (path: string, line: number) => `${path}:${line}`,
    mergeRequest: (name: string) => `Merge request ${name}`,
    stopped: (reason: string) => `No older commits are shown: ${reason}.`,
    copy: 'Copy commit ID',
    copied: 'Commit ID copied',
  },
} as const;
