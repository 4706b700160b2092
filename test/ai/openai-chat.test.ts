import { describe, expect, it } from 'vitest';
import { ModelUnavailable, openaiChat } from '../../src/ai/openai-chat.ts';
import { describeChatModel } from './describe-chat-model.ts';
import { changeReply, failureOf, openaiForTest } from './openai-for-test.ts';

type OpenAIChatConfig = Parameters<typeof openaiChat>[0];

const server = await openaiForTest();
const chatOf = (config: Partial<OpenAIChatConfig> = {}) =>
  openaiChat({ apiKey: server.apiKey, baseURL: server.url, model: 'gpt-4.1-mini', ...config });
const REASONING: Partial<OpenAIChatConfig> = { model: 'o4-mini', reasoningEffort: 'low' };

describeChatModel('OpenAI, gpt-4.1-mini', server, chatOf);
describeChatModel('OpenAI, a reasoning model', server, () => chatOf(REASONING));

const QUESTION = [{ role: 'user', content: 'Is it warm?' }] as const;
/** The failure of a completion. */
const failing = (...asked: Parameters<ReturnType<typeof chatOf>['complete']>) =>
  failureOf(chatOf().complete(...asked), ModelUnavailable);
const sent = () => server.sent('/chat/completions')[0] as Record<string, unknown>;
const object = (properties: Record<string, unknown>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

describe('openaiChat()', () => {
  it('sends only the required parameters, and disables storage', async () => {
    await chatOf().complete(QUESTION);
    expect(sent()).toEqual({ model: 'gpt-4.1-mini', messages: [...QUESTION], store: false });
  });
  it('limits tokens by the parameter that all models accept', async () => {
    await chatOf().complete(QUESTION, { maxTokens: 200, temperature: 0 });
    expect(sent()).toMatchObject({ max_completion_tokens: 200, temperature: 0 });
    expect(sent()).not.toHaveProperty('max_tokens');
  });
  it.each(['o4-mini', 'o3', 'gpt-5-mini'])(
    'sends %s no temperature, which it refuses',
    async (model) => {
      await chatOf({ model }).complete(QUESTION, { maxTokens: 200, temperature: 0 });
      expect(sent()).not.toHaveProperty('temperature');
    },
  );
  it('sends a reasoning effort only when one is configured', async () => {
    await chatOf(REASONING).complete(QUESTION);
    expect(sent()).toMatchObject({ reasoning_effort: 'low' });
  });
  it('sends a schema as a strict one', async () => {
    const schema = { name: 'answer', schema: object({ warm: { type: 'boolean' } }) };
    const { text } = await chatOf().complete(QUESTION, { schema });
    const response_format = { type: 'json_schema', json_schema: { ...schema, strict: true } };
    expect(sent()).toMatchObject({ response_format });
    expect(JSON.parse(text)).toEqual({ warm: false });
  });
  it('sends a schema whose bounds are refused without them', async () => {
    const schema = { name: 'answer', schema: object({ text: { type: 'string', maxLength: 5 } }) };
    expect(JSON.parse((await chatOf().complete(QUESTION, { schema })).text)).toEqual({
      text: expect.any(String),
    });
    expect(server.sent('/chat/completions')).toMatchObject([
      { response_format: { json_schema: { schema: { properties: { text: { maxLength: 5 } } } } } },
      {
        response_format: { json_schema: { schema: { properties: { text: { type: 'string' } } } } },
      },
    ]);
    expect(JSON.stringify(server.sent('/chat/completions')[1])).not.toContain('maxLength');
  });
  it.each(['', 'an answer', 'réponse', 'x'.repeat(65)])(
    'sends no schema of the name "%s"',
    async (name) => {
      const schema = { name, schema: object({}) };
      await expect(chatOf().complete(QUESTION, { schema })).rejects.toThrow(RangeError);
      expect(server.requests).toHaveLength(0);
    },
  );
  it('streams the text, and returns the same completion as without streaming', async () => {
    const pieces: string[] = [];
    server.script({ text: 'It is warm today, and dry.' }, { text: 'It is warm today, and dry.' });
    const streamed = await chatOf().complete(QUESTION, { onText: (piece) => pieces.push(piece) });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(streamed.text);
    expect(streamed).toEqual(await chatOf().complete(QUESTION));
    expect(sent()).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });
  it.each(['tear', 'error'] as const)('fails when the stream breaks (%s)', async (fault) => {
    server.script({ text: 'It is warm today, and dry.', stream: fault });
    expect((await failing(QUESTION, { onText: () => {} })).reason).toMatch(/malformed|unavailable/);
  });
  it('sends half a surrogate pair as a replacement character', async () => {
    await chatOf().complete([{ role: 'user', content: 'cut \ud83d' }]);
    expect(sent()).toMatchObject({ messages: [{ content: 'cut \ufffd' }] });
  });
  it('refuses no messages, and more than 256', async () => {
    const many = Array.from({ length: 257 }, () => QUESTION[0]);
    await expect(chatOf().complete([])).rejects.toThrow(RangeError);
    await expect(chatOf().complete(many)).rejects.toThrow(RangeError);
  });
  it('times out after its own limit', async () => {
    server.faults.always({ kind: 'hang-in-body' });
    const completion = chatOf({ timeoutMs: 100 }).complete(QUESTION);
    expect((await failureOf(completion, ModelUnavailable)).reason).toBe('unavailable');
  });
  it('reports the wait that the service requests', async () => {
    server.script({ error: { status: 429, headers: { 'retry-after': '7' } } });
    expect(await failing(QUESTION)).toMatchObject({ reason: 'rate_limited', retryAfterMs: 7000 });
  });
  it.each<Partial<OpenAIChatConfig>>([
    { model: '' },
    { model: 'a\nb' },
    { apiKey: '' },
    { apiKey: 'sk 1' },
    { baseURL: 'https://example.com/v1?x=1' },
    { timeoutMs: 600_001 },
  ])('refuses the configuration %j', (config) => expect(() => chatOf(config)).toThrow(RangeError));
});

describe('the cost of a completion', () => {
  const prices = {
    'gpt-4.1-mini': { inputPerMillion: 2, cachedInputPerMillion: 0.5, outputPerMillion: 8 },
  };
  const usage = { prompt: 1_000_000, cached: 400_000, completion: 100_000 };

  it('counts input, input from the cache and output at their prices', async () => {
    server.script({ text: 'Yes.', usage });
    const { costUsd } = await chatOf({ prices }).complete(QUESTION);
    expect(costUsd).toBeCloseTo(0.6 * 2 + 0.4 * 0.5 + 0.1 * 8, 10);
  });
  it.each([
    ['is not made up for a model without a price', 'gpt-4.1', 'stop', false],
    ['is reported for a truncated text as well', 'gpt-4.1-mini', 'length', true],
  ] as const)('%s', async (_, model, finish, isKnown) => {
    server.script({ text: 'Yes.', usage, finish });
    const completion = await chatOf({ model, prices }).complete(QUESTION);
    expect(['usage' in completion, 'costUsd' in completion]).toEqual([true, isKnown]);
  });
});

describe('a reply', () => {
  const COMPLETION = '{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}';
  it('is read although its type is another', async () => {
    const fetch = async () =>
      new Response(COMPLETION, { headers: { 'content-type': 'text/plain' } });
    expect(await chatOf({ fetch }).complete(QUESTION)).toMatchObject({
      text: 'Yes.',
      finish: 'stop',
    });
  });
  const change = (message: unknown, more: object = {}) =>
    changeReply((reply: object) => ({
      ...reply,
      choices: [{ index: 0, message, finish_reason: 'stop', ...more }],
    }));

  it.each<[string, typeof fetch]>([
    ['no choices', changeReply((reply: object) => ({ ...reply, choices: [] }))],
    ['no message', change(undefined)],
    ['a content that is no text', change({ content: 42 })],
    ['a list', changeReply(() => [])],
    ['more than 2 MiB', change({ content: 'x'.repeat(2_100_000) })],
  ])('is malformed when it is %s', async (_, fetch) => {
    const completion = chatOf({ fetch }).complete(QUESTION);
    expect((await failureOf(completion, ModelUnavailable)).reason).toBe('malformed');
  });
  const ENDINGS = ['tool_calls', 'function_call', 'something new', null, undefined];
  it.each(ENDINGS)('is incomplete when it ended by %s', async (finish_reason) => {
    const fetch = change({ content: 'Yes.' }, { finish_reason });
    expect(await chatOf({ fetch }).complete(QUESTION)).toMatchObject({
      text: 'Yes.',
      finish: 'length',
    });
  });
  it.each<[string, unknown]>([
    ['null', null],
    ['negative', { prompt_tokens: -1, completion_tokens: 1 }],
    ['half', { prompt_tokens: 1 }],
    ['words', { prompt_tokens: 'one', completion_tokens: '2' }],
  ])('is an answer although its usage is %s', async (_, usage) => {
    const fetch = changeReply((reply: object) => ({ ...reply, usage }));
    const completion = await chatOf({ fetch }).complete(QUESTION);
    expect(completion.text).toBe('Is it warm?');
    expect(completion).not.toHaveProperty('usage');
  });
  it('may have unknown members, and need not have unused ones', async () => {
    const choices = [{ message: { content: 'Yes.', thoughts: [] }, finish_reason: 'stop' }];
    const fetch = changeReply(() => ({ choices }));
    expect(await chatOf({ fetch }).complete(QUESTION)).toEqual({ text: 'Yes.', finish: 'stop' });
  });
  it.each([
    ['a refusal even with content beside it', { content: 'Sorry.', refusal: 'No.' }, 'refused'],
    ['empty, and whole, when the content is null', { content: null }, 'stop'],
  ])('is %s', async (_, message, finish) => {
    const completion = await chatOf({ fetch: change(message) }).complete(QUESTION);
    expect(completion).toMatchObject({ text: '', finish });
  });
});
