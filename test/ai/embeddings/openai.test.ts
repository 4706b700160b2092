import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddingFailed } from '../../../src/ai/embeddings/base.ts';
import { batchesOf, fitText, OpenAIEmbeddingProvider } from '../../../src/ai/embeddings/openai.ts';
import { startOpenAIServer } from '../../../tools/stand-ins/openai/openai-server.ts';
import { changeReply, failureOf, openaiForTest } from '../openai-for-test.ts';
import { describeEmbeddingProvider } from './describe-embedding-provider.ts';

type OpenAIEmbeddingConfig = ConstructorParameters<typeof OpenAIEmbeddingProvider>[0];

const server = await openaiForTest();
const providerOf = (config: Partial<OpenAIEmbeddingConfig> = {}) =>
  new OpenAIEmbeddingProvider({ apiKey: server.apiKey, baseURL: server.url, ...config });

describeEmbeddingProvider('OpenAI, text-embedding-3-small', server, providerOf);
describeEmbeddingProvider('OpenAI, a shortened model of another provider', server, () =>
  providerOf({ model: 'local-embedding', dimensions: 384 }),
);

/** The reason for which texts are not embedded. */
const reasonOf = async (texts: string[], config: Partial<OpenAIEmbeddingConfig> = {}) =>
  (await failureOf(providerOf(config).embedBatch(texts), EmbeddingFailed)).reason;
const sent = () => server.sent('/embeddings') as Record<string, unknown>[];

describe('new OpenAIEmbeddingProvider()', () => {
  it.each([
    ['when only a key is given', {}, { model: 'text-embedding-3-small', dimensions: 1536 }],
    ['of a large model', { model: 'text-embedding-3-large' }, { dimensions: 3072 }],
    ['of an old model', { model: 'text-embedding-ada-002' }, { dimensions: 1536 }],
    [
      'of a model at another host',
      { model: 'openai/text-embedding-3-small' },
      { dimensions: 1536 },
    ],
  ])('knows the dimensions %s', (_, config, expected) => {
    expect(new OpenAIEmbeddingProvider({ apiKey: 'sk-1', ...config })).toMatchObject(expected);
  });
  it.each<[string, Partial<OpenAIEmbeddingConfig>]>([
    ['no dimensions for a model it does not know', { model: 'a-model-of-our-own' }],
    ['more dimensions than the model has', { dimensions: 1537 }],
    ['half a dimension', { dimensions: 10.5 }],
    [
      'other dimensions for a model that cannot shorten',
      { model: 'text-embedding-ada-002', dimensions: 512 },
    ],
    ['a key that no header can hold', { apiKey: 'sk-1\nX-Other: 1' }],
    ['an empty key', { apiKey: '' }],
    ['an address that is none', { baseURL: 'api.openai.com' }],
    ['an address of a file', { baseURL: 'file:///v1' }],
    ['an address with a user', { baseURL: 'https://user:secret@example.com/v1' }],
    ['no time', { timeoutMs: 0 }],
    ['a model name of two lines', { model: 'a\nb', dimensions: 8 }],
  ])('refuses %s, and quotes no key', (_, config) => {
    const make = () => new OpenAIEmbeddingProvider({ apiKey: 'sk-1', ...config });
    expect(make).toThrow(RangeError);
    expect(make).not.toThrow(/sk-1|secret/);
  });
});

describe('OpenAIEmbeddingProvider', () => {
  it('requests base64 with a bearer token, and sends nothing that identifies the caller or is a default', async () => {
    // An address with a slash at its end is one, too.
    await providerOf({ baseURL: `${server.url}/` }).embed('text');
    expect(sent()).toEqual([
      { model: 'text-embedding-3-small', input: ['text'], encoding_format: 'base64' },
    ]);
    const { headers } = server.requests[0]!;
    expect(headers.authorization).toBe(`Bearer ${server.apiKey}`);
    expect(Object.keys(headers).filter((name) => /^(x-|openai-|cookie)/.test(name))).toEqual([]);
    await providerOf({ dimensions: 256 }).embed('text');
    expect(sent()[1]).toMatchObject({ dimensions: 256 });
  });
  it('accepts numbers where base64 was requested', async () => {
    const floats = changeReply(({ data, ...rest }: { data: { embedding: string }[] }) => ({
      ...rest,
      data: data.map((one) => {
        const bytes = Buffer.from(one.embedding, 'base64');
        return {
          ...one,
          embedding: Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4)),
        };
      }),
    }));
    expect(await providerOf({ fetch: floats }).embed('text')).toEqual(
      await providerOf().embed('text'),
    );
  });
  it('orders vectors by their index, not by their position', async () => {
    const fetch = changeReply((reply: { data: unknown[] }) => ({
      ...reply,
      data: reply.data.toReversed(),
    }));
    const texts = ['one', 'two', 'three'];
    expect(await providerOf({ fetch }).embedBatch(texts)).toEqual(
      await providerOf().embedBatch(texts),
    );
  });

  const both = (embedding: unknown) => [0, 1].map((index) => ({ index, embedding }));
  const floats = (...numbers: number[]) =>
    Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
  it.each<[string, unknown]>([
    ['a vector too few', [{ index: 0, embedding: [1, 0] }]],
    ['a vector too many', [0, 1, 2].map((index) => ({ index, embedding: [1, 0] }))],
    ['an index twice', [0, 0].map((index) => ({ index, embedding: [1, 0] }))],
    ['an index out of range', [0, 2].map((index) => ({ index, embedding: [1, 0] }))],
    ['an index that is a name', ['0', '__proto__'].map((index) => ({ index, embedding: [1, 0] }))],
    ['a number too few', both([1])],
    ['a number too many', both([1, 0, 0])],
    ['a text for a number', both([1, '0'])],
    ['null for a number', both([1, null])],
    ['no vector', [0, 1].map((index) => ({ index }))],
    ['a zero vector', both([0, 0])],
    ['base64 of other dimensions', both(floats(1, 0, 0))],
    ['base64 of no number', both(floats(1, Number.NaN))],
    ['base64 of infinity', both(floats(1, Number.POSITIVE_INFINITY))],
    ['a text that is no base64', both('!!!!')],
    ['no list', { 0: [1, 0] }],
  ])('takes %s for malformed', async (_, data) => {
    const fetch = changeReply(() => ({ object: 'list', data }));
    expect(await reasonOf(['one', 'two'], { dimensions: 2, fetch })).toBe('malformed');
    expect(server.requests).toHaveLength(1);
  });
  it.each([
    [
      'a text by its type',
      () => new Response(VECTOR, { headers: { 'content-type': 'text/plain' } }),
    ],
    ['what has no type', () => new Response(new TextEncoder().encode(VECTOR))],
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    [
      'bytes that are no UTF-8',
      () => new Response(new Uint8Array([34, 255, 34]), { headers: JSON_TYPE }),
    ],
    ['nothing', () => new Response(null, { headers: JSON_TYPE })],
    [
      'more than its vectors can take',
      () => new Response(`"${'x'.repeat(200_000)}"`, { headers: JSON_TYPE }),
    ],
  ])('takes %s for malformed', async (_, reply) => {
    expect(await reasonOf(['text'], { dimensions: 2, fetch: async () => reply() })).toBe(
      'malformed',
    );
  });
  const VECTOR = '{"data":[{"index":0,"embedding":[1,0]}]}';
  const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
  const JSON_TYPES = ['application/json', JSON_TYPE['content-type'], 'application/vnd.api+json'];
  it.each(JSON_TYPES)('reads %s as JSON', async (type) => {
    const fetch = async () => new Response(VECTOR, { headers: { 'content-type': type } });
    expect(await providerOf({ dimensions: 2, fetch }).embed('text')).toEqual([1, 0]);
  });
  it('stops reading a reply at its size limit', async () => {
    let sentBytes = 0;
    const pull = (stream: ReadableStreamDefaultController) => {
      sentBytes += 65_536;
      stream.enqueue(new Uint8Array(65_536).fill(32));
    };
    const fetch = async () => new Response(new ReadableStream({ pull }), { headers: JSON_TYPE });
    expect(await reasonOf(['text'], { dimensions: 2, fetch })).toBe('malformed');
    expect(sentBytes).toBeLessThan(400_000);
  });
  it('sends the key to no other address', async () => {
    const other = await startOpenAIServer();
    server.faults.always({
      kind: 'status',
      status: 307,
      headers: { location: `${other.url}/embeddings` },
    });
    expect([await reasonOf(['text']), other.requests.length]).toEqual(['refused', 0]);
    await other.stop();
  });
  it('calls the given fetch without a receiver', async () => {
    const strict: typeof fetch = function (this: unknown, ...request) {
      // Like workerd, whose `fetch` has no receiver but the global object.
      if (this !== undefined && this !== globalThis) throw new TypeError('Illegal invocation');
      return fetch(...request);
    };
    expect(await providerOf({ fetch: strict }).embed('text')).toHaveLength(1536);
  });
  it('respects the limits of a request, and sends at most four in parallel', async () => {
    let open = 0;
    let most = 0;
    const counting: typeof fetch = async (...request) => {
      open += 1;
      most = Math.max(most, open);
      // Until the body is read.
      const response = await fetch(...request);
      const body = await response.arrayBuffer();
      open -= 1;
      return new Response(body, response);
    };
    server.faults.always({ kind: 'delay', ms: 20 });
    const texts = Array.from({ length: 200 }, (_, at) => `${at} ${'Ωmega '.repeat(1200)}`);
    expect(await providerOf({ dimensions: 64, fetch: counting }).embedBatch(texts)).toHaveLength(
      200,
    );
    expect(most).toBe(4);
    expect(sent().length).toBeGreaterThan(4);
    expect(sent().flatMap(({ input }) => input)).toHaveLength(200);
  });
  it('aborts all requests when one fails, and reports that failure', async () => {
    const texts = Array.from({ length: 10_000 }, (_, at) => `text ${at}`);
    server.faults.next(1, { kind: 'status', status: 401 }, ({ body }) =>
      body.includes('"text 2048"'),
    );
    server.faults.always({ kind: 'hang-before-headers' });
    expect(await reasonOf(texts, { dimensions: 8 })).toBe('refused');
    expect(server.requests.length).toBeLessThanOrEqual(4);
  });
  it('refuses more than 10,000 texts', async () => {
    expect(await reasonOf(Array(10_001).fill('text'))).toBe('refused');
    expect(server.requests).toHaveLength(0);
  });
});

describe('what a service refuses', () => {
  type Body = { input: string[]; encoding_format?: string; dimensions?: number };
  const VECTOR = (text: string) => [text.length + 1, 1];
  const base64 = (numbers: number[]) =>
    Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
  /** A provider of vectors of two numbers whose service refuses what `refuse` says, and the requests that it got. */
  const refusing = (
    refuse: (body: Body) => { status: number; body?: unknown } | undefined,
    length = 2,
  ) => {
    const sent: Body[] = [];
    const fetch = async (_: unknown, init?: { body?: unknown }): Promise<Response> => {
      const body = JSON.parse(String(init?.body)) as Body;
      sent.push(body);
      const refused = refuse(body);
      if (refused !== undefined)
        return new Response(JSON.stringify(refused.body ?? ''), { status: refused.status });
      const data = body.input.map((text, index) => {
        const vector = [...VECTOR(text), ...Array(length).fill(0)].slice(
          0,
          body.dimensions ?? length,
        );
        return { index, embedding: body.encoding_format === 'base64' ? base64(vector) : vector };
      });
      return Response.json({ data });
    };
    const config = {
      model: 'other',
      dimensions: 2,
      baseURL: 'https://ai.example/v1',
      fetch: fetch as never,
    };
    return { provider: providerOf(config), sent };
  };
  const texts = Array.from({ length: 100 }, (_, at) => 'x'.repeat(at));
  const expected = texts.map((text) => VECTOR(text === '' ? ' ' : text));

  it.each<[string, number, unknown, number]>([
    [
      'TEI',
      413,
      { message: 'batch size 100 > maximum allowed batch size 32', type: 'Validation' },
      32,
    ],
    [
      'DashScope',
      400,
      {
        error: {
          message:
            '<400> Value error, batch size is invalid, it should not be larger than 10.: input.contents',
        },
      },
      10,
    ],
    [
      'Gemini',
      400,
      [
        {
          error: {
            message:
              '* BatchEmbedContentsRequest.requests: at most 96 requests can be in one batch',
            code: 400,
          },
        },
      ],
      96,
    ],
    [
      'a limit without a number',
      422,
      { detail: [{ type: 'too_long', loc: ['body', 'input'], msg: 'List is too long' }] },
      25,
    ],
    ['no word', 400, '', 7],
    ['no word, and 413', 413, '', 25],
    [
      'SiliconFlow',
      413,
      { code: 20042, message: 'input batch size 100 > maximum allowed batch size 64', data: null },
      64,
    ],
    [
      'Cohere',
      400,
      { message: 'invalid request: total number of texts must be at most 96 but 100 was given' },
      96,
    ],
    ['Jina', 422, { detail: 'ValidationError(max_length=64): the array of input is too long' }, 50],
    [
      'words of another language',
      400,
      { error: { code: '1214', message: 'input数组最大不得超过64条' } },
      64,
    ],
    [
      'Voyage',
      400,
      {
        detail:
          'The max allowed tokens per submitted batch is 120000. Your batch has 121138 tokens after truncation.',
      },
      50,
    ],
    [
      'a list of tokens',
      400,
      { error: { message: 'Requested 400000 tokens, max 300000 tokens per request' } },
      50,
    ],
  ])('is split: %s', async (_, status, body, most) => {
    const { provider, sent } = refusing(({ input }) =>
      input.length > most ? { status, body } : undefined,
    );
    expect(await provider.embedBatch(texts)).toEqual(expected);
    const first = sent.length;
    expect(first).toBeLessThan(100 / Math.ceil(most / 2) + 12);
    expect(await provider.embedBatch(texts)).toEqual(expected);
    const again = sent.slice(first);
    expect(Math.max(...again.map(({ input }) => input.length))).toBeLessThanOrEqual(most);
    expect(again.length).toBeLessThanOrEqual(Math.ceil(100 / Math.ceil(most / 2)));
    expect(provider.refusals()).toEqual([expect.stringMatching(/^more than \d+ texts a request$/)]);
  });
  it('is one text that is too long, which does not make other batches small', async () => {
    const { provider, sent } = refusing(({ input }) =>
      input.some((text) => text.length > 3000)
        ? {
            status: 400,
            body: { error: { message: 'the input length exceeds the context length' } },
          }
        : undefined,
    );
    const long = ['a', 'word '.repeat(1500), 'b'];
    expect(await provider.embedBatch(long)).toHaveLength(3);
    sent.length = 0;
    expect(await provider.embedBatch([...texts, ...long])).toHaveLength(103);
    expect(sent.map(({ input }) => input.length)).toEqual([103]);
    expect(provider.refusals()).toEqual([expect.stringMatching(/^texts longer than \d+ bytes/)]);
  });
  it.each<[string, (body: Body) => boolean, unknown, string | undefined]>([
    [
      'base64',
      ({ encoding_format: format }) => format === 'base64',
      { error: { message: 'encoding_format must be float' } },
      'float',
    ],
    [
      'its parameter',
      ({ encoding_format: format }) => format !== undefined,
      { detail: [{ loc: ['body', 'encoding_format'], msg: 'Extra inputs' }] },
      undefined,
    ],
    [
      'its parameter, without a word',
      ({ encoding_format: format }) => format !== undefined,
      '',
      undefined,
    ],
  ])('is an encoding: %s', async (_, isRefused, body, left) => {
    const { provider, sent } = refusing((asked) =>
      isRefused(asked) ? { status: 422, body } : undefined,
    );
    expect(await provider.embedBatch(texts)).toEqual(expected);
    sent.length = 0;
    expect(await provider.embedBatch(texts)).toEqual(expected);
    expect(sent.map(({ input, encoding_format: format }) => [input.length, format])).toEqual([
      [100, left],
    ]);
  });
  it('is not the length of a vector, which is asked for when it is another', async () => {
    const { provider, sent } = refusing(() => undefined, 5);
    expect(await provider.embedBatch(['a', 'b'])).toEqual([VECTOR('a'), VECTOR('b')]);
    expect(sent.map(({ dimensions }) => dimensions)).toEqual([undefined, 2]);
    await provider.embed('c');
    expect(sent).toHaveLength(3);
  });
  it('names the length of vectors that cannot be shortened', async () => {
    const { provider } = refusing(
      ({ dimensions }) =>
        dimensions === undefined
          ? undefined
          : { status: 400, body: { error: { message: 'dimensions are not supported' } } },
      5,
    );
    await expect(provider.embed('a')).rejects.toMatchObject({ reason: 'malformed', dimensions: 5 });
  });
  it.each<[string, number, unknown, string]>([
    ['a key', 401, '', 'key'],
    ['a key with status 400', 400, [{ error: { message: 'API key not valid.' } }], 'key'],
    ['a model', 404, { error: { message: 'The model `other` does not exist' } }, 'model'],
    ['credit', 402, '', 'quota'],
  ])('is not tried again: %s', async (_, status, body, why) => {
    const { provider, sent } = refusing(() => ({ status, body }));
    await expect(provider.embedBatch(texts)).rejects.toMatchObject({ reason: 'refused', why });
    expect(sent).toHaveLength(1);
  });
  it('is given up after few requests when nothing is accepted', async () => {
    const { provider, sent } = refusing(() => ({ status: 400 }));
    await expect(provider.embedBatch(['word '.repeat(1600), ...texts])).rejects.toMatchObject({
      reason: 'refused',
    });
    expect(sent.length).toBeLessThan(12);
    expect(provider.refusals()).toEqual([]);
  });
  it('may leave out indexes, and answers with either encoding', async () => {
    const bodies = [
      [{ embedding: [1, 0] }, { embedding: base64([0, 1]) }],
      [{ embedding: [1, 0] }, { index: 1, embedding: [0, 1] }],
      [{ index: 1, embedding: [0, 1] }, { embedding: [1, 0] }],
      [
        { index: '1', embedding: [0, 1] },
        { index: '0', embedding: [1, 0] },
      ],
      [{ embedding: ['1.0', '0'] }, { embedding: ['0', '1e0'] }],
      [{ embedding: [[1, 0]] }, { embedding: [[0, 1]] }],
    ];
    for (const data of bodies) {
      const fetch = async () => Response.json({ data });
      const provider = providerOf({
        model: 'other',
        dimensions: 2,
        baseURL: 'https://ai.example/v1',
        fetch: fetch as never,
      });
      expect(await provider.embedBatch(['a', 'b'])).toEqual([
        [1, 0],
        [0, 1],
      ]);
    }
  });
});

const bytesOf = (text: string) => Buffer.byteLength(text);

describe('fitText()', () => {
  it.each([
    ['leaves a text that fits as it is', 'ä'.repeat(4096), 'ä'.repeat(4096)],
    ['turns an empty text into a space', '', ' '],
    ['cuts an overlong word', 'a'.repeat(9000), 'a'.repeat(8192)],
    ['cuts between two characters', `a${'😀'.repeat(9000)}`, `a${'😀'.repeat(2047)}`],
    ['keeps the spaces of a blank text', ' '.repeat(9000), ' '.repeat(8192)],
    ['replaces half a surrogate pair', 'cut \ud83d', 'cut \ufffd'],
    [
      'takes the beginning of ten million letters',
      'ab '.repeat(3_300_000),
      'ab '.repeat(2730).trimEnd(),
    ],
  ])('%s', (_, text, fitting) => expect(fitText(text)).toBe(fitting));
  it('cuts after the last whole word that fits', () => {
    const text = 'descale the kettle '.repeat(1000);
    const cut = fitText(text);
    expect(bytesOf(cut)).toBeLessThanOrEqual(8192);
    expect(bytesOf(cut)).toBeGreaterThan(8192 - 10);
    expect(cut).toMatch(/ (descale|the|kettle)$/);
    expect(text[cut.length]).toBe(' ');
  });
  it('always returns a non-empty, well-formed prefix within 8,192 bytes', () => {
    const units = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 9000 }),
      fc
        .array(fc.constantFrom('a', ' ', 'é', '漢', '😀', '\ud83d', '\udc00', '\n'), {
          maxLength: 60,
        })
        .map((parts) => parts.join('').repeat(400)),
    );
    fc.assert(
      fc.property(units, (text) => {
        const cut = fitText(text);
        expect(cut.length).toBeGreaterThan(0);
        expect(cut.isWellFormed()).toBe(true);
        expect(bytesOf(cut)).toBeLessThanOrEqual(8192);
        if (text !== '') expect(text.toWellFormed().startsWith(cut)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('batchesOf()', () => {
  it('puts 2048 texts into one request and no more, and none into none', () => {
    const texts = Array.from({ length: 2049 }, (_, at) => `${at}`);
    expect(batchesOf(texts).map(({ length }) => length)).toEqual([2048, 1]);
    expect(batchesOf([])).toEqual([]);
  });
  it('keeps the order and the limits of 300,000 bytes and 2048 texts', () => {
    const text = fc.integer({ min: 1, max: 2730 }).map((length) => '漢'.repeat(length));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 400 }), (texts) => {
        const batches = batchesOf(texts);
        expect(batches.flat()).toEqual(texts);
        for (const batch of batches) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(2048);
          expect(batch.reduce((sum, one) => sum + bytesOf(one), 0)).toBeLessThanOrEqual(300_000);
        }
      }),
      { numRuns: 100 },
    );
  });
});
