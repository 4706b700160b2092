import { describe, expect, it } from 'vitest';
import { EmbeddingFailed, type EmbeddingProvider } from '../../../src/ai/embeddings/base.ts';
import type { OpenAIServer } from '../../../tools/stand-ins/openai/openai-server.ts';
import { FAULTS, failureOf, HANGS } from '../openai-for-test.ts';

/**
 * The contract of every `EmbeddingProvider`, with or without a cache.
 *
 * @param make A provider whose vectors come from the server, and which knows no text yet.
 */
export function describeEmbeddingProvider(
  name: string,
  server: OpenAIServer,
  make: () => EmbeddingProvider,
): void {
  describe(`an embedding provider: ${name}`, () => {
    const failing = (provider: EmbeddingProvider, text: string, signal?: AbortSignal) =>
      failureOf(provider.embed(text, { signal }), EmbeddingFailed);

    it('names its model, and returns one finite vector of its dimensions, the same for the same text', async () => {
      const provider = make();
      const vector = await provider.embed('How do I descale the kettle?');
      expect(vector).toHaveLength(provider.dimensions);
      expect(vector.every(Number.isFinite)).toBe(true);
      expect(await provider.embed('How do I descale the kettle?')).toEqual(vector);
      expect(provider.model).toMatch(/\S/);
    });
    it('keeps the order of a batch, also of a repeated text and over several requests', async () => {
      const texts = Array.from({ length: 4097 }, (_, at) => `text ${at === 9 ? 8 : at}`);
      const vectors = await make().embedBatch(texts);
      expect(vectors).toHaveLength(texts.length);
      expect(vectors[9]).toEqual(vectors[8]);
      const checked = [0, 1, 2047, 2048, 2049, 4095, 4096];
      const alone = await Promise.all(checked.map((at) => make().embed(texts[at] ?? '')));
      expect(checked.map((at) => vectors[at])).toEqual(alone);
    });
    it.each([
      ['an empty text', ''],
      ['a blank text', ' \n\t'],
      ['a zero byte', 'a\u0000b'],
      ['half a surrogate pair', 'cut \ud83d'],
      ['a word of 100,000 letters', 'a'.repeat(100_000)],
      ['100,000 characters of four bytes', '😀'.repeat(100_000)],
      ['a text with the end of a document in it', 'before <|endoftext|> after'],
    ])('has a vector for %s', async (_, text) => {
      const provider = make();
      const [vector, other] = await provider.embedBatch([text, 'other']);
      expect(vector).toHaveLength(provider.dimensions);
      expect(other).toEqual(await provider.embed('other'));
    });
    it('makes texts that share words more similar', async () => {
      const [question, near, far] = await make().embedBatch([
        'How do I update the firmware of the miner?',
        'Updating the firmware: open the dashboard and press Update.',
        'Refunds are paid within fourteen days.',
      ]);
      expect(cosine(question, near)).toBeGreaterThan(cosine(question, far) + 0.1);
    });
    it.each(FAULTS)(
      'fails by name where %s, and not any longer than that',
      async (_, fault, reason) => {
        const provider = make();
        server.faults.always(fault);
        const text = `Anna's number is 0170 5551234 (${reason})`;
        const message = expect.stringMatching(/^Cannot embed /);
        expect(await failing(provider, text)).toMatchObject({ reason, message });
        server.faults.none();
        expect(await provider.embed(text)).toHaveLength(provider.dimensions);
      },
    );
    it.each<(typeof HANGS)[number]>([
      ...HANGS,
      ['is unavailable for two seconds', { kind: 'status', status: 503, retryAfter: 2 }],
    ])('is given up at once when the signal aborts while the service %s', async (_, fault) => {
      server.faults.always(fault);
      const controller = new AbortController();
      const failed = failing(make(), 'text', controller.signal);
      await expect.poll(() => server.requests.length).toBe(1);
      controller.abort();
      expect((await failed).reason).toBe('aborted');
      expect(server.requests).toHaveLength(1);
    });
    it('sends nothing without texts, or once the signal has aborted', async () => {
      expect(await make().embedBatch([])).toEqual([]);
      expect((await failing(make(), 'text', AbortSignal.abort())).reason).toBe('aborted');
      expect(server.requests).toHaveLength(0);
    });
    it('serves one caller although another one aborted', async () => {
      const provider = make();
      server.faults.next(1, { kind: 'hang-before-headers' });
      const controller = new AbortController();
      const aborted = failing(provider, 'of two callers', controller.signal);
      await expect.poll(() => server.requests.length).toBe(1);
      controller.abort();
      expect((await aborted).reason).toBe('aborted');
      expect(await provider.embed('of two callers')).toHaveLength(provider.dimensions);
    });
  });
}

/** Cosine similarity of unit vectors. */
const cosine = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
