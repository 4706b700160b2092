import type { EditionEntry } from '../../../src/knowledge/articles/article.ts';
import { languageOfArticle, usualLanguage } from '../../../src/knowledge/edition/collect-words.ts';
import type { EditionScope, SearchToDo } from '../../../src/knowledge/edition/current-edition.ts';
import { embeddingTextOf } from '../../../src/knowledge/edition/edition-vectors.ts';
import { type Edition, openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { editionsOfHits } from '../../../src/knowledge/large/editions-of-hits.ts';
import type {
  HybridHit,
  HybridIndex,
  HybridRecord,
} from '../../../src/knowledge/large/hybrid-index.ts';
import {
  attachLargeManifest,
  type LargeManifest,
} from '../../../src/knowledge/large/large-manifest.ts';
import { lexiconCounter } from '../../../src/knowledge/large/lexicon.ts';
import { type Passage, passageRecord } from '../../../src/knowledge/large/passage-record.ts';
import { sparseVectorsOf } from '../../../src/knowledge/large/sparse-vectors.ts';
import type { MeaningOf } from '../../../src/knowledge/search/retrieve.ts';
import { originate } from '../../../src/platform/context/request-context.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import { IDENTITY } from '../search/edition-fixture.ts';

const KEY = 'ab'.repeat(32);

/** Records of articles, all born in one edition. */
export async function recordsOf(
  entries: readonly EditionEntry[],
  more: Partial<Pick<Passage, 'born' | 'audienceList'>> & { key?: string } = {},
): Promise<HybridRecord[]> {
  const { born = 1, audienceList = 0, key = KEY } = more;
  const words = shippedWordVectors();
  const usual = usualLanguage(entries);
  const records: HybridRecord[] = [];
  for (const entry of entries) {
    const { text: _, audiences: __, ...rest } = entry.article;
    const article = { ...rest, language: languageOfArticle(entry) };
    const sparse = sparseVectorsOf(entry, usual);
    for (const [at, { articleId: ___, ...chunk }] of entry.chunks.entries()) {
      const text = embeddingTextOf({ ...chunk, title: article.title });
      const dense = words.vectorOfText(text) ?? new Float32Array(words.dimensions).fill(0.1);
      const passage = { article, version: '0a', chunk, born, audienceList };
      records.push(
        await passageRecord(passage, {
          workspace: IDENTITY.workspace,
          key,
          dense: Array.from(dense),
          sparse: sparse[at] ?? { indices: [], values: [] },
        }),
      );
    }
  }
  return records;
}

/** An edition in large mode of these articles. */
export function largeEditionOf(
  entries: readonly EditionEntry[],
  more: Partial<LargeManifest> = {},
): Edition {
  const counter = lexiconCounter(usualLanguage(entries));
  for (const entry of entries) counter.add(entry);
  return openEdition(
    attachLargeManifest(counter.build(IDENTITY), {
      number: 1,
      namespace: 'kb_default-1',
      key: KEY,
      space: { model: shippedWordVectors().model, dimensions: shippedWordVectors().dimensions },
      articles: entries.length,
      ...counter.counts(),
      deadShare: 0,
      tombstones: {},
      audienceLists: [[]],
      ...more,
    }),
  );
}

/** An index that gives every record, whatever is asked for; its scores are those of the order. */
export function indexOfAll(records: readonly HybridRecord[]): Pick<HybridIndex, 'query'> {
  const hits: HybridHit[] = records.map(({ id, metadata, data }, at) => ({
    id,
    metadata,
    data,
    score: 1 - at / records.length,
  }));
  return { query: async (queries) => queries.map(() => hits) };
}

/** Reads an edition in large mode as a function does. */
export function readerOf(
  edition: Edition,
  index: Pick<HybridIndex, 'query'>,
  meaningOf?: MeaningOf,
) {
  const read = editionsOfHits(async () => edition, {
    indexOf: () => index,
    meaningOf,
    wordVectors: shippedWordVectors,
  });
  return (
    searches: readonly SearchToDo[],
    { audiences = [], ...more }: { audiences?: readonly string[] } & Partial<EditionScope> = {},
  ): Promise<Edition> => {
    const context = originate({
      self: 'navigator',
      subject: 'user:1',
      authentication: 'none',
      capabilities: ['kb:read'],
      workspace: 'default',
      audiences: [...audiences],
      timeoutMs: 1000,
      now: 0,
    });
    return read({ context, waitUntil: () => undefined, searches: () => searches, ...more });
  };
}
