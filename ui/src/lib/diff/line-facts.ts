// Looks up facts of the pipeline by the lines of the change.
import type { Facts, TestCoverage, LineState, TestFailure, ToolFinding } from '../../rpc/types.gen';
import { factsTexts } from '../texts/facts';

/** A mark of a line in the gutter. */
export interface LineFact {
  kind: LineState | 'failed';
  title: string;
}

/** The facts about a line that are shown after it. */
export interface FactsOfLine {
  failures: TestFailure[];
  findings: ToolFinding[];
}

/** Returns the state of a line of a file, or null if it was not measured. */
export function lineState({ runs }: TestCoverage, line: number): LineState | null {
  let low = 0;
  let high = runs.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const run = runs[middle]!;
    if (line < run.start) high = middle - 1;
    else if (line > run.end) low = middle + 1;
    else return run.state;
  }
  return null;
}

/** Returns the facts after lines of the new side, by path and line. A failed test is shown at the first line that it names. */
export function factsByLine(facts: Facts): Map<string, Map<number, FactsOfLine>> {
  const all = new Map<string, Map<number, FactsOfLine>>();
  const at = (path: string, line: number): FactsOfLine => {
    const lines = all.get(path) ?? new Map<number, FactsOfLine>();
    all.set(path, lines);
    const known = lines.get(line) ?? { failures: [], findings: [] };
    lines.set(line, known);
    return known;
  };
  for (const failure of facts.failures) {
    const place = failure.places[0];
    if (place) at(place.path, place.line).failures.push(failure);
  }
  for (const finding of facts.findings) at(finding.path, finding.line_end).findings.push(finding);
  return all;
}

/** Returns the lines that traces of failed tests name, by path, with the names of the tests. */
export function failedLines(facts: Facts): Map<string, Map<number, string>> {
  const all = new Map<string, Map<number, string>>();
  for (const failure of facts.failures) {
    if (failure.stale) continue;
    for (const { path, line } of failure.places) {
      const lines = all.get(path) ?? new Map<number, string>();
      all.set(path, lines);
      if (!lines.has(line)) lines.set(line, failure.name);
    }
  }
  return all;
}

/** Returns the mark of a changed line by its coverage. Unchanged lines have none. */
export function coverageFact(coverage: TestCoverage | undefined, line: number): LineFact | null {
  const state = coverage ? lineState(coverage, line) : null;
  if (!state) return null;
  const title = factsTexts.line[state];
  return { kind: state, title: coverage?.stale ? factsTexts.line.stale(title) : title };
}
