import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editionsOfHits } from '../../../src/knowledge/large/editions-of-hits.ts';
import { largeModeOf } from '../../../src/knowledge/large/large-mode.ts';
import { upstashHybridIndex } from '../../../src/knowledge/large/upstash-hybrid-index.ts';
import { shippedWordVectors } from '../../../tools/run/shipped-word-vectors.ts';
import {
  startVectorServer,
  type VectorServer,
} from '../../../tools/stand-ins/vector/vector-server.ts';
import { editionOf, hostArticle, hostWith, libraryForTest } from '../library/library-for-test.ts';

const ARTICLES = [
  hostArticle('parcel.md', 'A parcel to Canada takes eight days. Express takes three days.'),
  hostArticle('invoice.md', 'An invoice is sent by mail on the first day of each month.'),
  hostArticle('heater.md', 'Hold the red button for five seconds to reset the heater.'),
];

describe('a library whose passages are in a hybrid index', () => {
  let server: VectorServer;
  beforeAll(async () => {
    server = await startVectorServer({
      indexes: [{ token: 'local', isHybrid: true, dimension: shippedWordVectors().dimensions }],
      indexingDelayMs: 0,
    });
  });
  afterAll(() => server.stop());

  it('is read by the searches of a question', async () => {
    const hybrid = { url: server.url, token: 'local', fromPassages: 0 };
    const large = largeModeOf({
      workspace: 'default',
      hybrid,
      provider: undefined,
      wordVectors: shippedWordVectors,
    });
    const { library, clock, faults } = libraryForTest(hostWith(ARTICLES), { large });
    library.startSync({});
    for (let alarms = 0; library.currentEdition() === undefined && alarms < 20; alarms += 1) {
      await library.work();
      clock.now += 1000;
    }
    expect(faults).toEqual([]);
    const read = editionsOfHits(() => editionOf(library), {
      indexOf: (namespace, dimensions) => upstashHybridIndex({ ...hybrid, namespace, dimensions }),
      wordVectors: shippedWordVectors,
    });
    const edition = await read({
      context: { audiences: [] },
      searches: () => [{ question: 'How do I reset my heater?' }],
    } as unknown as Parameters<typeof read>[0]);
    expect(edition.id).toBe(library.currentEdition()?.edition);
    expect(edition.chunkTotal).toBe(3);
    expect(edition.findArticle('heater.md')).toBeGreaterThanOrEqual(0);
    expect(edition.chunk(0).text).not.toBe('');
  });
});
