import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenAIEmbeddingProvider } from '../../src/ai/embeddings/openai.ts';
import { openaiChat } from '../../src/ai/openai-chat.ts';
import { judgeStatements } from '../../src/answering/check/judge-statements.ts';
import { startModelCalls } from '../../src/answering/model/model-calls.ts';
import { proposeSearch } from '../../src/answering/understand/search-queries.ts';
import { understandQuestion } from '../../src/gateway/ask/understand-question.ts';
import { proposeSql } from '../../src/librarians/analytics/answer-from-model.ts';
import { createConcierge } from '../../src/librarians/concierge/concierge.ts';
import { proposeSplit } from '../../src/librarians/hybrid/split-query.ts';
import { answerQuestion } from '../../src/librarians/navigator/answer-question.ts';
import { writeWithModel } from '../../src/support/drafts/write-with-model.ts';
import { openClassifier } from '../../src/support/intents/classifier.ts';
import { classifyWithModel } from '../../src/support/intents/classify-with-model.ts';
import { trainClassifier } from '../../src/support/intents/train-classifier.ts';
import { ROOT } from '../../tools/functions.ts';
import { type ChatRequest, schemaOf, textOf } from '../../tools/stand-ins/openai/chat-request.ts';
import {
  type OpenAIServer,
  startOpenAIServer,
} from '../../tools/stand-ins/openai/openai-server.ts';
import { PROVIDERS, type Provider } from '../../tools/stand-ins/openai/providers.ts';
import { readPrompt } from '../../tools/stand-ins/read-prompt.ts';
import { OFTEN, openSmallKb, QUOTE } from '../answering/write/small-kb.ts';
import { ALL_RIGHTS, LIBRARIANS } from '../librarians/concierge/decide.ts';
import { composeFor, editionOf, foundIn, passage } from '../support/drafts/tickets.ts';
import { smallTaxonomy } from '../support/intents/small-taxonomy.ts';

type OpenAIChat = ReturnType<typeof openaiChat>;

it('are listed on the page of providers, each with a source', () => {
  const page = readFileSync(join(ROOT, 'docs/providers.md'), 'utf8');
  for (const { name, sources } of PROVIDERS) {
    expect(page).toContain(`| ${name} |`);
    for (const source of sources) expect(source).toMatch(/^https:\/\//);
    expect(sources.length).toBeGreaterThan(0);
  }
});

const { edition } = openSmallKb();
/** In other words than the article, so that the judge is asked. */
const SAID = 'The boiler has to be descaled every 60 days, or every 30 days with hard water.';
const SPLIT = 'How many fans are in stock and what does the warranty cover?';
const FAN = 'To make the fan quieter, clean it with a soft brush.';
const FAN_SAID = 'You can make the fan quieter when you clean it with a soft brush.';

/** What the model has to say to each of the product's questions. */
const ANSWERS: Record<string, (prompt: string) => unknown> = {
  answer_from_passages: (prompt) => {
    const [text, quote] = prompt.includes(FAN) ? [FAN_SAID, FAN] : [SAID, QUOTE];
    const id =
      readPrompt(prompt)?.passages.find((each) => /every 60 days|soft brush/.test(each.text))
        ?.passage ?? 'p1';
    const parts = [{ asked: 'how often', passages: [id], answered: 'yes' }];
    return {
      parts,
      statements: [{ part: 1, quotes: [{ passage: id, quote }], text }],
      missing: '',
      related: [],
    };
  },
  judged_statements: (prompt) => ({
    judgements: readPrompt(prompt)?.statements.map(({ id }) => ({
      id,
      finds: 'it says so',
      verdict: 'stated',
      keep: '',
    })),
  }),
  search_queries: () => ({
    alone: '',
    parts: [{ asked: 'how often', queries: ['descale the boiler'] }],
  }),
  queries: () => ({ queries: ['descale the boiler'] }),
  standalone_question: () => ({
    question: 'How often must the boiler be descaled with hard water?',
  }),
  statement: () => ({ sql: 'SELECT name FROM products', text: '', each: '' }),
  sub_queries: () => ({
    sub_queries: [
      { type: 'analytics', query: 'How many fans are in stock' },
      { type: 'semantic', query: 'what does the warranty cover' },
    ],
  }),
  routes: () => ({ librarians: ['web-search'] }),
  intent: () => ({ intent: 'refund' }),
};

const model = (request: ChatRequest) => {
  const asked = schemaOf(request);
  const prompt = request.messages.map(({ content }) => textOf(content)).join('\n');
  // Without a schema a model writes prose.
  return asked === undefined
    ? 'The boiler wants descaling.'
    : { json: ANSWERS[asked.name]?.(prompt) ?? {} };
};

const taxonomy = smallTaxonomy();
const classifier = openClassifier(trainClassifier(taxonomy), taxonomy);
const UNSURE = 'The box did not come back to us, although everybody heard the sound of the lorry';

/** All calls of a model that the product makes, each with its result where the model was heard. */
const USES: [what: string, use: (ai: OpenAIChat) => Promise<unknown>, expected: unknown][] = [
  [
    'writes an answer, which the judge accepts',
    async (ai) => {
      const { answer, metadata } = await answerQuestion(edition, OFTEN, {
        ai,
        timeLeftMs: () => 8000,
      });
      return [metadata.model_refused, metadata.answered_by, answer.response.answer.includes(SAID)];
    },
    [undefined, 'model', true],
  ],
  [
    'writes an answer as a stream',
    async (ai) => {
      const passed: string[] = [];
      const { metadata } = await answerQuestion(edition, OFTEN, {
        ai,
        timeLeftMs: () => 8000,
        progress: (event) => void passed.push(JSON.stringify(event)),
      });
      expect(passed.join()).toContain(SAID);
      return [metadata.model_refused, metadata.answered_by];
    },
    [undefined, 'model'],
  ],
  [
    'judges statements',
    async (ai) => {
      const calls = startModelCalls({ ai, timeMs: 8000 });
      const passage = { id: 'p1', title: 'How often', headings: [], text: QUOTE };
      const quotes = [{ passage, span: { start: 0, end: QUOTE.length } }];
      const statement = { text: SAID, quotes, doubt: '' };
      const judged = await judgeStatements([statement, statement], { question: OFTEN, calls });
      calls.end();
      return judged;
    },
    [
      { verdict: 'stated', finds: 'it says so', keep: '' },
      { verdict: 'stated', finds: 'it says so', keep: '' },
    ],
  ],
  [
    'proposes queries',
    async (ai) => {
      const calls = startModelCalls({ ai, timeMs: 8000 });
      const proposed = await proposeSearch(
        { question: OFTEN, history: [], found: [], languages: ['en'] },
        calls,
      );
      calls.end();
      return proposed?.parts;
    },
    [{ asked: 'how often', queries: ['descale the boiler'] }],
  ],
  [
    'reads a question in its conversation',
    (ai) =>
      understandQuestion('And with hard water?', [{ question: OFTEN, answer: QUOTE }], {
        ai,
        timeLeftMs: 40_000,
        signal: new AbortController().signal,
      }),
    { query: 'How often must the boiler be descaled with hard water?', history: [] },
  ],
  [
    'splits a question',
    (ai) => proposeSplit(SPLIT, { ai, signal: new AbortController().signal, timeoutMs: 40_000 }),
    [
      { type: 'analytics', query: 'How many fans are in stock' },
      { type: 'semantic', query: 'what does the warranty cover' },
    ],
  ],
  [
    'writes SQL',
    (ai) =>
      proposeSql(ai, 'Which products are there?', {
        catalogue: {
          tables: [{ name: 'products', description: 'Products.', columns: { name: 'text' } }],
        } as never,
        now: 0,
        signal: new AbortController().signal,
      }),
    { sql: 'SELECT name FROM products', wording: undefined },
  ],
  [
    'chooses a librarian',
    async (ai) => {
      const concierge = createConcierge({ librarians: LIBRARIANS, defaultLibrarian: 'navigator' });
      const context = { user: { id: 'u', capabilities: ALL_RIGHTS }, ai, timeout: 20_000 };
      return (await concierge('Is the newest Galaxy a good deal?', context)).delegate;
    },
    expect.objectContaining({ to: 'web-search' }),
  ],
  [
    'chooses an intent',
    async (ai) => {
      const first = classifier.classify(UNSURE);
      const { decided_by } = await classifyWithModel(UNSURE, first, {
        ai,
        taxonomy,
        classifier,
        timeLeftMs: 20_000,
      });
      return decided_by;
    },
    'model',
  ],
  [
    'drafts a reply',
    async (ai) => {
      const message = 'The fan is loud. How do I make it quieter?';
      const fans = editionOf({ 'care/fans': [{ title: 'Fans and noise' }, FAN] });
      const { ticket, found } = await foundIn(fans, message);
      const units = { ...found.units, relevance: new Map([[0, 0.9]]) };
      const { outcome, composed } = await writeWithModel(composeFor(message, passage(FAN)), {
        ai,
        ticket: { ...ticket, facts: [] },
        found: { ...found, units },
        holding: () => composeFor(message),
        signature: undefined,
        timeMs: 8000,
      });
      return [outcome.refused, composed.draft.text.includes(FAN_SAID)];
    },
    [undefined, true],
  ],
];

const configOf = (server: OpenAIServer) => ({ baseURL: server.url, apiKey: server.apiKey });
const serverOf = (provider: Provider): (() => OpenAIServer) => {
  let server: OpenAIServer;
  beforeAll(async () => {
    server = await startOpenAIServer({ provider });
    server.answerWith(model);
  });
  afterAll(() => server.stop());
  return () => server;
};

describe.each(PROVIDERS.flatMap((provider) => (provider.chat === undefined ? [] : [provider])))(
  'a chat model of $name',
  (provider) => {
    const server = serverOf(provider);
    const chatOf = () => openaiChat({ ...configOf(server()), model: provider.chat?.model ?? '' });
    const SCHEMA = {
      name: 'queries',
      schema: {
        type: 'object',
        properties: { queries: { type: 'array', items: { type: 'string' }, maxItems: 3 } },
        required: ['queries'],
        additionalProperties: false,
      },
    };
    const messages = [
      { role: 'system' as const, content: 'Reply with queries.' },
      { role: 'user' as const, content: '{"question": "boiler"}' },
    ];

    it.each(USES)('%s', async (_, use, expected) => expect(await use(chatOf())).toEqual(expected));
    it('is asked in the form that it takes from the second request on', async () => {
      const chat = chatOf();
      await chat.complete(messages, { schema: SCHEMA, maxTokens: 500, temperature: 0 });
      const first = server().requests.length;
      server().forgetRequests();
      const onText = () => {};
      await chat.complete(messages, { schema: SCHEMA, maxTokens: 500, temperature: 0 });
      expect(server().requests).toHaveLength(1);
      await chat.complete(messages, { schema: SCHEMA, maxTokens: 500, temperature: 0, onText });
      // A stream may have a parameter more that is refused.
      expect(server().requests.length).toBeLessThanOrEqual(3);
      expect(first).toBeGreaterThan(0);
      expect(chat.refusals()).toEqual(EXPECTED[provider.name] ?? []);
    });
    it('gives the same object at once and as a stream, with the tokens', async () => {
      const chat = chatOf();
      const pieces: string[] = [];
      const whole = await chat.complete(messages, { schema: SCHEMA });
      const streamed = await chat.complete(messages, {
        schema: SCHEMA,
        onText: (piece) => pieces.push(piece),
      });
      expect(JSON.parse(whole.text)).toEqual({ queries: ['descale the boiler'] });
      expect(JSON.parse(streamed.text)).toEqual({ queries: ['descale the boiler'] });
      expect([whole.finish, streamed.finish]).toEqual(['stop', 'stop']);
      expect(whole.usage).toBeDefined();
      expect(streamed.usage).toBeDefined();
    });
    it('names a model that it does not have, after one request', async () => {
      server().forgetRequests();
      const chat = openaiChat({ ...configOf(server()), model: 'no-such-model' });
      const error = await chat.complete(messages).catch((failure: unknown) => failure);
      // The deployment of an address is the model.
      if (provider.hasApiVersion === true) return;
      expect(error).toMatchObject({ reason: 'refused', why: 'model' });
      expect(server().requests).toHaveLength(1);
    });
    it('refuses a wrong key after one request', async () => {
      server().forgetRequests();
      const chat = openaiChat({
        ...configOf(server()),
        apiKey: 'wrong',
        model: provider.chat?.model ?? '',
      });
      const error = await chat
        .complete(messages, { schema: SCHEMA })
        .catch((failure: unknown) => failure);
      expect(error).toMatchObject({ reason: 'refused', why: 'key' });
      expect(server().requests).toHaveLength(1);
    });
  },
);

const JSON_MODE = 'schemas (JSON mode and the prompt instead)';
const PROMPT = 'schemas and JSON mode (the prompt alone instead)';
const SHOWN = 'to keep to schemas (the prompt shows them)';
/** What is learned of each model that refuses something. */
const EXPECTED: Record<string, string[]> = {
  Mistral: ['stream_options'],
  DeepSeek: [JSON_MODE],
  'Groq, a model without schemas': [JSON_MODE],
  'Groq, strict schemas': ['bounds in schemas'],
  Ollama: [SHOWN],
  OpenRouter: [SHOWN],
  DashScope: [JSON_MODE],
  Anthropic: [SHOWN],
  'a server of a model without a system role': [PROMPT, 'stream_options', 'a system role'],
  'a gateway that says nothing': [PROMPT, 'temperature', 'stream_options'],
};

describe.each(
  PROVIDERS.flatMap((provider) => (provider.embeddings === undefined ? [] : [provider])),
)('an embedding model of $name', (provider) => {
  const server = serverOf(provider);
  const { model: name = '', dimensions = 0 } = provider.embeddings ?? {};
  const providerOf = () =>
    new OpenAIEmbeddingProvider({ ...configOf(server()), model: name, dimensions });

  it('embeds 300 texts, long ones too, in order', async () => {
    const texts = Array.from({ length: 300 }, (_, at) => `text ${at} of the manual`);
    texts[17] = 'A long one. '.repeat(900);
    const embeddings = providerOf();
    const vectors = await embeddings.embedBatch(texts);
    expect(vectors.map((vector) => vector.length)).toEqual(texts.map(() => dimensions));
    const [first, last] = await Promise.all([
      embeddings.embed(texts[0] ?? ''),
      embeddings.embed(texts[299] ?? ''),
    ]);
    expect([vectors[0], vectors[299]]).toEqual([first, last]);
  });
  it('takes what was learned from the first batch in the next ones', async () => {
    const embeddings = providerOf();
    const texts = Array.from({ length: 300 }, (_, at) => `text ${at}`);
    await embeddings.embedBatch(texts);
    server().forgetRequests();
    await embeddings.embedBatch(texts);
    const most = Math.min(provider.embeddings?.maxInputs ?? 0, 300);
    expect(server().requests.length).toBeLessThanOrEqual(Math.ceil(300 / Math.ceil(most / 2)));
    expect(server().requests.length).toBeGreaterThanOrEqual(Math.ceil(300 / most));
  });
  it('refuses a wrong key after one request', async () => {
    server().forgetRequests();
    const wrong = new OpenAIEmbeddingProvider({
      ...configOf(server()),
      apiKey: 'wrong',
      model: name,
      dimensions,
    });
    const error = await wrong.embedBatch(['a', 'b']).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ reason: 'refused', why: 'key' });
    expect(server().requests).toHaveLength(1);
  });
});
