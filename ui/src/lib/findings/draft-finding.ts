// Drafts a finding from an answer and its context. The user edits it before it is saved.
import type { About, Finding, NewFinding, Side } from '../../rpc/types.gen';

export function draftFinding(
  answer: string,
  attached: readonly About[],
  files: readonly string[],
  find: (id: string) => Finding | undefined,
): NewFinding {
  const place = placeOf(answer, attached, files, find);
  const first = answer.split('\n').find((line) => line.trim() && !line.startsWith('```')) ?? '';
  const words = first.replace(/^#+\s*|[*_`]/g, '').trim();
  const sentence = /^.*?[.!?](?=\s|$)/.exec(words)?.[0] ?? words;
  return {
    severity: 'medium',
    category: 'correctness',
    ...place,
    title: sentence.slice(0, 100).replace(/[.]$/, ''),
    body: answer.trim(),
  };
}

type Place = Pick<NewFinding, 'path' | 'side' | 'line_start' | 'line_end'>;

function placeOf(
  answer: string,
  attached: readonly About[],
  files: readonly string[],
  find: (id: string) => Finding | undefined,
): Place {
  for (const about of attached) {
    if (about.kind === 'selection') {
      const { path, side, line_start, line_end } = about;
      return { path, side, line_start, line_end };
    }
    const anchor = about.kind === 'finding' ? find(about.key)?.anchor : undefined;
    if (anchor?.line_start != null) {
      const { path, side, line_start } = anchor;
      return { path, side, line_start, line_end: anchor.line_end ?? line_start };
    }
  }
  // Takes the first place that the answer names as `path:line`.
  for (const [, path, from, to] of answer.matchAll(/([\w./@-]+):(\d+)(?:[-–](\d+))?/g)) {
    const file = files.find((one) => one === path || one.endsWith(`/${path}`));
    const line_start = Number(from);
    if (file && line_start > 0) {
      const side: Side = 'new';
      return { path: file, side, line_start, line_end: Math.max(line_start, Number(to ?? from)) };
    }
  }
  const file = attached.find((about) => about.kind === 'file');
  const path = file?.kind === 'file' ? file.path : (files[0] ?? '');
  return { path, side: 'new', line_start: 1, line_end: 1 };
}
