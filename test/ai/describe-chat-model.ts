import { describe, expect, it } from 'vitest';
import { ModelUnavailable } from '../../src/ai/openai-chat.ts';
import type { AIClient } from '../../src/contract/core/librarian.ts';
import type { OpenAIServer } from '../../tools/stand-ins/openai/openai-server.ts';
import { FAULTS, failureOf, HANGS } from './openai-for-test.ts';

/**
 * The contract of every `AIClient`.
 *
 * @param server Where the completions of the client come from.
 */
export function describeChatModel(name: string, server: OpenAIServer, make: () => AIClient): void {
  describe(`a chat model: ${name}`, () => {
    const QUESTION = [{ role: 'user', content: "What is Anna's number?" }] as const;
    const properties = { text: { type: 'string' } };
    const schema = { type: 'object', properties, required: ['text'], additionalProperties: false };
    const SCHEMA = { name: 'answer', schema };
    const failing = (signal?: AbortSignal) =>
      failureOf(make().complete(QUESTION, { signal }), ModelUnavailable);

    it('names its model, and returns the text, the finish reason and the token counts of the service', async () => {
      const text = 'Grüße, 世界 😀';
      server.script({ text, usage: { prompt: 120, completion: 7 } });
      const usage = { inputTokens: 120, outputTokens: 7 };
      expect(await make().complete(QUESTION)).toMatchObject({ text, finish: 'stop', usage });
      expect(make().model).toMatch(/\S/);
    });
    it('returns a document that follows the schema', async () => {
      const { text } = await make().complete(QUESTION, {
        schema: SCHEMA,
        temperature: 0,
        maxTokens: 300,
      });
      expect(JSON.parse(text)).toEqual({ text: expect.any(String) });
    });

    const half = { text: '{"text":"half a docu', finish: 'length' as const };
    it.each<[string, Parameters<OpenAIServer['script']>[0], object]>([
      [
        'a refusal without its text',
        { refusal: 'I cannot help with that.' },
        { text: '', finish: 'refused' },
      ],
      ['a truncated text', half, { ...half, usage: expect.anything() }],
      ['a filtered text', { text: '', finish: 'content_filter' }, { text: '', finish: 'filtered' }],
    ])('reports %s', async (_, reply, expected) => {
      server.script(reply);
      expect(await make().complete(QUESTION, { schema: SCHEMA })).toMatchObject(expected);
    });
    it('respects the token limit', async () => {
      server.script('word '.repeat(4000));
      const { text, finish, usage } = await make().complete(QUESTION, { maxTokens: 200 });
      expect(finish).toBe('length');
      expect(text.length).toBeLessThan(1000);
      expect(usage?.outputTokens).toBeLessThanOrEqual(200);
    });
    it('returns an answer without usage when the service reports none', async () => {
      server.script({ text: 'Yes.', usage: 'missing' });
      expect(await make().complete(QUESTION)).toEqual({ text: 'Yes.', finish: 'stop' });
    });
    it.each([
      ...FAULTS,
      [
        'it does not know the model',
        { kind: 'status', status: 404, message: 'The model does not exist.' },
        'refused',
      ],
      [
        'the messages are too long',
        { kind: 'status', status: 400, message: 'maximum context length is 9' },
        'refused',
      ],
      ['it names no time', { kind: 'status', status: 429 }, 'rate_limited'],
      [
        'it is overloaded',
        { kind: 'status', status: 503, headers: { 'x-should-retry': 'false' } },
        'unavailable',
      ],
    ] satisfies typeof FAULTS)(
      'fails by name where %s, after one request',
      async (_, fault, reason) => {
        server.faults.always(fault);
        expect(await failing()).toMatchObject({
          reason,
          message: expect.stringMatching(/^Cannot complete /),
        });
        expect(server.requests).toHaveLength(1);
      },
    );
    it('fails as refused when every form of the request is refused, after few requests', async () => {
      server.faults.always({ kind: 'status', status: 400 });
      const failure = failureOf(
        make().complete(QUESTION, { schema: SCHEMA, temperature: 0 }),
        ModelUnavailable,
      );
      expect((await failure).reason).toBe('refused');
      expect(server.requests.length).toBeLessThanOrEqual(5);
    });
    it.each(HANGS)(
      'is given up at once when the signal aborts while the service %s',
      async (_, fault) => {
        server.faults.always(fault);
        const controller = new AbortController();
        const failed = failing(controller.signal);
        await expect.poll(() => server.requests.length).toBe(1);
        controller.abort();
        expect((await failed).reason).toBe('aborted');
      },
    );
    it('sends nothing once the signal has aborted', async () => {
      expect((await failing(AbortSignal.abort())).reason).toBe('aborted');
      expect(server.requests).toHaveLength(0);
    });
  });
}
