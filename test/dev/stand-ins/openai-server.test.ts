import { setTimeout as delay } from 'node:timers/promises';
import OpenAI from 'openai';
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/error';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  type OpenAIServer,
  QUOTA_USED_UP,
  startOpenAIServer,
} from '../../../src/dev/stand-ins/openai/openai-server.ts';

let server: OpenAIServer;
/** The client as it is published, but that it does not repeat by itself. */
let client: OpenAI;

beforeAll(async () => {
  server = await startOpenAIServer({ dimensions: 96 });
  client = new OpenAI({ apiKey: server.apiKey, baseURL: server.url, organization: null, project: null, maxRetries: 0 });
});
afterEach(() => {
  server.faults.none();
  server.forgetRequests();
  server.answerWith(undefined);
});
afterAll(() => server.stop());

const failureOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OpenAI.APIError);
  return error as InstanceType<typeof OpenAI.APIError>; // as the line above found
};

describe('/v1/models, asked by the official client', () => {
  it('are listed and can be asked for one by one', async () => {
    const ids = (await Array.fromAsync(client.models.list())).map(({ id }) => id);
    expect(ids).toContain('text-embedding-3-small');
    expect(ids).toContain('gpt-4.1-mini-2025-04-14');
    expect(await client.models.retrieve('gpt-4.1-mini')).toMatchObject({ id: 'gpt-4.1-mini', object: 'model' });
    expect(await failureOf(client.models.retrieve('gpt-2'))).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('are for holders of the key', async () => {
    const wrong = new OpenAI({ apiKey: 'sk-wrong', baseURL: server.url, maxRetries: 0 });
    const error = await failureOf(Promise.resolve(wrong.models.list()));
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'invalid_request_error' });
    expect((await fetch(`${server.url}/models`)).status).toBe(401);
  });

  it('are the only thing at their address', async () => {
    expect((await failureOf(client.get('/engines'))).status).toBe(404);
  });
});

describe('/v1/embeddings, asked by the official client', () => {
  const embed = (more: object): Promise<OpenAI.CreateEmbeddingResponse> => {
    // Also what the client's types forbid.
    const request: object = { model: 'text-embedding-3-small', input: 'text', ...more };
    return client.embeddings.create(request as OpenAI.EmbeddingCreateParams);
  };

  it.each([
    ['text-embedding-3-small', 1536],
    ['text-embedding-3-large', 3072],
    ['text-embedding-ada-002', 1536],
    ['local-embedding', 96],
  ])('are unit vectors: %s has %i numbers', async (model, dimensions) => {
    const { data, usage } = await client.embeddings.create({ model, input: ['one text', 'two texts'] });
    expect(data.map(({ index }) => index)).toEqual([0, 1]);
    for (const { embedding } of data) {
      expect(embedding).toHaveLength(dimensions);
      expect(lengthOf(embedding)).toBeCloseTo(1, 5);
    }
    expect(usage.prompt_tokens).toBeGreaterThan(0);
    expect(usage.total_tokens).toBe(usage.prompt_tokens);
  });

  it('are unit vectors when they are shortened, too', async () => {
    const { data } = await embed({ dimensions: 256 });
    expect(data[0]?.embedding).toHaveLength(256);
    expect(lengthOf(data[0]?.embedding)).toBeCloseTo(1, 5);
  });

  it('are the same in base64, for which the client asks, and in numbers', async () => {
    const [base64, floats] = [await embed({}), await embed({ encoding_format: 'float' })];
    expect(floats.data).toEqual(base64.data);
    expect(server.sent('/embeddings')).toMatchObject([{ encoding_format: 'base64' }, { encoding_format: 'float' }]);
  });

  it('are numbers for a client that does not ask for base64', async () => {
    const headers = { authorization: `Bearer ${server.apiKey}` };
    const body = JSON.stringify({ model: 'local-embedding', input: 'text' });
    const reply = await (await fetch(`${server.url}/embeddings`, { method: 'POST', headers, body })).json();
    expect(reply).toMatchObject({ data: [{ embedding: expect.arrayContaining([expect.any(Number)]) }] });
  });

  it('are always the same for a text, on every server', async () => {
    const other = await startOpenAIServer();
    const there = await new OpenAI({ apiKey: other.apiKey, baseURL: other.url }).embeddings.create({
      model: 'text-embedding-3-small',
      input: 'text',
    });
    await other.stop();
    expect(there.data).toEqual((await embed({})).data);
  });

  it('are closer the more words, and forms of words, two texts share', async () => {
    const { data } = await embed({
      input: [
        'How do I reset the password of my account?',
        'Resetting passwords: open the account page.',
        'pasword reset',
        'The warehouse ships orders on Mondays.',
      ],
    });
    const [question, near, typo, far] = data.map(({ embedding }) => embedding);
    expect(product(question, near)).toBeGreaterThan(0.3);
    expect(product(question, typo)).toBeGreaterThan(0.3);
    expect(Math.abs(product(question, far))).toBeLessThan(0.15);
  });

  it('take token ids', async () => {
    expect((await embed({ input: [[1, 2, 3], [4]] })).data).toHaveLength(2);
    expect((await embed({ input: [1, 2, 3] })).data).toHaveLength(1);
  });

  const many = (count: number, text: string) => Array.from({ length: count }, () => text);
  it.each<[string, object]>([
    ['an empty text', { input: '' }],
    ['an empty text among others', { input: ['a', ''] }],
    ['no text', { input: [] }],
    ['more than 2048 texts', { input: many(2049, 'a') }],
    ['a text of more than 8192 tokens', { input: 'kettle '.repeat(8193) }],
    ['a text that the vocabulary knows no words of', { input: '🜁'.repeat(3000) }],
    ['a text of many megabytes', { input: 'a'.repeat(5_000_000) }],
    ['more than 300,000 tokens', { input: many(60, 'kettle '.repeat(5100)) }],
    ['texts and tokens mixed', { input: ['a', 1] }],
    ['a number', { input: 5 }],
    ['a member that it does not know', { truncate: true }],
    ['no dimensions', { dimensions: 0 }],
    ['more dimensions than there are', { dimensions: 1537 }],
    ['dimensions of a model that has no others', { model: 'text-embedding-ada-002', dimensions: 1536 }],
    ['an encoding that it does not know', { encoding_format: 'int8' }],
  ])('refuse %s', async (_, more) => {
    const error = await failureOf(embed(more));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error.requestID).toMatch(/^req_/);
  });

  it('take 2048 texts, a text of 28,000 bytes, and a million bytes together', async () => {
    expect((await embed({ input: many(2048, 'a'), dimensions: 2 })).data).toHaveLength(2048);
    expect((await embed({ input: 'kettle '.repeat(4000), dimensions: 2 })).data).toHaveLength(1);
    expect((await embed({ input: many(58, 'kettle '.repeat(2500)), dimensions: 2 })).data).toHaveLength(58);
  });

  it.each(['gpt-4.1-mini', 'no-such-model'])('know no model %s', async (model) => {
    expect(await failureOf(embed({ model }))).toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('say which member is missing', async () => {
    expect(await failureOf(embed({ input: undefined }))).toMatchObject({ status: 400, param: 'input' });
  });

  it('are as late as a test wants them, and chat is not', async () => {
    server.faults.always({ kind: 'delay', ms: 80 }, '/v1/embeddings');
    const began = performance.now();
    await client.models.list();
    expect(performance.now() - began).toBeLessThan(80);
    await embed({});
    expect(performance.now() - began).toBeGreaterThanOrEqual(79);
  });
});

describe('faults, as the official client sees them', () => {
  it.each([
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
    [503, OpenAI.InternalServerError],
  ])('status %i is its own class', async (status, kind) => {
    server.faults.always({ kind: 'status', status });
    expect(await failureOf(client.embeddings.create({ model: 'local-embedding', input: 'a' }))).toBeInstanceOf(kind);
  });

  it('an exhausted quota is a limit with a code of its own', async () => {
    server.faults.always(QUOTA_USED_UP);
    const error = await failureOf(client.embeddings.create({ model: 'local-embedding', input: 'a' }));
    expect(error).toMatchObject({ status: 429, code: 'insufficient_quota', type: 'insufficient_quota' });
    server.faults.always({ kind: 'status', status: 429 });
    const limit = await failureOf(client.embeddings.create({ model: 'local-embedding', input: 'a' }));
    expect(limit).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  });

  it('it repeats what it is allowed to, and nothing that x-should-retry forbids', async () => {
    const retrying = client.withOptions({ maxRetries: 2 });
    server.faults.next(1, { kind: 'status', status: 500, headers: { 'retry-after-ms': '1' } });
    await retrying.embeddings.create({ model: 'local-embedding', input: 'a' });
    expect(server.requests).toHaveLength(2);
    server.faults.always({ kind: 'status', status: 503, headers: { 'x-should-retry': 'false' } });
    await failureOf(retrying.embeddings.create({ model: 'local-embedding', input: 'a' }));
    expect(server.requests).toHaveLength(3);
  });

  it('a page of a proxy and a broken connection are errors', async () => {
    server.faults.next(1, { kind: 'html-502' });
    expect((await failureOf(client.embeddings.create({ model: 'local-embedding', input: 'a' }))).status).toBe(502);
    server.faults.next(1, { kind: 'reset' });
    const error = await failureOf(client.embeddings.create({ model: 'local-embedding', input: 'a' }));
    expect(error).toBeInstanceOf(OpenAI.APIConnectionError);
  });
});

const lengthOf = (vector: number[] = []): number => Math.sqrt(product(vector, vector));
const product = (a: number[] = [], b: number[] = []): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

describe('/v1/chat/completions, asked by the official client', () => {
  const MESSAGES = [{ role: 'user' as const, content: 'How warm?\n\nThe kettle heats water to 95 °C. It then rests.' }];
  const Answer = z.object({
    answer: z.string(),
    confidence: z.enum(['high', 'medium', 'low']),
    sources: z.array(z.object({ file: z.string(), line: z.int().nullable() })),
    isOutOfDomain: z.boolean(),
  });
  const create = (more: object = {}) =>
    client.chat.completions.create({ model: 'gpt-4.1-mini', messages: MESSAGES, ...more } as never) as Promise<unknown>; // also what its types forbid
  const parse = () =>
    client.chat.completions.parse({
      model: 'gpt-4.1-mini',
      messages: MESSAGES,
      response_format: zodResponseFormat(Answer, 'answer'),
    });

  it('quotes what it was given when nothing is scripted', async () => {
    const completion = await client.chat.completions.create({ model: 'gpt-4.1-mini', messages: MESSAGES });
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      model: 'gpt-4.1-mini-2025-04-14',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'The kettle heats water to 95 °C.', refusal: null },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: expect.any(Number), prompt_tokens_details: { cached_tokens: 0 } },
    });
    const { usage } = completion;
    expect(usage?.prompt_tokens).toBeGreaterThan(0);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
  });

  it('follows a schema of zod when nothing is scripted', async () => {
    const { choices } = await parse();
    expect(choices[0]?.message.parsed).toEqual({
      answer: 'The kettle heats water to 95 °C.',
      confidence: 'high',
      sources: [{ file: 'The kettle heats water to 95 °C.', line: expect.any(Number) }],
      isOutOfDomain: false,
    });
  });

  it('answers by the script, one answer a request, then as usual', async () => {
    server.script('one', { text: 'two' }, async ({ messages }) => `you wrote ${messages.length}`);
    const texts: unknown[] = [];
    for (let at = 0; at < 4; at += 1) {
      const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages: MESSAGES });
      texts.push(choices[0]?.message.content);
    }
    expect(texts).toEqual(['one', 'two', 'you wrote 1', 'The kettle heats water to 95 °C.']);
  });

  it('returns the configured answer when the script is empty', async () => {
    server.answerWith(({ model }) => ({ json: { model } }));
    const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages: MESSAGES });
    expect(choices[0]?.message.content).toBe('{"model":"gpt-4o"}');
  });

  it('spends no scripted answer on a request that it refuses', async () => {
    server.script('kept');
    await failureOf(create({ temperature: 3 }));
    const { choices } = await client.chat.completions.create({ model: 'gpt-4o', messages: MESSAGES });
    expect(choices[0]?.message.content).toBe('kept');
  });

  it('refuses, is cut off and is filtered as the client expects it', async () => {
    server.script({ refusal: 'No.' });
    const [choice] = (await parse()).choices;
    expect(choice?.message).toMatchObject({ refusal: 'No.', parsed: null, content: null });
    server.script({ text: '{"answer":"ha', finish: 'length' });
    await expect(parse()).rejects.toThrow(LengthFinishReasonError);
    server.script({ text: '', finish: 'content_filter' });
    await expect(parse()).rejects.toThrow(ContentFilterFinishReasonError);
    server.script('{"answer": ');
    await expect(parse()).rejects.toThrow(SyntaxError);
    server.script({ json: { answer: 5 } });
    await expect(parse()).rejects.toThrow(z.ZodError);
  });

  it('fails where the script has it fail', async () => {
    server.script({ error: { status: 429, headers: { 'retry-after': '7' } } }, 'then it works');
    expect((await failureOf(create())).headers?.get('retry-after')).toBe('7');
    await create();
  });

  const image = { type: 'image_url', image_url: { url: 'https://example.com/i.png' } };
  it.each<[string, object, string?]>([
    ['no message', { messages: [] }, 'messages'],
    ['a role that it does not know', { messages: [{ role: 'robot', content: '' }] }, 'messages.0.role'],
    ['an image', { messages: [{ role: 'user', content: [image] }] }, 'messages.0.content'],
    ['a member that it does not know', { max_output_tokens: 5 }],
    ['a temperature above 2', { temperature: 2.1 }, 'temperature'],
    ['a text for a number', { temperature: '0' }, 'temperature'],
    ['stream options without a stream', { stream_options: { include_usage: true } }, 'stream_options'],
    ['both bounds of tokens', { max_tokens: 5, max_completion_tokens: 5 }, 'max_tokens'],
    ['max_tokens of an o-series model', { model: 'o4-mini', max_tokens: 5 }, 'max_tokens'],
    ['a temperature of an o-series model', { model: 'o3', temperature: 0 }, 'temperature'],
    ['an effort of a model that does not think', { reasoning_effort: 'low' }],
    ['JSON that no message speaks of', { response_format: { type: 'json_object' } }, 'messages'],
    ['more than the model can read', { messages: [{ role: 'user', content: 'x'.repeat(4_300_000) }] }, 'messages'],
  ])('refuses %s', async (_, more, param) => {
    const error = await failureOf(create(more));
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error.param ?? undefined).toBe(param);
  });

  it('knows no model that it has not, and no embedding model', async () => {
    for (const model of ['gpt-2', 'text-embedding-3-small']) {
      expect(await failureOf(create({ model }))).toMatchObject({ status: 404, code: 'model_not_found' });
    }
  });

  it('cuts off at the bound of tokens, which the thoughts of a reasoning model count towards', async () => {
    server.answerWith('word '.repeat(200));
    const cut = await client.chat.completions.create({
      model: 'gpt-4o',
      messages: MESSAGES,
      max_completion_tokens: 20,
    });
    expect(cut).toMatchObject({ choices: [{ finish_reason: 'length' }], usage: { completion_tokens: 20 } });
    const thought = await client.chat.completions.create({
      model: 'o4-mini',
      messages: MESSAGES,
      max_completion_tokens: 20,
    });
    expect(thought).toMatchObject({ choices: [{ message: { content: '' }, finish_reason: 'length' }] });
  });

  describe('a stream', () => {
    const stream = (more: object = {}) =>
      client.chat.completions.create({
        model: 'gpt-4.1-mini',
        messages: MESSAGES,
        stream: true,
        stream_options: { include_usage: true },
        ...more,
      });
    const readOf = async (more: object = {}) => {
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      let error: unknown;
      try {
        for await (const chunk of await stream(more)) chunks.push(chunk);
      } catch (thrown) {
        error = thrown;
      }
      const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
      const finish = chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []);
      return { chunks, text, finish, error };
    };
    const TEXT = 'Grüße aus 東京 😀, und noch viel mehr Text, der in Stücken kommt.';

    it('is a first chunk with the role, the text, the finish alone, and the usage', async () => {
      server.script(TEXT);
      const { chunks, text, finish } = await readOf();
      expect(text).toBe(TEXT);
      expect(finish).toEqual(['stop']);
      expect(chunks[0]?.choices[0]?.delta).toMatchObject({ role: 'assistant', content: '' });
      expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
      expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } });
      expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
      expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size).toBe(1);
    });

    it('has no usage that was not requested, or that the service omitted', async () => {
      const plain = await readOf({ stream_options: undefined });
      expect(plain.chunks.every((chunk) => !('usage' in chunk))).toBe(true);
      server.script({ text: TEXT, usage: 'missing' });
      expect((await readOf()).chunks.every(({ choices }) => choices.length === 1)).toBe(true);
    });

    it('is the same when every write ends in the middle of a character or an event', async () => {
      server.script({ text: TEXT, stream: 'split' });
      expect(await readOf()).toMatchObject({ text: TEXT, finish: ['stop'] });
    });

    it('is read by the helper of the client, with a schema', async () => {
      const helper = client.chat.completions.stream({
        model: 'gpt-4.1-mini',
        messages: MESSAGES,
        response_format: zodResponseFormat(Answer, 'answer'),
      });
      expect((await helper.finalChatCompletion()).choices[0]?.message.parsed?.confidence).toBe('high');
    });

    it('carries a refusal', async () => {
      server.script({ refusal: 'I will not do that at all.' });
      const { chunks, text } = await readOf();
      expect(text).toBe('');
      expect(chunks.map(({ choices }) => choices[0]?.delta.refusal ?? '').join('')).toBe('I will not do that at all.');
    });

    it('that ends too early is no error to the client: only the finish is missing', async () => {
      server.script({ text: TEXT, stream: 'close' });
      const { text, finish, error } = await readOf();
      expect(TEXT.startsWith(text) && text.length > 0 && text.length < TEXT.length).toBe(true);
      expect([finish, error]).toEqual([[], undefined]);
    });

    it('that breaks is an error', async () => {
      server.script({ text: TEXT, stream: 'tear' });
      const { text, error } = await readOf();
      expect(text.length).toBeGreaterThan(0);
      expect(error).toBeInstanceOf(Error);
    });

    it('may hold an error in its middle', async () => {
      server.script({ text: TEXT, stream: 'error' });
      expect((await readOf()).error).toBeInstanceOf(OpenAI.APIError);
    });

    it('that stalls ends with the signal, and without an error', async () => {
      server.script({ text: TEXT, stream: 'stall' });
      const controller = new AbortController();
      const body = { model: 'gpt-4.1-mini', messages: MESSAGES, stream: true as const };
      const chunks = await client.chat.completions.create(body, { signal: controller.signal });
      const iterator = chunks[Symbol.asyncIterator]();
      let text = '';
      while (text.length * 2 < TEXT.length) text += (await iterator.next()).value?.choices[0]?.delta.content ?? '';
      expect(TEXT.startsWith(text)).toBe(true);
      const next = iterator.next();
      // That nothing comes can only be waited for.
      expect(await Promise.race([next, delay(40, 'nothing')])).toBe('nothing');
      controller.abort();
      expect(await next).toMatchObject({ done: true });
    });

    it('is late or broken by a fault like any other answer', async () => {
      server.script(TEXT, TEXT);
      server.faults.next(1, { kind: 'delay', ms: 30 });
      expect(await readOf()).toMatchObject({ text: TEXT, finish: ['stop'] });
      server.faults.next(1, { kind: 'reset-in-body' });
      const { finish, error } = await readOf();
      expect(finish).toEqual([]);
      expect(error).toBeInstanceOf(Error);
    });

    it('is refused like any other request', async () => {
      expect((await failureOf(Promise.resolve(stream({ model: 'gpt-2' })))).status).toBe(404);
      server.faults.next(1, { kind: 'status', status: 503 });
      expect((await failureOf(Promise.resolve(stream()))).status).toBe(503);
    });
  });
});
