import { type BytePairEncoding, bytePairEncoding } from './byte-pair-encoding.ts';
import { memoCounts } from './count-memo.ts';
import type { EncodingName } from './encoding-of-model.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Where a vocabulary comes from: `cl100k`, `o200k`. A bundle holds those that its code names. */
export interface VocabularySource {
  readonly encoding: EncodingName;
  load(): Promise<Vocabulary>;
}

/** At most two, and the same for everybody: a vocabulary is constant. */
const LOADED = new Map<EncodingName, BytePairEncoding>();

/** The encoding, once its vocabulary has been read. */
export const loadedEncoding = (name: EncodingName): BytePairEncoding | undefined => LOADED.get(name);

/** Reads a vocabulary, unless that has been done. Requests do not wait for one another: in workerd such a promise may never settle. */
export const loadEncoding = async ({ encoding, load }: VocabularySource): Promise<void> => {
  if (LOADED.has(encoding)) return;
  const vocabulary = await load();
  // Another request may have been faster; what follows is synchronous.
  if (!LOADED.has(encoding)) LOADED.set(encoding, memoCounts(bytePairEncoding(vocabulary)));
};
