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
const loaded = new Map<EncodingName, BytePairEncoding>();
const loading = new Map<EncodingName, Promise<BytePairEncoding>>();

/** The encoding, once its vocabulary has been read. */
export const loadedEncoding = (name: EncodingName): BytePairEncoding | undefined => loaded.get(name);

/** Reads a vocabulary, once for all who ask. A failure is not kept: the next one who asks tries again. */
export const loadEncoding = ({ encoding, load }: VocabularySource): Promise<BytePairEncoding> => {
  const begun = loading.get(encoding) ?? open({ encoding, load });
  loading.set(encoding, begun);
  return begun;
};

const open = async ({ encoding, load }: VocabularySource): Promise<BytePairEncoding> => {
  try {
    const opened = memoCounts(bytePairEncoding(await load()));
    loaded.set(encoding, opened);
    return opened;
  } catch (error) {
    loading.delete(encoding);
    throw error;
  }
};
