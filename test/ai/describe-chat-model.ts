import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ModelUnavailable } from '../../src/ai/openai-chat.ts';
import type { ServiceFailure } from '../../src/ai/openai-client.ts';
import type { AIClient } from '../../src/contract/librarian.ts';
import { type OpenAIServer, QUOTA_USED_UP, startOpenAIServer } from '../../src/dev/stand-ins/openai/openai-server.ts';
import type { Fault } from '../../src/dev/stand-ins/server/faults.ts';

/**
 * The contract of every `AIClient`.
 *
 * @param make A client whose completions come from the server.
 */
export const describeChatModel = (name: string, make: (server: OpenAIServer) => AIClient): void => {
  describe(`a chat model: ${name}`, () => {
    let server: OpenAIServer;
    beforeAll(async () => {
      server = await startOpenAIServer();
    });
    afterEach(() => {
      server.faults.none();
      server.forgetRequests();
      server.answerWith(undefined);
    });
    afterAll(() => server.stop());

    const QUESTION = [{ role: 'user', content: "What is Anna's number?" }] as const;
    const SCHEMA = {
      name: 'answer',
      schema: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
        additionalProperties: false,
      },
    };

    it('names its model', () => {
      expect(make(server).model).toMatch(/\S/);
    });

    it('returns the text, the finish reason and the token counts of the service', async () => {
      server.script({ text: 'Grüße, 世界 😀', usage: { prompt: 120, completion: 7 } });
      expect(await make(server).complete(QUESTION)).toMatchObject({
        text: 'Grüße, 世界 😀',
        finish: 'stop',
        usage: { inputTokens: 120, outputTokens: 7 },
      });
    });

    it('returns a document that follows the schema', async () => {
      const { text } = await make(server).complete(QUESTION, { schema: SCHEMA, temperature: 0, maxTokens: 300 });
      expect(JSON.parse(text)).toEqual({ text: expect.any(String) });
    });

    it('reports a refusal without its text', async () => {
      server.script({ refusal: 'I cannot help with that.' });
      expect(await make(server).complete(QUESTION)).toMatchObject({ text: '', finish: 'refused' });
    });

    it('reports a truncated text', async () => {
      server.script({ text: '{"text":"half a docu', finish: 'length' });
      const completion = await make(server).complete(QUESTION, { schema: SCHEMA });
      expect(completion).toMatchObject({ text: '{"text":"half a docu', finish: 'length', usage: expect.anything() });
    });

    it('respects the token limit', async () => {
      server.script('word '.repeat(4000));
      const { text, finish, usage } = await make(server).complete(QUESTION, { maxTokens: 200 });
      expect(finish).toBe('length');
      expect(text.length).toBeLessThan(1000);
      expect(usage?.outputTokens).toBeLessThanOrEqual(200);
    });

    it('reports a filtered text', async () => {
      server.script({ text: '', finish: 'content_filter' });
      expect(await make(server).complete(QUESTION)).toMatchObject({ text: '', finish: 'filtered' });
    });

    it('returns an answer without usage when the service reports none', async () => {
      server.script({ text: 'Yes.', usage: 'missing' });
      const completion = await make(server).complete(QUESTION);
      expect(completion.text).toBe('Yes.');
      expect(completion).not.toHaveProperty('usage');
      expect(completion).not.toHaveProperty('costUsd');
    });

    it.each<[string, Fault, ServiceFailure]>([
      ['it refuses the key', { kind: 'status', status: 401 }, 'refused'],
      ['it refuses the request', { kind: 'status', status: 400 }, 'refused'],
      ['the quota is used up', QUOTA_USED_UP, 'refused'],
      ['it takes no more requests', { kind: 'status', status: 429, retryAfter: 1 }, 'rate_limited'],
      ['it takes no more requests and names no time', { kind: 'status', status: 429 }, 'rate_limited'],
      ['it fails', { kind: 'status', status: 500 }, 'unavailable'],
      ['a proxy cannot reach it', { kind: 'html-502' }, 'unavailable'],
      ['it is overloaded', { kind: 'status', status: 503, headers: { 'x-should-retry': 'false' } }, 'unavailable'],
      ['it cuts the connection', { kind: 'reset' }, 'unavailable'],
      ['it cuts the connection in the middle', { kind: 'reset-in-body' }, 'unavailable'],
      ['its answer is no JSON', { kind: 'malformed-json' }, 'malformed'],
      ['its answer is half of one', { kind: 'truncated-json' }, 'malformed'],
    ])('fails by name where %s, after one request', async (_, fault, reason) => {
      server.faults.always(fault);
      const error = await unavailabilityOf(make(server).complete(QUESTION));
      expect(error.reason).toBe(reason);
      expect(error.message).toMatch(/^Cannot complete /);
      expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toMatch(/Anna|sk-local|quota, please/);
      expect(server.requests).toHaveLength(1);
    });

    it.each<[string, Fault]>([
      ['has not begun to answer', { kind: 'hang-before-headers' }],
      ['stops in the middle of its answer', { kind: 'hang-in-body' }],
    ])('is given up at once when the signal aborts while the service %s', async (_, fault) => {
      server.faults.always(fault);
      const controller = new AbortController();
      const failing = unavailabilityOf(make(server).complete(QUESTION, { signal: controller.signal }));
      await expect.poll(() => server.requests.length).toBe(1);
      controller.abort();
      expect((await failing).reason).toBe('aborted');
    });

    it('sends nothing once the signal has aborted', async () => {
      const error = await unavailabilityOf(make(server).complete(QUESTION, { signal: AbortSignal.abort() }));
      expect(error.reason).toBe('aborted');
      expect(server.requests).toHaveLength(0);
    });
  });
};

/** The failure of a call that has to fail. */
export const unavailabilityOf = async (call: Promise<unknown>): Promise<ModelUnavailable> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ModelUnavailable);
  return error as ModelUnavailable; // as the line above found
};
