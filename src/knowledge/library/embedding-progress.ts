import * as z from 'zod';
import type { LibraryState } from './library-state.ts';

const Count = z.int().min(0);

/** How embedding stands, between two steps. There is none when everything has its vector. */
const Progress = z.object({
  /** Steps in a row that failed, and times it was given up for that. */
  failures: Count.default(0),
  rounds: Count.default(0),
  /** Milliseconds that they took, without the waits between them. */
  failingMs: z.number().default(0),
  /** Nothing is tried before. */
  retryAt: z.number().optional(),
  /** The index may not have caught up with what was stored; so long that is waited for. */
  visibleBy: z.number().optional(),
  waits: Count.default(0),
  /** Texts of the next batch, while the model refuses one among them; as many as a batch has when absent. */
  texts: z.int().min(1).optional(),
  /** Texts in a row that were refused by themselves. */
  refused: Count.default(0),
  /** To be done first: compare the index with what is noted, or have everything stored again. */
  check: z.enum(['compare', 'again']).optional(),
});
type Progress = z.infer<typeof Progress>;

/** Without failures, as before the first one. */
export const UNHARMED = { failures: 0, rounds: 0, failingMs: 0, waits: 0, refused: 0, retryAt: undefined } as const;

export interface ProgressStore {
  read(): Progress | undefined;
  /** Changes some members; undefined forgets one. */
  update(changes: { [Name in keyof Progress]?: Progress[Name] | undefined }): void;
  clear(): void;
}

export const progressStore = (state: LibraryState): ProgressStore => {
  const read = (): Progress | undefined => {
    const stored = state.read('embedding');
    return stored === undefined ? undefined : Progress.catch(() => Progress.parse({})).parse(stored);
  };
  return {
    read,
    update: (changes) => state.write('embedding', { ...read(), ...changes }),
    clear: () => state.write('embedding', undefined),
  };
};
