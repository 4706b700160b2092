import * as z from 'zod';

const Count = z.int().min(0);
/** Milliseconds since 1970. */
const Time = z.number();

/** An edition on its way into the index. */
const Pending = z.object({
  number: z.int().min(1),
  generation: z.int().min(1),
  /** Revision of the articles when it began. */
  revision: Count,
  startedAt: Time,
  /** The last article whose records were written, and whether all are. */
  after: z.string(),
  isWritten: z.boolean(),
  /** Whether the words are counted, or need not be. */
  isCounted: z.boolean(),
  /** Passages written, and all that are to be. */
  written: Count,
  total: Count,
  /** Articles that get a tombstone with this edition. */
  replaced: Count,
  /** How often in a row the index had none pending, and since when it has been asked. */
  zeros: Count,
  askedSince: Time.optional(),
  /** Records that queries have to find before the edition is shown. */
  sample: z.array(z.object({ id: z.string(), dense: z.array(z.number()) })).max(3),
});
export type Pending = z.infer<typeof Pending>;

/** Why the last step failed. */
const Failure = z.object({
  reason: z.enum(['refused', 'rate_limited', 'unavailable', 'malformed', 'aborted', 'model']),
  /** In a row. */
  count: z.int().min(1),
  at: Time,
});

/** What the library knows of its passages in the index, beside the ledger. */
const LargeState = z.object({
  /** Key of the ids of records, 32 bytes in hexadecimal. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
  /** Generation of the namespace that the current edition reads. */
  generation: Count,
  /** What its records are made with: another model or stemmer fills another namespace. */
  madeWith: z.string(),
  /** Language of most articles, for one whose language is in doubt. */
  usual: z.string().optional(),
  /** Number of the current edition; 0 while it is none of large mode. */
  edition: Count,
  /** The highest number that records were given. */
  highest: Count,
  /** Counts what a manifest would say differently, and up to where the current one says it. */
  changes: Count,
  published: Count,
  /** Revision of the articles that the current edition shows. */
  revision: Count,
  /** By number: who may read; the first list is empty, for everybody. */
  audienceLists: z.array(z.array(z.string())).min(1),
  pending: Pending.optional(),
  /** Namespaces that no edition reads any more, and since when. */
  retired: z.array(z.object({ generation: z.int().min(1), at: Time })).default([]),
  /** Whether a sample of records is looked up before the next publication. */
  isChecked: z.boolean().default(true),
  /** No step before this time. */
  retryAt: Time.optional(),
  failure: Failure.optional(),
  lexicon: z
    .object({
      builtAt: Time,
      /** `EDITION_VERSION` of its bytes. */
      formatVersion: Count,
      /** Passages written since. */
      changed: Count,
      /** Passages that it was counted from, and what the manifest says of them. */
      chunks: Count,
      wordTotal: z.number(),
      meanLengths: z.object({
        title: z.number(),
        label: z.number(),
        heading: z.number(),
        body: z.number(),
      }),
    })
    .optional(),
});
export type LargeState = z.infer<typeof LargeState>;

/** The place where a library stores single values. */
export interface StateRow {
  read(name: 'large'): unknown;
  write(name: 'large', value: unknown): void;
}

/** The state as it is stored now; a damaged one counts as none, and fills another namespace. */
export interface LargeStateStore {
  read(): LargeState;
  /** To be called within a transaction. */
  change(changes: Partial<LargeState>): void;
  changePending(changes: Partial<Pending>): void;
}

export function largeStateStore(row: StateRow, newKey: () => string): LargeStateStore {
  const read = (): LargeState =>
    LargeState.catch(() => newState(newKey())).parse(row.read('large'));
  const change = (changes: Partial<LargeState>): void =>
    row.write('large', { ...read(), ...changes });
  return {
    read,
    change,
    changePending: (changes) => {
      const { pending } = read();
      if (pending !== undefined) change({ pending: { ...pending, ...changes } });
    },
  };
}

const newState = (key: string): LargeState => ({
  key,
  generation: 0,
  madeWith: '',
  edition: 0,
  highest: 0,
  changes: 0,
  published: 0,
  revision: 0,
  audienceLists: [[]],
  retired: [],
  isChecked: true,
});

/** The highest generation that was ever filled. */
export function lastGeneration({ generation, retired, pending }: LargeState): number {
  return Math.max(generation, pending?.generation ?? 0, ...retired.map((each) => each.generation));
}
