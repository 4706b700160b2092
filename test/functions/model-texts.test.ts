import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentResponse } from '../../src/contract/wire/agent-response.ts';
import { splitQuery } from '../../src/librarians/hybrid/split-query.ts';
import type { Product } from '../../tools/run/product.ts';
import type { ChatScript } from '../../tools/stand-ins/openai/chat-answer.ts';
import { type ChatRequest, textOf } from '../../tools/stand-ins/openai/chat-request.ts';
import {
  type OpenAIServer,
  startOpenAIServer,
} from '../../tools/stand-ins/openai/openai-server.ts';
import { readPrompt } from '../../tools/stand-ins/read-prompt.ts';
import RECORDED from './model-texts.json' with { type: 'json' };
import { ask, send, startEmbedded } from './product-for-test.ts';

/** The key of a recorded reply; passages and earlier turns of the prompt may change. */
const keyOf = (schema: string, asked: unknown): string => {
  const { question, questions, statements } = asked as Record<string, unknown> & {
    statements?: { statement: string }[];
  };
  return JSON.stringify([
    schema,
    question ?? questions,
    statements?.map(({ statement }) => statement),
  ]);
};

const replies = new Map(RECORDED.map(({ schema, asked, reply }) => [keyOf(schema, asked), reply]));

/** The question of a prompt: between tags, with a code or without one in prompts for SQL, or JSON. */
const askedIn = (content: string): unknown => {
  const read = readPrompt(content);
  if (read !== undefined) return read.statements.length > 0 ? read : { question: read.question };
  const question = /^<question>\n(.*)\n<\/question>$/s.exec(content)?.[1];
  return question === undefined ? JSON.parse(content) : { question };
};

/** Replies with the recorded reply of a language model; fails like an overloaded service when there is none. */
const recordedModel: ChatScript = ({ messages, response_format: format }: ChatRequest) => {
  const asked = askedIn(textOf(messages.at(-1)?.content));
  const json =
    format?.type === 'json_schema' ? replies.get(keyOf(format.json_schema.name, asked)) : undefined;
  return json === undefined ? { error: { status: 503 } } : { json };
};

const replyTo = (schema: string, question: string) => {
  const found = RECORDED.find(
    (each) => each.schema === schema && each.asked.question === question,
  )?.reply;
  return found ?? expect.unreachable(`no ${schema} is recorded for ${question}`);
};

/** The words of a text, without marks and punctuation. */
const wordsIn = (text: string): string =>
  text
    .replace(/[*`]/g, '')
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? '';

/** The statements of the recorded answer to a question, as words. */
const statementsFor = (question: string): string[] =>
  replyTo('answer_from_passages', question).statements?.map(({ text }) => wordsIn(text)) ?? [];

describe('replies of a chat model', () => {
  let product: Product;
  let model: OpenAIServer;
  beforeAll(async () => {
    model = await startOpenAIServer();
    const adapters = {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: model.apiKey,
      EMBEDDING_MODEL: 'none',
    };
    const functions = [
      'library',
      'navigator',
      'semantic',
      'analytics',
      'web-search',
      'hybrid',
      'memory',
    ];
    product = await startEmbedded({ functions, webSearch: 'local', adapters });
    await product.sync({ full: true });
  }, 240_000);
  afterAll(async () => {
    await product?.stop();
    await model?.stop();
  });
  beforeEach(() => model.answerWith(recordedModel));

  const askAgent = async (type: string, query: string) => {
    const response = await send(product, `POST /v1/agents/${type}`, { query });
    const reply = AgentResponse.parse(await response.json());
    return reply.success ? reply : expect.unreachable(reply.error);
  };

  it('choose the librarian', async () => {
    const question = 'Is the iPhone 17 a good deal?';
    const { hops, reply } = await ask(product, question);
    expect(hops.map(({ to }) => to)).toEqual(['web-search']);
    const envelope = AgentResponse.parse(reply.metadata?.web_search);
    expect(envelope.metadata).toMatchObject({
      user_id: expect.stringMatching(/^user:/),
      classification_reasoning: [
        'A model chose web-search by the descriptions of the librarians',
        'The question is about a price',
        'It names a product of the shop: iPhone 17',
      ],
    });
    model.answerWith({ error: { status: 503 } });
    expect((await ask(product, question)).hops.map(({ to }) => to)).toEqual(['navigator']);
  });

  it('split a question into parts', async () => {
    const question = 'Apollo III: stock, noise in Turbo mode and prices of competitors?';
    const { sub_queries: proposed = [] } = replyTo('sub_queries', question);
    const { result, metadata } = await askAgent('hybrid', question);
    expect(result).toMatchObject({
      sub_queries: proposed,
      sources_used: ['analytics', 'semantic', 'web_search'],
    });
    expect(metadata).toMatchObject({ split_by: 'model', sub_query_count: 3 });
    expect(splitQuery(question)).not.toEqual(proposed);
  });

  it('complete a follow-up question', async () => {
    const place = { conversation_id: 'model-texts' };
    await ask(product, 'How loud is the Apollo III in Turbo mode?', place);
    const { reply } = await ask(product, 'And in Eco?', place);
    const { question: completed } = replyTo('standalone_question', 'And in Eco?');
    expect(completed).toMatch(/Apollo III in Eco/);
    expect(reply.metadata?.conversation).toMatchObject({ turns: 1, understood_as: completed });
  });

  it('give the SQL statement and the text of an answer from the database, with currencies', async () => {
    const question = 'What was the highest total of a cancelled order in each currency?';
    const { sql = '', text = '' } = replyTo('statement', question);
    const { result, metadata } = await askAgent('analytics', question);
    expect(result).toMatchObject({ sql_query: expect.stringContaining(sql), row_count: 2 });
    expect(JSON.stringify(result)).toContain(text);
    expect(JSON.stringify(result)).toMatch(/EUR: [\d.,]+ EUR; USD: [\d.,]+ USD/);
    expect(metadata).toMatchObject({ statement_by: 'model' });
    model.answerWith({ error: { status: 503 } });
    expect((await send(product, 'POST /v1/agents/analytics', { query: question })).status).toBe(
      404,
    );
  });

  const textIn = ({ result, metadata }: Awaited<ReturnType<typeof askAgent>>): string =>
    [...Object.values(result), ...Object.values(metadata)]
      .filter((value) => typeof value === 'string')
      .join('\n');

  it.each<[string, string, object, object]>([
    [
      'semantic',
      'How do I reset the dashboard password?',
      { summary_by: 'model' },
      { summary_by: 'quotes', summary_refused: 'unavailable' },
    ],
    [
      'web_search',
      'What does an iPhone 17 cost elsewhere?',
      { answered_by: 'gpt-4.1-mini' },
      { answered_by: 'extract', entity_type: 'product' },
    ],
    [
      'web_search',
      'Apollo II against Apollo III: which is the better home miner?',
      { answered_by: 'gpt-4.1-mini' },
      { answered_by: 'extract' },
    ],
    [
      'hybrid',
      'How many Apollo III are in stock, and how do I reset its dashboard password?',
      { split_by: 'model', synthesis_by: 'model' },
      { split_by: 'rules', synthesis_by: 'findings' },
    ],
  ])('give the statements of an answer of %s: %s', async (type, question, written, without) => {
    const statements = statementsFor(question);
    expect(statements.length).toBeGreaterThan(1);
    const answer = await askAgent(type, question);
    expect(answer.metadata).toMatchObject(written);
    for (const statement of statements) expect(wordsIn(textIn(answer))).toContain(statement);
    model.answerWith({ error: { status: 503 } });
    const fallback = await askAgent(type, question);
    expect(fallback.metadata).toMatchObject(without);
    expect(wordsIn(textIn(fallback))).not.toContain(statements[0]);
  });
});
