import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddingFailed, type EmbeddingProvider } from '../../../src/ai/embeddings/base.ts';
import type { ServiceFailure } from '../../../src/ai/openai-client.ts';
import {
  type OpenAIServer,
  QUOTA_USED_UP,
  startOpenAIServer,
} from '../../../src/dev/stand-ins/openai/openai-server.ts';
import type { Fault } from '../../../src/dev/stand-ins/server/faults.ts';

/**
 * The contract of every `EmbeddingProvider`, with or without a cache.
 *
 * @param make A provider whose vectors come from the server, and which knows no text yet.
 */
export const describeEmbeddingProvider = (
  name: string,
  make: (server: OpenAIServer) => EmbeddingProvider | Promise<EmbeddingProvider>,
): void => {
  describe(`an embedding provider: ${name}`, () => {
    let server: OpenAIServer;
    beforeAll(async () => {
      server = await startOpenAIServer();
    });
    afterEach(() => server.faults.none());
    afterAll(() => server.stop());

    it('names its model, and returns one finite vector of its dimensions, the same for the same text', async () => {
      const provider = await make(server);
      const vector = await provider.embed('How do I descale the kettle?');
      expect(vector).toHaveLength(provider.dimensions);
      expect(vector.every(Number.isFinite)).toBe(true);
      expect(await provider.embed('How do I descale the kettle?')).toEqual(vector);
      expect(provider.model).toMatch(/\S/);
    });
    it('keeps the order of a batch, also of a repeated text', async () => {
      const provider = await make(server);
      const texts = ['kettle', 'router', 'kettle', 'refund', 'a longer text about the refund of a kettle'];
      const alone = await Promise.all(texts.map((text) => provider.embed(text)));
      expect(await (await make(server)).embedBatch(texts)).toEqual(alone);
    });
    it('keeps the order of a batch of several requests', async () => {
      const texts = Array.from({ length: 5000 }, (_, at) => `text ${at}`);
      const provider = await make(server);
      const vectors = await provider.embedBatch(texts);
      expect(vectors).toHaveLength(texts.length);
      const checked = [0, 1, 2047, 2048, 2049, 4095, 4096, 4999];
      const alone = await (await make(server)).embedBatch(checked.map((at) => texts[at] ?? ''));
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
      const provider = await make(server);
      const [vector, other] = await provider.embedBatch([text, 'other']);
      expect(vector).toHaveLength(provider.dimensions);
      expect(other).toEqual(await provider.embed('other'));
    });
    it('makes texts that share words more similar', async () => {
      const provider = await make(server);
      const [question, near, far] = await provider.embedBatch([
        'How do I update the firmware of the miner?',
        'Updating the firmware: open the dashboard and press Update.',
        'Refunds are paid within fourteen days.',
      ]);
      expect(cosine(question, near)).toBeGreaterThan(cosine(question, far) + 0.1);
    });
    it.each<[string, Fault, ServiceFailure]>([
      ['it refuses the key', { kind: 'status', status: 401 }, 'refused'],
      ['the quota is used up', QUOTA_USED_UP, 'refused'],
      ['it takes no more requests', { kind: 'status', status: 429, retryAfter: 30 }, 'rate_limited'],
      ['it fails', { kind: 'status', status: 500, retryAfter: 0 }, 'unavailable'],
      ['a proxy cannot reach it', { kind: 'html-502' }, 'unavailable'],
      ['it cuts the connection', { kind: 'reset' }, 'unavailable'],
      ['it cuts the connection in the middle', { kind: 'reset-in-body' }, 'unavailable'],
      ['its answer is no JSON', { kind: 'malformed-json' }, 'malformed'],
      ['its answer is half of one', { kind: 'truncated-json' }, 'malformed'],
    ])('fails by name where %s, and not any longer than that', async (_, fault, reason) => {
      const provider = await make(server);
      server.faults.always(fault);
      const text = `Anna's number is 0170 5551234 (${reason})`;
      const error = await failureOf(provider.embedBatch([text, 'other']));
      expect(error.reason).toBe(reason);
      expect(error.message).toMatch(/^Cannot embed /);
      expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toMatch(/Anna|0170|sk-local|quota, please/);
      server.faults.none();
      expect(await provider.embed(text)).toHaveLength(provider.dimensions);
    });
    it.each<[string, Fault]>([
      ['has not begun to answer', { kind: 'hang-before-headers' }],
      ['stops in the middle of its answer', { kind: 'hang-in-body' }],
      ['unavailable for two seconds', { kind: 'status', status: 503, retryAfter: 2 }],
    ])('is given up at once when the signal aborts while the service %s', async (_, fault) => {
      const provider = await make(server);
      server.forgetRequests();
      server.faults.always(fault);
      const controller = new AbortController();
      const failing = failureOf(provider.embed('never embedded before', { signal: controller.signal }));
      await expect.poll(() => server.requests.length).toBe(1);
      controller.abort();
      expect((await failing).reason).toBe('aborted');
      expect(server.requests).toHaveLength(1);
    });
    it('sends nothing without texts, or once the signal has aborted', async () => {
      const provider = await make(server);
      server.forgetRequests();
      expect(await provider.embedBatch([])).toEqual([]);
      const error = await failureOf(provider.embed('not embedded before', { signal: AbortSignal.abort() }));
      expect([error.reason, server.requests.length]).toEqual(['aborted', 0]);
    });
    it('serves one caller although another one aborted', async () => {
      const provider = await make(server);
      server.faults.next(1, { kind: 'hang-before-headers' });
      server.forgetRequests();
      const controller = new AbortController();
      const aborted = failureOf(provider.embed('of two callers', { signal: controller.signal }));
      await expect.poll(() => server.requests.length).toBe(1);
      controller.abort();
      expect((await aborted).reason).toBe('aborted');
      expect(await provider.embed('of two callers')).toHaveLength(provider.dimensions);
    });
  });
};

/** The failure of a call that has to fail. */
export const failureOf = async (call: Promise<unknown>): Promise<EmbeddingFailed> => {
  const error = await call.then(() => undefined).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(EmbeddingFailed);
  return error as EmbeddingFailed; // as the line above found
};

/** Cosine similarity of unit vectors. */
const cosine = (a: readonly number[] = [], b: readonly number[] = []): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
