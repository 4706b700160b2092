/** Parts of a document that no article shows. */
export type OmissionKind =
  | 'comment'
  | 'hidden'
  | 'surrounding'
  | 'contents'
  | 'script'
  | 'embedded'
  | 'control'
  | 'image'
  | 'diagram'
  | 'code'
  | 'template';

export interface Omission {
  kind: OmissionKind;
  count: number;
  /** The beginning of the first that has text, on one line; empty when none has. */
  sample: string;
}

/** What was left out while a document was read, in the order in which each kind was first met. */
export interface Omissions {
  /** @param text Read only where a sample is missing. */
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
      const omission = byKind.get(kind) ?? { kind, count: 0, sample: '' };
      omission.count += 1;
      if (omission.sample === '') omission.sample = sampleOf(text());
      byKind.set(kind, omission);
    },
    list: () => [...byKind.values()],
  };
}

function sampleOf(text: string): string {
  const line = text.slice(0, MAX_READ).replace(/\s+/g, ' ').trim();
  return line.length > MAX_SAMPLE ? `${line.slice(0, MAX_SAMPLE - 1).toWellFormed()}…` : line;
}
