import {
  MAX_OMISSION_SAMPLES,
  type Omission,
  type OmissionKind,
} from '../contract/wire/host-article.ts';

/** What was left out while a document was read, in the order in which each kind was first met. */
export interface Omissions {
  /** @param text Read only where samples are wanted. */
  add(kind: OmissionKind, text: () => string): void;
  list(): Omission[];
}

const MAX_SAMPLE = 160;
/** Characters that are read of a part, which may be as long as the document. */
const MAX_READ = 2000;

export function collectOmissions(): Omissions {
  const byKind = new Map<OmissionKind, Omission>();
  return {
    add: (kind, text) => {
      const omission = byKind.get(kind) ?? { kind, count: 0, samples: [] };
      omission.count += 1;
      const sample = omission.samples.length < MAX_OMISSION_SAMPLES ? sampleOf(text()) : '';
      if (sample !== '' && !omission.samples.includes(sample)) omission.samples.push(sample);
      byKind.set(kind, omission);
    },
    list: () => [...byKind.values()],
  };
}

/** Several readings as one: a page of a site is read when it is fetched, and again when it is taken in. */
export function joinOmissions(readings: readonly (readonly Omission[])[]): Omission[] {
  const byKind = new Map<OmissionKind, Omission>();
  for (const { kind, count, samples } of readings.flat()) {
    const known = byKind.get(kind);
    byKind.set(kind, {
      kind,
      count: count + (known?.count ?? 0),
      samples: [...new Set([...(known?.samples ?? []), ...samples])].slice(0, MAX_OMISSION_SAMPLES),
    });
  }
  return [...byKind.values()];
}

function sampleOf(text: string): string {
  const line = text.slice(0, MAX_READ).replace(/\s+/g, ' ').trim();
  return line.length > MAX_SAMPLE ? `${line.slice(0, MAX_SAMPLE - 1).toWellFormed()}…` : line;
}

const times = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`;

/** Warnings of what was left out; none for a count of 0. */
export function unknownValues(count: number): string[] {
  return count === 0
    ? []
    : [
        `${times(count, 'value', 'values')} that only the site generator knows ${count === 1 ? 'is' : 'are'} shown as …`,
      ];
}

export function leftOut(count: number, one: string, more: string, why: string): string[] {
  return count === 0 ? [] : [`Left out ${times(count, one, more)}${why}`];
}

export function drawnDiagrams(count: number): string[] {
  return leftOut(count, 'diagram', 'diagrams', ': they are drawn from code');
}
