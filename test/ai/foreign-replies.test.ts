import { describe, expect, it } from 'vitest';
import { ModelUnavailable, openaiChat } from '../../src/ai/openai-chat.ts';

const SCHEMA = {
  name: 'answer',
  schema: {
    type: 'object',
    properties: { text: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['text', 'tags'],
    additionalProperties: false,
  },
};
const OBJECT = { text: 'Warm {today}, "dry".', tags: ['a'] };
const JSON_TEXT = JSON.stringify(OBJECT);
const HALF = JSON_TEXT.slice(0, -4);
const QUESTION = [{ role: 'user', content: 'Is it warm?' }] as const;

const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const reply = (message: unknown, finish: unknown = 'stop', more: object = {}) =>
  JSON.stringify({ choices: [{ index: 0, message, finish_reason: finish }], ...more });
const data = (...events: unknown[]) =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
const delta = (content: unknown, finish: unknown = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});

/** A completion from these replies in turn, the requests that were sent, and what was passed on. */
const complete = async (
  replies: readonly (string | { body: string; type?: object; status?: number })[],
  { isStreamed = false, hasSchema = true } = {},
) => {
  const sent: Record<string, unknown>[] = [];
  const pieces: string[] = [];
  const fetch = async (_: unknown, init?: { body?: unknown }): Promise<Response> => {
    sent.push(JSON.parse(String(init?.body)));
    const next = replies[Math.min(sent.length, replies.length) - 1] ?? '';
    const { body, type = JSON_TYPE, status = 200 } = typeof next === 'string' ? { body: next } : next;
    return new Response(body, { status, headers: { ...type } });
  };
  const chat = openaiChat({ apiKey: 'k', baseURL: 'https://ai.example/v1', model: 'llama', fetch: fetch as never });
  const onText = isStreamed ? (piece: string) => void pieces.push(piece) : undefined;
  const completion = await chat
    .complete(QUESTION, { schema: hasSchema ? SCHEMA : undefined, maxTokens: 400, temperature: 0, onText })
    .catch((error: unknown) => error as ModelUnavailable);
  return { completion, sent, pieces, chat };
};
const textIn = (completion: unknown) => JSON.parse((completion as { text: string }).text);

describe('an object in a reply', () => {
  it.each<[string, unknown]>([
    ['alone', { content: JSON_TEXT }],
    ['in a fence', { content: `\`\`\`json\n${JSON_TEXT}\n\`\`\`` }],
    ['in a fence without a language', { content: `\`\`\`\n${JSON_TEXT}\n\`\`\`` }],
    ['in a fence within prose', { content: `Here you {are}:\n\`\`\`json\n${JSON_TEXT}\n\`\`\`\nAnything else?` }],
    ['within prose', { content: `Sure. ${JSON_TEXT} I hope this helps.` }],
    ['behind reasoning', { content: `<think>\nOr {"text": "no", "tags": []}?\n</think>\n${JSON_TEXT}` }],
    [
      'behind reasoning whose beginning is missing',
      { content: `First {"text": 1, "tags": 2}.\n</think>\n\n${JSON_TEXT}` },
    ],
    ['behind reasoning, in a fence', { content: `<thinking>x</thinking>\n\`\`\`json\n${JSON_TEXT}\n\`\`\`` }],
    [
      'behind the channel of an analysis',
      { content: `<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>${JSON_TEXT}` },
    ],
    ['behind another object', { content: `{"name": "answer"} ${JSON_TEXT}` }],
    ['with trailing commas', { content: '{"text": "Warm {today}, \\"dry\\".", "tags": ["a",],\n}' }],
    ['with a byte order mark', { content: `\uFEFF${JSON_TEXT}` }],
    ['in parts', { content: [{ type: 'text', text: JSON_TEXT }] }],
    [
      'in parts beside reasoning',
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: '{}' }] },
          { type: 'text', text: JSON_TEXT },
        ],
      },
    ],
    ['parsed', { content: OBJECT }],
    ['beside reasoning', { content: JSON_TEXT, reasoning_content: 'It says {"text": "no", "tags": []}.' }],
    ['taken for reasoning', { content: null, reasoning_content: `\n${JSON_TEXT}\n` }],
    ['taken for reasoning by another name', { content: '', reasoning: JSON_TEXT }],
    [
      'in a call',
      {
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'json_tool_call', arguments: JSON_TEXT } }],
      },
    ],
    ['in a call, parsed', { content: '', tool_calls: [{ function: { name: 'answer', arguments: OBJECT } }] }],
    ['in a call of the old form', { content: null, function_call: { name: 'answer', arguments: JSON_TEXT } }],
  ])('is read %s', async (_, message) => {
    const { completion, sent } = await complete([reply(message)]);
    expect(completion).toMatchObject({ finish: 'stop' });
    expect(textIn(completion)).toEqual(OBJECT);
    expect(sent).toHaveLength(1);
  });
  it('is read with a line break in a string', async () => {
    const { completion } = await complete([reply({ content: '{"text": "one\ntwo\tthree", "tags": []}' })]);
    expect(textIn(completion)).toEqual({ text: 'one\ntwo\tthree', tags: [] });
  });
  it.each([
    ...['stop', 'STOP', 'eos', 'end_turn', 'stop_sequence', 'COMPLETE', 'length', 'max_tokens', 'tool_calls', ''],
    ...[null, undefined, 'unknown', 7],
  ])('is whole although it ended by %j', async (finish) => {
    const { completion } = await complete([reply({ content: JSON_TEXT }, finish)]);
    expect(completion).toMatchObject({ text: JSON_TEXT, finish: 'stop' });
  });
  it.each([
    ['content_filter', 'filtered'],
    ['SAFETY', 'filtered'],
    ['refusal', 'refused'],
  ])('does not count when the service says %s', async (reason, finish) => {
    expect((await complete([reply({ content: JSON_TEXT }, reason)])).completion).toMatchObject({ finish });
  });
  it.each([
    ['length', 'length'],
    ['stop', 'stop'],
    [null, 'length'],
    ['eos', 'stop'],
  ])('is not made of half of one (%s)', async (reason, finish) => {
    const { completion } = await complete([reply({ content: `\`\`\`json\n${HALF}` }, reason)]);
    expect(completion).toMatchObject({ finish });
    expect(() => textIn(completion)).toThrow();
  });
  it('is not taken from reasoning that does not end, or that is more than the object', async () => {
    const open = await complete([reply({ content: `<think>${JSON_TEXT}` }, 'length')]);
    expect(open.completion).toMatchObject({ text: '', finish: 'length' });
    const within = await complete([reply({ content: null, reasoning_content: `I think ${JSON_TEXT}` })]);
    expect(within.completion).toMatchObject({ text: '' });
  });
  it('is asked for once more, with the schema shown, when a model writes prose instead', async () => {
    const { completion, sent, chat } = await complete([
      reply({ content: 'It is warm.' }),
      reply({ content: JSON_TEXT }),
    ]);
    expect(textIn(completion)).toEqual(OBJECT);
    expect(JSON.stringify(sent[0]?.messages)).not.toContain('JSON Schema');
    expect(JSON.stringify(sent[1]?.messages)).toContain('additionalProperties');
    expect(chat.refusals()).toEqual(['to keep to schemas (the prompt shows them)']);
  });
  it.each(['It is warm.', '', '{}'])(
    'is asked for without a format when it is still missing, and not more often (%s)',
    async (content) => {
      const found = await complete([reply({ content }), reply({ content }), reply({ content: JSON_TEXT })]);
      expect(textIn(found.completion)).toEqual(OBJECT);
      expect(found.sent.map(({ response_format: format }) => format !== undefined)).toEqual([true, true, false]);
      expect(found.chat.refusals()).toEqual(['schemas and JSON mode (the prompt alone instead)']);
      const { completion, sent, chat } = await complete([reply({ content })]);
      expect(completion).toMatchObject({ text: content, finish: 'stop' });
      expect(sent).toHaveLength(3);
      // What did not help is not kept.
      expect(chat.refusals()).toEqual(['to keep to schemas (the prompt shows them)']);
    },
  );
  it('counts the tokens of both requests', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 3 };
    const { completion } = await complete([
      reply({ content: 'Warm.' }, 'stop', { usage }),
      reply({ content: JSON_TEXT }, 'stop', { usage }),
    ]);
    expect(completion).toMatchObject({ usage: { inputTokens: 20, outputTokens: 6 } });
  });
});

describe('a text without a schema', () => {
  const without = (text: string, finish = 'stop', isStreamed = false) =>
    complete(
      [
        isStreamed
          ? { body: data(...[...text].map((each) => delta(each)), delta('', finish), '[DONE]'), type: EVENTS }
          : reply({ content: text }, finish),
      ],
      {
        ...{ hasSchema: false, isStreamed },
      },
    );
  it('loses the reasoning before it, at once and as a stream', async () => {
    for (const isStreamed of [false, true]) {
      const { completion, pieces } = await without('<think>Hm {x}.</think>\n\nIt is <b>warm</b>.', 'stop', isStreamed);
      expect(completion).toMatchObject({ text: 'It is <b>warm</b>.', finish: 'stop' });
      expect(pieces.join('')).toBe(isStreamed ? 'It is <b>warm</b>.' : '');
    }
  });
  it.each(['Text', '<table>', 'a {b} </c>', '  lead'])('stays as it is: %s', async (text) => {
    const { completion, pieces } = await without(text, 'stop', true);
    expect([(completion as { text: string }).text, pieces.join('')]).toEqual([text, text]);
  });
  it.each([
    ['eos', 'stop'],
    ['model_length', 'length'],
    ['MAX_TOKENS', 'length'],
    ['content_filtered', 'filtered'],
  ])('ends by %s as %s', async (reason, finish) => {
    expect((await without('Warm.', reason)).completion).toMatchObject({ finish });
  });
});

describe('a stream', () => {
  const USAGE = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } };
  const halves = [delta(JSON_TEXT.slice(0, 9)), delta(JSON_TEXT.slice(9))];
  it.each<[string, string]>([
    [
      'with comments',
      `: keep-alive\n\n${data(halves[0])}: OPENROUTER PROCESSING\n\n${data(halves[1], delta('', 'stop'), '[DONE]')}`,
    ],
    ['with other events', `event: ping\ndata: {"type": "ping"}\n\n${data(...halves, delta(null, 'stop'), '[DONE]')}`],
    [
      'with a first chunk without choices',
      data({ choices: [], prompt_filter_results: [] }, ...halves, delta('', 'stop'), '[DONE]'),
    ],
    [
      'with chunks that have no choices at all',
      data({ id: 'x' }, { choices: null }, ...halves, delta('', 'stop'), '[DONE]'),
    ],
    ['with events that are no JSON', data('ping', ...halves, '', delta('', 'stop'), '[DONE]')],
    [
      'whose reason is empty in the middle',
      data(delta(JSON_TEXT.slice(0, 9), ''), delta(JSON_TEXT.slice(9), ''), delta('', 'stop'), '[DONE]'),
    ],
    ['without a reason', data(...halves, '[DONE]')],
    ['without an end', data(...halves)],
    ['with usage in the last chunk', data(...halves, { ...delta('', 'stop'), usage: USAGE.usage })],
    [
      'with parts',
      data(delta([{ type: 'thinking', thinking: [] }]), delta([{ type: 'text', text: JSON_TEXT }]), delta('', 'stop')),
    ],
    [
      'with reasoning before it',
      data({ choices: [{ delta: { reasoning_content: 'I {' } }] }, ...halves, delta('', 'stop')),
    ],
    ['that is all reasoning', data({ choices: [{ delta: { reasoning_content: JSON_TEXT } }] }, delta('', 'stop'))],
    [
      'of a call',
      data(
        ...[JSON_TEXT.slice(0, 9), JSON_TEXT.slice(9)].map((text) => ({
          choices: [{ delta: { content: null, tool_calls: [{ index: 0, function: { arguments: text } }] } }],
        })),
        delta(null, 'tool_calls'),
      ),
    ],
    [
      'that repeats the message at its end',
      data(...halves, { choices: [{ message: { content: JSON_TEXT }, finish_reason: 'stop' }] }),
    ],
    ['of one message', data({ choices: [{ message: { content: JSON_TEXT }, finish_reason: 'stop' }] })],
    ['with carriage returns', data(...halves, delta('', 'stop'), '[DONE]').replaceAll('\n', '\r\n')],
    ['in a fence', data(...[...`\`\`\`json\n${JSON_TEXT}\n\`\`\``].map((each) => delta(each)), delta('', 'stop'))],
    [
      'behind reasoning',
      data(...[...`<think>{"text": 1}</think>\n${JSON_TEXT}`].map((each) => delta(each)), delta('', 'stop')),
    ],
  ])('is read %s', async (_, body) => {
    const { completion, pieces } = await complete([{ body, type: EVENTS }], { isStreamed: true });
    expect(completion).toMatchObject({ finish: 'stop' });
    expect(textIn(completion)).toEqual(OBJECT);
    // What is passed on begins with the object, or is nothing.
    expect(pieces.join('').startsWith(pieces.length === 0 ? '' : JSON_TEXT)).toBe(true);
  });
  it('is read although it has another type, and although it was not asked for', async () => {
    const body = data(...halves, delta('', 'stop'), '[DONE]');
    for (const isStreamed of [true, false])
      for (const type of [EVENTS, JSON_TYPE])
        expect(textIn((await complete([{ body, type }], { isStreamed })).completion)).toEqual(OBJECT);
  });
  it('may be a whole reply', async () => {
    expect(textIn((await complete([reply({ content: JSON_TEXT })], { isStreamed: true })).completion)).toEqual(OBJECT);
  });
  it.each<[string, object, string]>([
    [
      'a fault',
      {
        error: { message: 'Provider disconnected', code: 502 },
        choices: [{ delta: { content: '' }, finish_reason: 'error' }],
      },
      'unavailable',
    ],
    ['a limit', { error: { message: 'Rate limited', code: 429 } }, 'rate_limited'],
    ['a key', { error: { message: 'Invalid API key', code: 401 } }, 'refused'],
    ['no code', { error: { message: 'The server had an error' } }, 'unavailable'],
    ['a text', { error: 'overloaded' }, 'unavailable'],
  ])('fails by the error in it: %s', async (_, event, reason) => {
    const { completion, sent } = await complete([{ body: data(halves[0], event, '[DONE]'), type: EVENTS }], {
      isStreamed: true,
    });
    expect(completion).toBeInstanceOf(ModelUnavailable);
    expect(completion).toMatchObject({ reason });
    expect(sent).toHaveLength(1);
  });
  it('fails when a chunk is cut off', async () => {
    const body = `${data(halves[0])}data: {"choices": [{"delta\n\n`;
    expect((await complete([{ body, type: EVENTS }], { isStreamed: true })).completion).toMatchObject({
      reason: 'malformed',
    });
  });
});

describe('an error in a reply with status 200', () => {
  it.each<[object, string]>([
    [{ error: { message: 'no', code: 502 } }, 'unavailable'],
    [{ error: { message: 'Rate limited', code: '429' } }, 'rate_limited'],
    [{ error: { message: 'Insufficient credits', code: 402 } }, 'refused'],
    [{ error: 'overloaded' }, 'unavailable'],
  ])('fails by its code: %j', async (body, reason) => {
    expect((await complete([JSON.stringify(body)])).completion).toMatchObject({ reason });
  });
  it('names a parameter, which is then left out', async () => {
    const refused = JSON.stringify({ error: { message: 'temperature is not supported', code: 400 } });
    const { completion, sent } = await complete([refused, reply({ content: JSON_TEXT })]);
    expect(textIn(completion)).toEqual(OBJECT);
    expect(['temperature' in (sent[0] ?? {}), 'temperature' in (sent[1] ?? {})]).toEqual([true, false]);
  });
});

describe('a refusal', () => {
  const refused = (status: number, error: unknown) => ({
    status,
    body: typeof error === 'string' ? error : JSON.stringify(error),
  });
  const message = (text: string, more: object = {}) => ({ error: { message: text, ...more } });
  it.each<[string, number, unknown]>([
    [
      'the key (Gemini)',
      400,
      [
        {
          error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
        },
      ],
    ],
    ['the key', 401, message('Incorrect API key provided')],
    ['a moderated text', 403, message('Your input was flagged')],
    ['an account without credit', 402, message('Insufficient Balance')],
    ['a model', 404, message('The model `llama` does not exist')],
    ['a model (Mistral)', 400, { object: 'error', message: 'Invalid model: llama', code: '1500' }],
    ['a model (OpenRouter)', 400, message('llama is not a valid model ID', { code: 400 })],
    ['a model (DeepSeek)', 400, message('Model Not Exist')],
    [
      'a text that is too long',
      400,
      message("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", {
        code: 'context_length_exceeded',
      }),
    ],
    [
      'a text that is too long (vLLM)',
      400,
      { object: 'error', message: 'The prompt (total length 9000) is too long to fit into the model', code: 400 },
    ],
    [
      'content',
      400,
      message('The response was filtered due to the prompt triggering Azure OpenAI’s content management policy', {
        code: 'content_filter',
      }),
    ],
    ['a region', 403, message('Country, region, or territory not supported')],
  ])('of %s is not tried again', async (_, status, error) => {
    const { completion, sent } = await complete([refused(status, error)]);
    expect(completion).toMatchObject({ reason: 'refused' });
    expect(sent).toHaveLength(1);
  });
  it('of a role makes the instructions a part of the question', async () => {
    const fetch = [refused(400, message('System role not supported')), reply({ content: JSON_TEXT })];
    const sent: Record<string, unknown>[] = [];
    const chat = openaiChat({
      ...{ apiKey: 'k', baseURL: 'https://ai.example/v1', model: 'gemma' },
      fetch: (async (_: unknown, init?: { body?: unknown }) => {
        sent.push(JSON.parse(String(init?.body)));
        const next = fetch[sent.length - 1] ?? '';
        return typeof next === 'string'
          ? new Response(next, { headers: JSON_TYPE })
          : new Response(next.body, { status: next.status });
      }) as never,
    });
    await chat.complete([{ role: 'system', content: 'Be brief.' }, ...QUESTION], { schema: SCHEMA });
    expect(sent[1]?.messages).toEqual([{ role: 'user', content: 'Be brief.\n\nIs it warm?' }]);
  });
  it('of a limit that is too large asks for fewer tokens', async () => {
    const large = refused(
      400,
      message(
        "'max_tokens' or 'max_completion_tokens' is too large: 400. This model's maximum context length is 512 tokens and your request has 300 input tokens",
      ),
    );
    const { completion, sent, chat } = await complete([large, reply({ content: JSON_TEXT })]);
    expect(textIn(completion)).toEqual(OBJECT);
    expect(sent.map(({ max_tokens }) => max_tokens)).toEqual([400, 200]);
    expect(chat.refusals()).toEqual([]);
  });
  it('of a form that no request gets through with is tried five times at most', async () => {
    const { completion, sent } = await complete([refused(422, message('no'))]);
    expect(completion).toMatchObject({ reason: 'refused' });
    expect(sent.length).toBeLessThanOrEqual(5);
  });
  it('is learned only when the request goes through without it', async () => {
    const { completion, chat } = await complete([refused(400, message('temperature?')), refused(503, '')]);
    expect(completion).toMatchObject({ reason: 'unavailable' });
    expect(chat.refusals()).toEqual([]);
  });
  it('names nothing of what was sent or said', async () => {
    const { completion } = await complete([refused(400, message('API key not valid: sk-secret'))]);
    expect(String(completion)).not.toMatch(/sk-secret|warm/);
  });
  it.each<[string, object, string, number]>([
    ['a header of Azure', { 'x-ms-retry-after-ms': '1500' }, '{}', 1500],
    ['seconds in words', {}, JSON.stringify(message('Rate limit reached. Please try again in 7.66s.')), 7660],
    ['minutes in words', {}, JSON.stringify(message('Please try again in 1m2s.')), 60_000],
    ['milliseconds in words', {}, JSON.stringify(message('Please try again in 820ms.')), 820],
    ['words of Azure', {}, JSON.stringify(message('Please retry after 27 seconds.')), 27_000],
    [
      'a detail of Google',
      {},
      JSON.stringify([{ error: { code: 429, details: [{ '@type': 'RetryInfo', retryDelay: '34.07s' }] } }]),
      34_070,
    ],
  ])('of a rate tells how long to wait: %s', async (_, headers, body, retryAfterMs) => {
    const fetch = async () => new Response(body, { status: 429, headers: { ...headers } });
    const chat = openaiChat({ apiKey: 'k', baseURL: 'https://ai.example/v1', model: 'llama', fetch: fetch as never });
    const error = await chat.complete(QUESTION).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ reason: 'rate_limited', retryAfterMs });
  });
});
