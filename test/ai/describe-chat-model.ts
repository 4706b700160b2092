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
    const properties = { text: { type: 'string' } };
    const schema = { type: 'object', properties, required: ['text'], additionalProperties: false };
    const SCHEMA = { name: 'answer', schema };

    it('names its model, and returns the text, the finish reason and the token counts of the service', async () => {
      const text = 'Grüße, 世界 😀';
      server.script({ text, usage: { prompt: 120, completion: 7 } });
      const chat = make(server);
      const usage = { inputTokens: 120, outputTokens: 7 };
      expect(await chat.complete(QUESTION)).toMatchObject({ text, finish: 'stop', usage });
      expect(chat.model).toMatch(/\S/);
    });
    it('returns a document that follows the schema', async () => {
      const { text } = await make(server).complete(QUESTION, { schema: SCHEMA, temperature: 0, maxTokens: 300 });
      expect(JSON.parse(text)).toEqual({ text: expect.any(String) });
    });

    const half = { text: '{"text":"half a docu', finish: 'length' as const };
    it.each<[string, Parameters<OpenAIServer['script']>[0], object]>([
      ['a refusal without its text', { refusal: 'I cannot help with that.' }, { text: '', finish: 'refused' }],
      ['a truncated text', half, { ...half, usage: expect.anything() }],
      ['a filtered text', { text: '', finish: 'content_filter' }, { text: '', finish: 'filtered' }],
    ])('reports %s', async (_, reply, expected) => {
      server.script(reply);
      expect(await make(server).complete(QUESTION, { schema: SCHEMA })).toMatchObject(expected);
    });
    it('respects the token limit', async () => {
      server.script('word '.repeat(4000));
      const { text, finish, usage } = await make(server).complete(QUESTION, { maxTokens: 200 });
      expect(finish).toBe('length');
      expect(text.length).toBeLessThan(1000);
      expect(usage?.outputTokens).toBeLessThanOrEqual(200);
    });
    it('returns an answer without usage when the service reports none', async () => {
      server.script({ text: 'Yes.', usage: 'missing' });
      expect(await make(server).complete(QUESTION)).toEqual({ text: 'Yes.', finish: 'stop' });
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
  const error = await call.then(() => undefined).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ModelUnavailable);
  return error as ModelUnavailable; // as the line above found
};
