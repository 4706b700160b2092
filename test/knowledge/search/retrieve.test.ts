import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EmbeddingProvider } from '../../../src/ai/embeddings/base.ts';
import { wordVectorsIn } from '../../../src/ai/embeddings/word-vectors.ts';
import { buildEdition } from '../../../src/knowledge/edition/build-edition.ts';
import {
  attachVectors,
  attachWordVectors,
  embeddingTextOf,
  vectorIdOf,
} from '../../../src/knowledge/edition/edition-vectors.ts';
import { packVector, quantise } from '../../../src/knowledge/edition/nearest-rows.ts';
import { openEdition } from '../../../src/knowledge/edition/open-edition.ts';
import { relevanceOfHits } from '../../../src/knowledge/search/relevance.ts';
import { createRetriever, meaningBy } from '../../../src/knowledge/search/retrieve.ts';
import { type SearchOutcome, searchEdition } from '../../../src/knowledge/search/search-edition.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import { DOWN, type FakeModel, fakeIndex, fakeModel, INDEX_DOWN } from '../vectors-for-test.ts';
import { entryOf, IDENTITY } from './edition-fixture.ts';

const TEXTS = {
  'fans.md': 'The fan hums loudly when dust blocks it. Clean it every month.',
  'pumps.md': 'A pump that leaks needs a new seal. Order seals from the shop.',
  'screens.md': 'The display stays dark when its cable is loose. Push the cable in.',
  'wheels.md': 'Wheels squeak without grease. Grease them twice a year.',
};
const entries = Object.entries(TEXTS).map(([id, text]) =>
  entryOf({ id, title: '', devices: id === 'wheels.md' ? ['Cart'] : [], sections: [{ text }] }),
);
const build = () => buildEdition(entries, { ...IDENTITY, workspace: 'acme' });
const plain = openEdition(build());
const texts = Object.values(TEXTS).map((text) =>
  embeddingTextOf({ title: '', headingPath: [], text }),
);

/** Means the same as a text on displays, without a common word. */
const PARAPHRASE = 'monitor black';
const newModel = () =>
  fakeModel({ model: 'text-embedding-ada-002', synonyms: { monitor: 'display', black: 'dark' } });
/** A model that never answers. */
const hangingModel = () => ({ ...newModel(), embed: () => new Promise<number[]>(() => undefined) });

/** An edition with vectors in itself or in an index. */
const editionWith = async (
  model: FakeModel,
  place: 'edition' | 'index',
  without: readonly number[] = [],
) => {
  const vectors = await model.embedBatch(texts);
  model.texts.length = 0;
  const kept = vectors.map((vector, at) => (without.includes(at) ? undefined : vector));
  if (place === 'edition') {
    const rows = kept.map((vector) => vector && packVector(quantise(vector)));
    return {
      edition: openEdition(
        attachVectors(build(), { kind: 'rows', space: model, rows, chunks: texts.length }),
      ),
    };
  }
  const index = fakeIndex();
  const all = await Promise.all(texts.map((text) => vectorIdOf(text, model)));
  await index.upsert(all.map((id, at) => ({ id, vector: vectors[at] ?? [] })));
  const ids = all.map((id, at) => (without.includes(at) ? undefined : id));
  return {
    index,
    edition: openEdition(attachVectors(build(), { kind: 'ids', space: model, ids })),
  };
};

afterEach(() => vi.useRealTimers());

/** Runs work on fake timers. */
const onFakeTime = <T>(work: () => Promise<T>) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let state = 'waiting';
  const found = work().finally(() => {
    state = 'answered';
  });
  const elapse = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return state;
  };
  return { found, elapse };
};

describe.each(['edition', 'index'] as const)(
  'createRetriever() over vectors in the %s',
  (place) => {
    const setUp = async (without: readonly number[] = []) => {
      const model = newModel();
      const { edition, index } = await editionWith(model, place, without);
      const faults: unknown[] = [];
      const retriever = (embeddings: EmbeddingProvider = model) =>
        createRetriever({
          meaningOf: meaningBy(embeddings, () => index ?? fakeIndex()),
          onFault: (_, error) => faults.push(error),
        });
      return { model, edition, index, faults, retriever, retrieve: retriever() };
    };
    it('finds a text with the same meaning and no common word', async () => {
      const { edition, retrieve } = await setUp();
      expect(searchEdition(edition, PARAPHRASE).hits).toEqual([]);
      const { outcome, semantic } = await retrieve(edition, PARAPHRASE);
      expect(semantic).toBe('used');
      expect(edition.chunk(outcome.hits[0]?.chunk ?? -1).text).toBe(TEXTS['screens.md']);
      expect(outcome.hits[0]).toMatchObject({
        score: 0,
        lexical: 0,
        similarity: expect.any(Number),
      });
      expect(outcome).toMatchObject({
        quality: 0,
        coverage: 0,
        margin: 0,
        model: 'text-embedding-ada-002',
      });
    });
    it('keeps the lexical scores and hits', async () => {
      const { edition, retrieve } = await setUp();
      for (const question of [
        'why does the fan hum',
        'pump seal',
        'grease',
        'loose cable wheels',
      ]) {
        const lexical = searchEdition(edition, question);
        const { outcome } = await retrieve(edition, question);
        const { query, quality, coverage, margin } = lexical;
        expect(outcome).toMatchObject({ query, quality, coverage, margin });
        expect(outcome.hits[0]?.chunk).toBe(lexical.hits[0]?.chunk);
        for (const hit of lexical.hits) {
          const { similarity, fused, ...same } =
            outcome.hits.find(({ chunk }) => chunk === hit.chunk) ?? {};
          expect(same).toEqual(hit);
          expect(similarity).toBeGreaterThanOrEqual(-1);
          expect(fused).toBeGreaterThan(0);
        }
      }
    });
    it('respects the filter, and does not find chunks without a vector', async () => {
      const { edition, retrieve } = await setUp([2]);
      const cart = await retrieve(edition, PARAPHRASE, { filter: { device: 'cart' } });
      expect(cart.outcome.hits.map(({ article }) => edition.article(article).id)).toEqual([
        'wheels.md',
      ]);
      const { outcome, semantic } = await retrieve(edition, PARAPHRASE);
      expect(semantic).toBe('used');
      expect(outcome.hits.map(({ chunk }) => chunk)).not.toContain(2);
    });
    it('embeds a question together with the previous one, and only its beginning', async () => {
      const { edition, model, retrieve } = await setUp();
      const turn = { speaker: 'user', text: 'The fan hums' } as const;
      await retrieve(edition, 'And why?', {
        history: [turn, { speaker: 'assistant', text: 'Clean it.' }],
      });
      await retrieve(edition, 'fan '.repeat(100_000));
      expect(model.texts).toEqual(['The fan hums\nAnd why?', 'fan '.repeat(500)]);
    });
    it('does not compare vectors of different models', async () => {
      const { edition, retriever } = await setUp();
      for (const embeddings of [
        fakeModel({ model: 'other' }),
        fakeModel({ model: 'text-embedding-ada-002', dimensions: 32 }),
      ])
        expect(await retriever(embeddings)(edition, 'pump seal')).toEqual({
          outcome: searchEdition(edition, 'pump seal'),
          semantic: 'absent',
        });
    });
    it('falls back to lexical search when the model fails, and reports it', async () => {
      const { edition, model, retrieve, faults } = await setUp();
      model.forever = DOWN;
      const expected = { outcome: searchEdition(edition, 'pump seal'), semantic: 'failed' };
      expect(await retrieve(edition, 'pump seal')).toEqual(expected);
      expect(faults).toEqual([DOWN]);
    });
    it.each([
      ['too short', [1, 2]],
      ['without a direction', new Array<number>(64).fill(0)],
    ])('falls back to lexical search when the vector is %s', async (_, vector) => {
      const { edition, retriever, index } = await setUp();
      if (index) index.query = () => Promise.reject(INDEX_DOWN);
      const embeddings = { ...newModel(), embed: async () => vector };
      expect((await retriever(embeddings)(edition, 'pump seal')).semantic).toBe('failed');
    });
    it('falls back to lexical search at the deadline, and caches the late vector', async () => {
      const { edition, model, index, retriever } = await setUp();
      const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
      const signals: (AbortSignal | undefined)[] = [];
      const embed: FakeModel['embed'] = async (text, options) => {
        signals.push(options?.signal);
        await answered;
        return model.embed(text);
      };
      const late: Promise<unknown>[] = [];
      const caller = new AbortController();
      const options = {
        waitUntil: (work: Promise<unknown>) => late.push(work),
        signal: caller.signal,
      };
      const { found, elapse } = onFakeTime(() =>
        retriever({ ...model, embed })(edition, 'pump seal', options),
      );
      expect([await elapse(89), await elapse(1)]).toEqual(['waiting', 'answered']);
      expect(await found).toEqual({
        outcome: searchEdition(edition, 'pump seal'),
        semantic: 'late',
      });
      // The request ends, which aborts its signal.
      caller.abort();
      expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
      answer();
      await Promise.all(late);
      expect([model.texts, index?.queries ?? 0]).toEqual([['pump seal'], 0]);
    });
    it('waits for at most half of the time left', async () => {
      const { edition } = await setUp();
      const retrieve = createRetriever({
        meaningOf: meaningBy(hangingModel(), () => fakeIndex()),
        deadlineMs: 5000,
      });
      const { found, elapse } = onFakeTime(() =>
        retrieve(edition, 'pump seal', { timeLeftMs: 400 }),
      );
      expect([await elapse(199), await elapse(1)]).toEqual(['waiting', 'answered']);
      expect((await found).semantic).toBe('late');
    });
    it('rejects when the caller aborts, and leaves no unhandled rejection, which would fail the run', async () => {
      const { edition, retriever } = await setUp();
      const { promise, reject } = Promise.withResolvers<number[]>();
      const caller = new AbortController();
      const late: Promise<unknown>[] = [];
      const options = {
        signal: caller.signal,
        waitUntil: (work: Promise<unknown>) => late.push(work),
      };
      const retrieve = () =>
        retriever({ ...newModel(), embed: () => promise })(edition, 'pump seal', options);
      const found = retrieve();
      const reason = new Error('gone');
      caller.abort(reason);
      await expect(found).rejects.toBe(reason);
      await expect(retrieve()).rejects.toBe(reason);
      reject(DOWN);
      expect(await Promise.all(late)).toEqual([undefined]);
    });
  },
);

describe('createRetriever() over a vector index', () => {
  it('drops ids unknown to the edition, and queries the index of its workspace', async () => {
    const model = newModel();
    const { edition, index } = await editionWith(model, 'index');
    const vector = await model.embed('display dark');
    await index?.upsert(['f'.repeat(32), 'not an id of ours'].map((id) => ({ id, vector })));
    const indexOf = vi.fn((_workspace: string) => index ?? fakeIndex());
    const retrieve = createRetriever({ meaningOf: meaningBy(model, indexOf) });
    const { outcome } = await retrieve(edition, PARAPHRASE);
    expect(edition.chunk(outcome.hits[0]?.chunk ?? -1).text).toBe(TEXTS['screens.md']);
    expect(outcome.hits).toHaveLength(4);
    expect(indexOf.mock.calls).toEqual([['acme']]);
  });
  it('aborts the query of the index at the deadline', async () => {
    const model = newModel();
    const { edition } = await editionWith(model, 'index');
    const signals: (AbortSignal | undefined)[] = [];
    const query = (_: readonly number[], { signal }: { signal?: AbortSignal | undefined }) => {
      signals.push(signal);
      return new Promise<never>((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(INDEX_DOWN)),
      );
    };
    const retrieve = createRetriever({ meaningOf: meaningBy(model, () => ({ query })) });
    const expected = { outcome: searchEdition(edition, 'pump seal'), semantic: 'late' };
    expect(await retrieve(edition, 'pump seal')).toEqual(expected);
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });
});

it('createRetriever() without a model or without vectors returns exactly the lexical result', async () => {
  const { edition } = await editionWith(newModel(), 'edition');
  for (const [retrieve, over] of [
    [createRetriever({}), edition],
    [createRetriever({ meaningOf: meaningBy(newModel()) }), plain],
  ] as const) {
    const options = { limit: 2, history: [{ speaker: 'user' as const, text: 'the pump' }] };
    const found = await retrieve(over, 'seal of the fan', options);
    expect(JSON.stringify(found.outcome)).toBe(
      JSON.stringify(searchEdition(plain, 'seal of the fan', options)),
    );
    expect(found.semantic).toBe('absent');
  }
});

describe('createRetriever() over word vectors', () => {
  const edition = openEdition(attachWordVectors(build(), shippedWordVectors()));
  const question = 'the ventilator is noisy';
  const retrieve = createRetriever({ wordVectors: shippedWordVectors });
  const hitsOf = ({ outcome }: { outcome: SearchOutcome }) =>
    outcome.hits.map(({ article }) => edition.article(article).id);
  it('finds a text without a common word, without a timer or an embedding service', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    expect((await createRetriever({})(edition, question)).outcome.hits).toEqual([]);
    const meaningOf = vi.fn();
    const found = await createRetriever({ wordVectors: shippedWordVectors, meaningOf })(
      edition,
      question,
    );
    expect([found.semantic, found.outcome.model, hitsOf(found)[0]]).toEqual([
      'used',
      'static-words-2',
      'fans.md',
    ]);
    expect([vi.getTimerCount(), meaningOf.mock.calls]).toEqual([0, []]);
  });
  it('uses the embedding service for editions with other vectors', async () => {
    const { edition: other } = await editionWith(newModel(), 'edition');
    const wordVectors = () => expect.fail('the table is not needed');
    const { semantic, outcome } = await createRetriever({
      wordVectors,
      meaningOf: meaningBy(newModel()),
    })(other, PARAPHRASE);
    expect([semantic, outcome.model]).toEqual(['used', 'text-embedding-ada-002']);
  });
  it('lowers similarity with the share of unknown words, and searches only words when all are unknown', async () => {
    const similarityOf = async (text: string) => {
      const { outcome } = await retrieve(edition, text);
      return (
        outcome.hits.find(({ article }) => edition.article(article).id === 'fans.md')?.similarity ??
        0
      );
    };
    const whole = await similarityOf('ventilator');
    expect(whole).toBeGreaterThan(0.2);
    expect(await similarityOf('ventilator qzxv')).toBeCloseTo(whole / 2, 6);
    const { semantic, outcome } = await retrieve(edition, 'qzxv wvvk');
    expect([semantic, outcome.hits, outcome.model]).toEqual(['absent', [], undefined]);
  });
  it('respects the filter of articles, and reads the turn before a follow-up question', async () => {
    const onCarts = await retrieve(edition, question, { filter: { device: 'Cart' } });
    expect(new Set(hitsOf(onCarts))).toEqual(new Set(['wheels.md']));
    const history = [{ speaker: 'user' as const, text: 'My ventilator is noisy' }];
    expect(hitsOf(await retrieve(edition, 'why?', { history }))[0]).toBe('fans.md');
  });
  it('uses only lexical search, and reports it, when the table is damaged', async () => {
    const faults: unknown[] = [];
    const wordVectors = wordVectorsIn(new ArrayBuffer(100));
    const damaged = createRetriever({ wordVectors, onFault: (_, error) => faults.push(error) });
    const { semantic, outcome } = await damaged(edition, 'dark display');
    expect([semantic, outcome.model, hitsOf({ outcome })]).toEqual([
      'failed',
      undefined,
      ['screens.md'],
    ]);
    expect(faults).toEqual([expect.objectContaining({ name: 'WordVectorsUnreadable' })]);
  });
  it('rejects when the caller has aborted', async () => {
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(retrieve(edition, question, { signal })).rejects.toThrow('gone');
  });
});

it('a text with the same meaning and no common word has a higher relevance than others', async () => {
  const { edition } = await editionWith(newModel(), 'edition');
  const retrieve = createRetriever({ meaningOf: meaningBy(newModel()) });
  const { outcome } = await retrieve(edition, 'monitor stays black when its cable is loose');
  const [best = 0, second = 0] = relevanceOfHits(outcome);
  expect([best > 0.5, second < 0.5]).toEqual([true, true]);
});
