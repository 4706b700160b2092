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
  events
    .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    .join('');
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
    const {
      body,
      type = JSON_TYPE,
      status = 200,
    } = typeof next === 'string' ? { body: next } : next;
    return new Response(body, { status, headers: { ...type } });
  };
  const chat = openaiChat({
    apiKey: 'k',
    baseURL: 'https://ai.example/v1',
    model: 'llama',
    fetch: fetch as never,
  });
  const onText = isStreamed ? (piece: string) => void pieces.push(piece) : undefined;
  const completion = await chat
    .complete(QUESTION, {
      schema: hasSchema ? SCHEMA : undefined,
      maxTokens: 400,
      temperature: 0,
      onText,
    })
    .catch((error: unknown) => error as ModelUnavailable);
  return { completion, sent, pieces, chat };
};
const textIn = (completion: unknown) => JSON.parse((completion as { text: string }).text);

describe('an object in a reply', () => {
  it.each<[string, unknown]>([
    ['alone', { content: JSON_TEXT }],
    ['in a fence', { content: `\`\`\`json\n${JSON_TEXT}\n\`\`\`` }],
    ['in a fence without a language', { content: `\`\`\`\n${JSON_TEXT}\n\`\`\`` }],
    [
      'in a fence within prose',
      { content: `Here you {are}:\n\`\`\`json\n${JSON_TEXT}\n\`\`\`\nAnything else?` },
    ],
    ['within prose', { content: `Sure. ${JSON_TEXT} I hope this helps.` }],
    [
      'behind reasoning',
      { content: `<think>\nOr {"text": "no", "tags": []}?\n</think>\n${JSON_TEXT}` },
    ],
    [
      'behind reasoning whose beginning is missing',
      { content: `First {"text": 1, "tags": 2}.\n</think>\n\n${JSON_TEXT}` },
    ],
    [
      'behind reasoning, in a fence',
      { content: `<thinking>x</thinking>\n\`\`\`json\n${JSON_TEXT}\n\`\`\`` },
    ],
    [
      'behind the channel of an analysis',
      {
        content: `<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>${JSON_TEXT}`,
      },
    ],
    ['behind another object', { content: `{"name": "answer"} ${JSON_TEXT}` }],
    [
      'with trailing commas',
      { content: '{"text": "Warm {today}, \\"dry\\".", "tags": ["a",],\n}' },
    ],
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
    [
      'beside reasoning',
      { content: JSON_TEXT, reasoning_content: 'It says {"text": "no", "tags": []}.' },
    ],
    ['taken for reasoning', { content: null, reasoning_content: `\n${JSON_TEXT}\n` }],
    ['taken for reasoning by another name', { content: '', reasoning: JSON_TEXT }],
    [
      'in a call',
      {
        content: null,
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'json_tool_call', arguments: JSON_TEXT } },
        ],
      },
    ],
    [
      'in a call, parsed',
      { content: '', tool_calls: [{ function: { name: 'answer', arguments: OBJECT } }] },
    ],
    [
      'in a call of the old form',
      { content: null, function_call: { name: 'answer', arguments: JSON_TEXT } },
    ],
    ['in a text of JSON', { content: JSON.stringify(JSON_TEXT) }],
    ['in a list', { content: `[${JSON_TEXT}]` }],
    ['below its name', { content: `{"answer": ${JSON_TEXT}}` }],
    [
      'as the arguments of a call in words',
      { content: `{"name": "answer", "parameters": ${JSON_TEXT}}` },
    ],
    ['in a fence, below its name', { content: `\`\`\`json\n{"answer": ${JSON_TEXT}}\n\`\`\`` }],
    [
      'behind reasoning in brackets',
      { content: `[THINK]{"text": "no", "tags": []}[/THINK]${JSON_TEXT}` },
    ],
    [
      'behind reasoning between triangles',
      { content: `◁think▷{"text": "no", "tags": []}◁/think▷${JSON_TEXT}` },
    ],
    [
      'behind reasoning of another name',
      { content: `<seed:think>{"text": "no", "tags": []}</seed:think>${JSON_TEXT}` },
    ],
    [
      'behind a thought between bars',
      { content: `<|begin_of_thought|>{"text": "no", "tags": []}<|end_of_thought|>\n${JSON_TEXT}` },
    ],
  ])('is read %s', async (_, message) => {
    const { completion, sent } = await complete([reply(message)]);
    expect(completion).toMatchObject({ finish: 'stop' });
    expect(textIn(completion)).toEqual(OBJECT);
    expect(sent).toHaveLength(1);
  });
  it('is not taken from the schema, which some repeat', async () => {
    const schema = {
      title: 'answer',
      type: 'object',
      properties: { text: { type: 'string' }, tags: { type: 'array' } },
    };
    const { completion, sent } = await complete([
      reply({ content: JSON.stringify(schema) }),
      reply({ content: JSON_TEXT }),
    ]);
    expect(textIn(completion)).toEqual(OBJECT);
    expect(sent).toHaveLength(2);
  });
  it('is read in the member of a stream', async () => {
    const { completion } = await complete([
      JSON.stringify({ choices: [{ delta: { content: JSON_TEXT }, finish_reason: 'stop' }] }),
    ]);
    expect(textIn(completion)).toEqual(OBJECT);
  });
  it.each<[string, object]>([
    ['texts', { prompt_tokens: '10', completion_tokens: '3' }],
    ['fractions', { prompt_tokens: 10.0, completion_tokens: 3 }],
    [
      'nothing for what was cached',
      { prompt_tokens: 10, completion_tokens: 3, prompt_tokens_details: null },
    ],
  ])('is counted by %s', async (_, usage) => {
    const { completion } = await complete([reply({ content: JSON_TEXT }, 'stop', { usage })]);
    expect(completion).toMatchObject({ usage: { inputTokens: 10, outputTokens: 3 } });
  });
  it.each<[string, object]>([
    ['a text', { prompt_tokens: 'many', completion_tokens: 3 }],
    ['nothing', {}],
    ['a list', []],
    ['a negative number', { prompt_tokens: -1, completion_tokens: 3 }],
  ])('is read although its usage is %s', async (_, usage) => {
    const { completion } = await complete([reply({ content: JSON_TEXT }, 'stop', { usage })]);
    expect(textIn(completion)).toEqual(OBJECT);
    expect(completion).not.toHaveProperty('usage');
  });
  it('is read with a line break in a string', async () => {
    const { completion } = await complete([
      reply({ content: '{"text": "one\ntwo\tthree", "tags": []}' }),
    ]);
    expect(textIn(completion)).toEqual({ text: 'one\ntwo\tthree', tags: [] });
  });
  it.each([
    ...[
      'stop',
      'STOP',
      'eos',
      'end_turn',
      'stop_sequence',
      'COMPLETE',
      'length',
      'max_tokens',
      'tool_calls',
      '',
    ],
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
    expect((await complete([reply({ content: JSON_TEXT }, reason)])).completion).toMatchObject({
      finish,
    });
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
    const within = await complete([
      reply({ content: null, reasoning_content: `I think ${JSON_TEXT}` }),
    ]);
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
      const found = await complete([
        reply({ content }),
        reply({ content }),
        reply({ content: JSON_TEXT }),
      ]);
      expect(textIn(found.completion)).toEqual(OBJECT);
      expect(found.sent.map(({ response_format: format }) => format !== undefined)).toEqual([
        true,
        true,
        false,
      ]);
      expect(found.chat.refusals()).toEqual(['schemas and JSON mode (the prompt alone instead)']);
      const { completion, sent, chat } = await complete([reply({ content })]);
      expect(completion).toMatchObject({ text: content, finish: 'stop' });
      expect(sent).toHaveLength(3);
      // What did not help is not kept.
      expect(chat.refusals()).toEqual(['to keep to schemas (the prompt shows them)']);
    },
  );
  it.each(['stop', null, '', 'eos', 'length'])(
    'is taken without a member that stays missing, for whoever asked to decide (%j)',
    async (finish) => {
      for (const message of [
        { content: '```json\n{"text": "Warm."}\n```' },
        { content: { text: 'Warm.' } },
        { content: null, reasoning_content: '{"text": "Warm."}' },
      ]) {
        const { completion, sent } = await complete([reply(message, finish)]);
        expect(completion).toMatchObject({ finish: 'stop' });
        expect(textIn(completion)).toEqual({ text: 'Warm.' });
        expect(sent).toHaveLength(3);
      }
    },
  );
  it('is asked for without JSON mode when that gives nothing, for this once', async () => {
    const noSchemas = {
      status: 400,
      body: '{"error":{"message":"This response_format type is unavailable now"}}',
    };
    const blank = reply({ content: '      ' });
    const { completion, sent, chat } = await complete([
      noSchemas,
      blank,
      reply({ content: JSON_TEXT }),
    ]);
    expect(textIn(completion)).toEqual(OBJECT);
    expect(
      sent.map(({ response_format: format }) => (format as { type: string } | undefined)?.type),
    ).toEqual([...['json_schema', 'json_object', undefined]]);
    expect(chat.refusals()).toEqual(['schemas (JSON mode and the prompt instead)']);
  });
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
          ? {
              body: data(...[...text].map((each) => delta(each)), delta('', finish), '[DONE]'),
              type: EVENTS,
            }
          : reply({ content: text }, finish),
      ],
      {
        hasSchema: false,
        isStreamed,
      },
    );
  it('loses the reasoning before it, at once and as a stream', async () => {
    for (const isStreamed of [false, true]) {
      const { completion, pieces } = await without(
        '<think>Hm {x}.</think>\n\nIt is <b>warm</b>.',
        'stop',
        isStreamed,
      );
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
    [
      'with other events',
      `event: ping\ndata: {"type": "ping"}\n\n${data(...halves, delta(null, 'stop'), '[DONE]')}`,
    ],
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
      data(
        delta(JSON_TEXT.slice(0, 9), ''),
        delta(JSON_TEXT.slice(9), ''),
        delta('', 'stop'),
        '[DONE]',
      ),
    ],
    ['without a reason', data(...halves, '[DONE]')],
    ['without an end', data(...halves)],
    ['with usage in the last chunk', data(...halves, { ...delta('', 'stop'), usage: USAGE.usage })],
    [
      'with parts',
      data(
        delta([{ type: 'thinking', thinking: [] }]),
        delta([{ type: 'text', text: JSON_TEXT }]),
        delta('', 'stop'),
      ),
    ],
    [
      'with reasoning before it',
      data({ choices: [{ delta: { reasoning_content: 'I {' } }] }, ...halves, delta('', 'stop')),
    ],
    [
      'that is all reasoning',
      data({ choices: [{ delta: { reasoning_content: JSON_TEXT } }] }, delta('', 'stop')),
    ],
    [
      'of a call',
      data(
        ...[JSON_TEXT.slice(0, 9), JSON_TEXT.slice(9)].map((text) => ({
          choices: [
            { delta: { content: null, tool_calls: [{ index: 0, function: { arguments: text } }] } },
          ],
        })),
        delta(null, 'tool_calls'),
      ),
    ],
    [
      'that repeats the message at its end',
      data(...halves, { choices: [{ message: { content: JSON_TEXT }, finish_reason: 'stop' }] }),
    ],
    [
      'of one message',
      data({ choices: [{ message: { content: JSON_TEXT }, finish_reason: 'stop' }] }),
    ],
    [
      'with an end without a blank',
      `${data(...halves, delta('', 'stop')).replaceAll('data: ', 'data:')}data:[DONE]\n\n`,
    ],
    ['without an empty line at its end', `${data(...halves)}${data(delta('', 'stop')).trimEnd()}`],
    [
      'with empty objects to keep it open',
      data({}, halves[0], {}, null, halves[1], delta('', 'stop'), '[DONE]'),
    ],
    [
      'with an error that is empty',
      data(
        ...[...halves, delta('', 'stop')].map((each, at) => ({
          ...each,
          error: [null, '', { message: '', type: '', param: '', code: null }][at],
        })),
        '[DONE]',
      ),
    ],
    [
      'with usage of texts',
      data(...halves, delta('', 'stop'), {
        choices: [],
        usage: { prompt_tokens: '5', completion_tokens: '2' },
      }),
    ],
    [
      'with empty calls',
      data(
        ...halves.map(({ choices: [choice] }) => ({
          choices: [{ ...choice, delta: { ...choice?.delta, tool_calls: [] } }],
        })),
        delta('', 'stop'),
      ),
    ],
    [
      'whose calls are null',
      data(
        ...halves.map(({ choices: [choice] }) => ({
          choices: [
            {
              ...choice,
              delta: { ...choice?.delta, tool_calls: null, function_call: null, refusal: null },
            },
          ],
        })),
        delta(null, 'stop'),
      ),
    ],
    [
      'whose last chunk has no delta',
      data(...halves, { choices: [{ index: 0, delta: null, finish_reason: 'stop' }] }, '[DONE]'),
    ],
    [
      'of events over several lines',
      halves
        .map((each) => `${JSON.stringify(each, undefined, 1).replace(/^/gm, 'data: ')}\n\n`)
        .join('') + data(delta('', 'stop')),
    ],
    ['with a byte order mark', `\uFEFF${data(...halves, delta('', 'stop'), '[DONE]')}`],
    [
      'with carriage returns',
      data(...halves, delta('', 'stop'), '[DONE]').replaceAll('\n', '\r\n'),
    ],
    [
      'in a fence',
      data(
        ...[...`\`\`\`json\n${JSON_TEXT}\n\`\`\``].map((each) => delta(each)),
        delta('', 'stop'),
      ),
    ],
    [
      'behind reasoning',
      data(
        ...[...`<think>{"text": 1}</think>\n${JSON_TEXT}`].map((each) => delta(each)),
        delta('', 'stop'),
      ),
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
        expect(textIn((await complete([{ body, type }], { isStreamed })).completion)).toEqual(
          OBJECT,
        );
  });
  it('is read without the names of its fields', async () => {
    const body = [...halves, delta('', 'stop')].map((each) => `${JSON.stringify(each)}\n`).join('');
    const { completion } = await complete(
      [{ body, type: { 'content-type': 'application/x-ndjson' } }],
      {
        isStreamed: true,
      },
    );
    expect(textIn(completion)).toEqual(OBJECT);
  });
  it('may be a whole reply', async () => {
    expect(
      textIn((await complete([reply({ content: JSON_TEXT })], { isStreamed: true })).completion),
    ).toEqual(OBJECT);
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
    const { completion, sent } = await complete(
      [{ body: data(halves[0], event, '[DONE]'), type: EVENTS }],
      {
        isStreamed: true,
      },
    );
    expect(completion).toBeInstanceOf(ModelUnavailable);
    expect(completion).toMatchObject({ reason });
    expect(sent).toHaveLength(1);
  });
  it.each([
    [{ message: 'no', code: 502 }, 'unavailable'],
    [{ message: 'Rate limited', code: 429 }, 'rate_limited'],
  ] as const)('fails by the error of its choice: %j', async (error, reason) => {
    const body = data(
      halves[0],
      { choices: [{ error, delta: { content: '' }, finish_reason: 'error' }] },
      '[DONE]',
    );
    const { completion } = await complete([{ body, type: EVENTS }], { isStreamed: true });
    expect(completion).toMatchObject({ reason });
  });
  it('fails when a chunk is cut off', async () => {
    const body = `${data(halves[0])}data: {"choices": [{"delta\n\n`;
    expect(
      (await complete([{ body, type: EVENTS }], { isStreamed: true })).completion,
    ).toMatchObject({
      reason: 'malformed',
    });
  });
});

it.each([
  ...[
    '',
    '{}',
    '[]',
    'null',
    '"text"',
    '<html></html>',
    '{"choices": []}',
    '{"choices": [{}]}',
    '{"choices": [null]}',
  ],
  ...['{"choices": [{"message": null}]}', '{"choices": {}}', '{"object": "chat.completion"}'],
])('is no completion: %s', async (body) => {
  expect((await complete([body])).completion).toMatchObject({ reason: 'malformed' });
});

it.each(['error', 'insufficient_system_resource', 'network_error', 'abort'])(
  'is no completion when the service broke off: %s',
  async (finish) => {
    expect((await complete([reply({ content: HALF }, finish)])).completion).toMatchObject({
      reason: 'unavailable',
    });
  },
);

describe('an error in a reply with status 200', () => {
  it.each<[object, string]>([
    [{ error: { message: 'no', code: 502 } }, 'unavailable'],
    [{ error: { message: 'Rate limited', code: '429' } }, 'rate_limited'],
    [{ error: { message: 'Insufficient credits', code: 402 } }, 'refused'],
    [{ error: 'overloaded' }, 'unavailable'],
    [{ choices: [], error: { message: 'Rate limited', code: 429 } }, 'rate_limited'],
    [{ id: 'x', choices: null, error: { message: 'no', code: 502 } }, 'unavailable'],
    [{ object: 'error', message: 'Rate limited', code: 429 }, 'rate_limited'],
    [{ code: 401, msg: 'token expired', success: false }, 'refused'],
    [
      { choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } },
      'refused',
    ],
    [{ detail: 'The model is overloaded' }, 'unavailable'],
    [
      {
        choices: [
          { error: { message: 'no', code: 502 }, finish_reason: 'error', message: { content: '' } },
        ],
      },
      'unavailable',
    ],
    [
      { choices: [{ error: { message: 'no', code: 429 }, message: { content: null } }] },
      'rate_limited',
    ],
  ])('fails by its code: %j', async (body, reason) => {
    expect((await complete([JSON.stringify(body)])).completion).toMatchObject({ reason });
  });
  it('names a parameter, which is then left out', async () => {
    const refused = JSON.stringify({
      error: { message: 'temperature is not supported', code: 400 },
    });
    const { completion, sent } = await complete([refused, reply({ content: JSON_TEXT })]);
    expect(textIn(completion)).toEqual(OBJECT);
    expect(['temperature' in (sent[0] ?? {}), 'temperature' in (sent[1] ?? {})]).toEqual([
      true,
      false,
    ]);
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
          error: {
            code: 400,
            message: 'API key not valid. Please pass a valid API key.',
            status: 'INVALID_ARGUMENT',
          },
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
      message(
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        {
          code: 'context_length_exceeded',
        },
      ),
    ],
    [
      'a text that is too long (vLLM)',
      400,
      {
        object: 'error',
        message: 'The prompt (total length 9000) is too long to fit into the model',
        code: 400,
      },
    ],
    [
      'content',
      400,
      message(
        'The response was filtered due to the prompt triggering Azure OpenAI’s content management policy',
        {
          code: 'content_filter',
        },
      ),
    ],
    ['a region', 403, message('Country, region, or territory not supported')],
  ])('of %s is not tried again', async (_, status, error) => {
    const { completion, sent } = await complete([refused(status, error)]);
    expect(completion).toMatchObject({ reason: 'refused' });
    expect(sent).toHaveLength(1);
  });
  it('of a role makes the instructions a part of the question', async () => {
    const fetch = [
      refused(400, message('System role not supported')),
      reply({ content: JSON_TEXT }),
    ];
    const sent: Record<string, unknown>[] = [];
    const chat = openaiChat({
      apiKey: 'k',
      baseURL: 'https://ai.example/v1',
      model: 'gemma',
      fetch: (async (_: unknown, init?: { body?: unknown }) => {
        sent.push(JSON.parse(String(init?.body)));
        const next = fetch[sent.length - 1] ?? '';
        return typeof next === 'string'
          ? new Response(next, { headers: JSON_TYPE })
          : new Response(next.body, { status: next.status });
      }) as never,
    });
    await chat.complete([{ role: 'system', content: 'Be brief.' }, ...QUESTION], {
      schema: SCHEMA,
    });
    expect(sent[1]?.messages).toEqual([{ role: 'user', content: 'Be brief.\n\nIs it warm?' }]);
  });
  it('of a stream with a schema gives up the stream, and keeps the schema', async () => {
    const together = refused(
      400,
      message('Streaming is not supported with Structured Outputs', { param: null }),
    );
    const found = await complete([together, reply({ content: JSON_TEXT })], { isStreamed: true });
    expect(textIn(found.completion)).toEqual(OBJECT);
    expect(
      found.sent.map(({ stream, response_format: format }) => [
        stream,
        (format as { type: string }).type,
      ]),
    ).toEqual([
      [true, 'json_schema'],
      [undefined, 'json_schema'],
    ]);
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
    const { completion, chat } = await complete([
      refused(400, message('temperature?')),
      refused(503, ''),
    ]);
    expect(completion).toMatchObject({ reason: 'unavailable' });
    expect(chat.refusals()).toEqual([]);
  });
  it('names nothing of what was sent or said', async () => {
    const { completion } = await complete([refused(400, message('API key not valid: sk-secret'))]);
    expect(String(completion)).not.toMatch(/sk-secret|warm/);
  });
  it.each<[string, object, string, number]>([
    ['a header of Azure', { 'x-ms-retry-after-ms': '1500' }, '{}', 1500],
    [
      'seconds in words',
      {},
      JSON.stringify(message('Rate limit reached. Please try again in 7.66s.')),
      7660,
    ],
    ['minutes in words', {}, JSON.stringify(message('Please try again in 1m2s.')), 60_000],
    ['milliseconds in words', {}, JSON.stringify(message('Please try again in 820ms.')), 820],
    ['words of Azure', {}, JSON.stringify(message('Please retry after 27 seconds.')), 27_000],
    [
      'a detail of Google',
      {},
      JSON.stringify([
        { error: { code: 429, details: [{ '@type': 'RetryInfo', retryDelay: '34.07s' }] } },
      ]),
      34_070,
    ],
  ])('of a rate tells how long to wait: %s', async (_, headers, body, retryAfterMs) => {
    const fetch = async () => new Response(body, { status: 429, headers: { ...headers } });
    const chat = openaiChat({
      apiKey: 'k',
      baseURL: 'https://ai.example/v1',
      model: 'llama',
      fetch: fetch as never,
    });
    const error = await chat.complete(QUESTION).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ reason: 'rate_limited', retryAfterMs });
  });
});
