// The reading order: sections of files in chapters, which have every hunk once.
import type { ShownReading, ShownStep } from '../../rpc/types.gen';

/** Hunks of one file that are shown together. */
export interface Section {
  file: number;
  /** The number of the section among those of its file. */
  part: number;
  /** Whether it is the last section of its file. */
  last: boolean;
  /** The steps by hunk, in order. -1 is a file without hunks. */
  steps: ReadonlyMap<number, ShownStep>;
  /** The index of the chapter that begins with it, or null. */
  begins: number | null;
  /** The index of its chapter. */
  chapter: number;
}

/** Returns the sections of a change in reading order. */
export function sectionsOf(reading: Pick<ShownReading, 'chapters'>): Section[] {
  type Open = Omit<Section, 'steps'> & { steps: Map<number, ShownStep> };
  const sections: Open[] = [];
  const latest = new Map<number, Open>();
  for (const [chapter, { steps }] of reading.chapters.entries()) {
    let current = null as Open | null;
    for (const step of steps) {
      const { file, hunk } = step.hunk;
      if (current?.file !== file) {
        const before = latest.get(file);
        if (before) before.last = false;
        const begins: number | null = current === null ? chapter : null;
        current = { file, part: before ? before.part + 1 : 0, last: true, steps: new Map(), begins, chapter };
        latest.set(file, current);
        sections.push(current);
      }
      current.steps.set(hunk ?? -1, step);
    }
  }
  return sections;
}

/** Returns the files in the order of their first sections. */
export const fileOrder = (sections: readonly Section[]): number[] => [
  ...new Set(sections.map(({ file }) => file)),
];

/** Returns the key of the row of a section's file. */
export const fileKey = (file: number, part = 0): string => (part === 0 ? `f${file}` : `f${file}.${part}`);
