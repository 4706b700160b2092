import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ErrorCode, readAs } from '../../../src/contract/core/error-info.ts';
import {
  type AgentResponse,
  type AgentType,
  DisplayModel,
} from '../../../src/contract/wire/agent-response.ts';
import type { Agent, AgentCall } from '../../../src/librarians/agents/agent.ts';
import { validateAgentResponse } from '../../../src/librarians/agents/agent-response.ts';
import { resultFormatter } from '../../../src/librarians/agents/format/result-formatter.ts';
import { delegateTo } from '../../../src/librarians/delegation/delegates.ts';
import { serveLibrarian } from '../../../src/librarians/serve/serve-librarian.ts';
import { CodedError, DataSourceError } from '../../../src/platform/http/coded-error.ts';
import {
  ask,
  identityOf,
  notebook,
  targetOf,
  userContext,
} from '../../platform/context/callers.ts';
import { ANSWERS, askAgent, atDeadline, serve, startClock, stopClock } from './agents-for-test.ts';
import EXPECTED from './serve-agent.json' with { type: 'json' };

const READS = () => ({
  context: userContext({ capabilities: ['sql:read', 'kb:read', 'web:search'] }),
});
/** Calls the librarian route. */
const askAs = async (agent: Agent, type: AgentType = 'analytics', more: object = {}) =>
  ask(type.replace('_', '-'), await serve(agent, {}, type), { ...READS(), ...more });
/** Calls the agent route. */
const asking = async (agent: Agent, more: Parameters<typeof askAgent>[1] = {}) =>
  askAgent(await serve(agent), more);

const answering =
  (response: unknown): Agent =>
  async () =>
    response as AgentResponse; // may be invalid
const analytics = (change: object) => answering({ ...ANSWERS.analytics, ...change });
const throwing =
  (error: unknown): Agent =>
  () =>
    Promise.reject(error);

afterEach(startClock);
const ROUTES = ['POST /v1/agents/analytics', 'POST /librarians/analytics/ask'];
it.each(ROUTES)(
  '%s answers TIMEOUT at the deadline when the agent does not, and aborts its work',
  async (route) => {
    stopClock();
    const { promise: called, resolve } = Promise.withResolvers<AgentCall>();
    const silent: Agent = (_query, call) => {
      resolve(call);
      return new Promise(() => undefined);
    };
    const answer = route.includes('ask') ? askAs(silent, 'analytics') : asking(silent);
    const { signal } = await called;
    const { reply, status } = await atDeadline(answer);
    expect([status, reply.error.code ?? reply.metadata.error_code, signal.aborted]).toEqual([
      504,
      'TIMEOUT',
      true,
    ]);
  },
);

describe('POST /v1/agents/{type}', () => {
  it('answers in the agent envelope, with its duration and timestamp', async () => {
    const { reply, status } = await asking(answering(ANSWERS.analytics));
    expect(status).toBe(200);
    expect(reply).toMatchObject({ ...ANSWERS.analytics, metadata: {} });
    expect(reply.metadata).toMatchObject({
      confidence_score: 0.9,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(reply.metadata.execution_time).toBeGreaterThanOrEqual(0);
  });
  it('states user and language by the verified context and the question only', async () => {
    const metadata = {
      user_id: 'user:someone',
      feedback_influenced: true,
      classification_reasoning: ['It counts'],
    };
    const app = await serve(analytics({ metadata }), { languageIds: { de: 2 } });
    const metadataOf = async (query: string) =>
      (await askAgent(app, { body: { query } })).reply.metadata;
    const about = {
      user_id: 'user:u_secret',
      memory_context_used: false,
      feedback_influenced: false,
    };
    const english = await metadataOf('How many iPhone 17 are in stock?');
    expect(english).toMatchObject({
      ...about,
      language: 'en',
      classification_reasoning: ['It counts'],
    });
    expect(english).not.toHaveProperty('language_id');
    const german = await metadataOf('Wie viele iPhone 17 haben wir auf Lager?');
    expect(german).toMatchObject({ ...about, language: 'de', language_id: 2 });
    // No detectable language.
    expect(await metadataOf('Apollo III')).not.toHaveProperty('language');
  });
  it.each(Object.values(ANSWERS))('writes an answer of $type in each format', async (response) => {
    const app = await serve(answering(response), {}, response.type);
    const written = async (format: string) => {
      const { answer } = await askAgent(app, { type: response.type, search: `?format=${format}` });
      if (!answer.ok) return expect.unreachable();
      return [answer.status, answer.contentType, new TextDecoder().decode(answer.body)];
    };
    const markdown = resultFormatter.toMarkdown(response);
    expect(await written('markdown')).toEqual([200, 'text/markdown; charset=utf-8', markdown]);
    expect(await written('text')).toEqual([
      200,
      'text/plain; charset=utf-8',
      resultFormatter.toText(response),
    ]);
    const [status, type, display] = await written('display');
    expect([status, type]).toEqual([200, 'application/json']);
    const value = resultFormatter.toDisplay(response);
    expect(readAs(DisplayModel, JSON.parse(String(display)))).toMatchObject({ ok: true, value });
  });
  it('reports a failure as JSON whatever the format', async () => {
    const failing = throwing(new CodedError('SERVICE_UNAVAILABLE', 'x'));
    const { reply, status } = await asking(failing, { search: '?format=markdown' });
    expect([status, reply.success, reply.metadata.error_code]).toEqual([
      503,
      false,
      'SERVICE_UNAVAILABLE',
    ]);
  });
  it.each<[string, object]>([
    ['an unknown format', { search: '?format=pdf' }],
    ['an empty format', { search: '?format=' }],
    ['two formats', { search: '?format=text&format=display' }],
    ['no question', { body: {} }],
    ['an empty question', { body: { query: ' ' } }],
    ['an unknown member', { body: { query: 'x', sql: 'SELECT 1' } }],
    ['options that are no object', { body: { query: 'x', options: 'all' } }],
  ])('refuses %s with { error } and 400 before it calls the agent', async (_, request) => {
    const agent = vi.fn(answering(ANSWERS.analytics));
    const { reply, status } = await asking(agent, request);
    expect([status, reply.error.code, agent.mock.calls]).toEqual([400, 'INVALID_QUERY', []]);
    if ('search' in request) expect(reply.error.message).toContain('markdown, text, display');
  });
  it('refuses a context without the capability', async () => {
    const context = userContext({ capabilities: ['kb:read'] });
    const { reply, status } = await asking(answering(ANSWERS.analytics), { context });
    expect([status, reply.error.details]).toEqual([401, { missing: 'sql:read' }]);
  });
  it('passes the agent the options, the time left and the verified context', async () => {
    const agent = vi.fn(answering(ANSWERS.analytics));
    await asking(agent, { body: { query: ' How many? ', options: { limit: 3 } } });
    const [query, { options, timeoutMs, scope }] = agent.mock.calls[0]!;
    expect([query, options, scope.context.workspace]).toEqual([
      'How many?',
      { limit: 3 },
      'default',
    ]);
    expect(timeoutMs > 0 && timeoutMs <= 30_000).toBe(true);
  });

  const invalid = { ...ANSWERS.analytics, result: { ...ANSWERS.analytics.result, row_count: 7 } };
  it.each<[string, Agent, ErrorCode, number]>([
    [
      'throws an error of its source',
      throwing(new DataSourceError('no table secrets')),
      'DATA_SOURCE_ERROR',
      502,
    ],
    ['refuses the question', throwing(new CodedError('INVALID_QUERY', 'x')), 'INVALID_QUERY', 400],
    [
      'is unavailable',
      throwing(new CodedError('SERVICE_UNAVAILABLE', 'x')),
      'SERVICE_UNAVAILABLE',
      503,
    ],
    ['has a defect', throwing(new TypeError('cannot read secrets')), 'INTERNAL_ERROR', 500],
    ['throws a text', throwing('secrets'), 'INTERNAL_ERROR', 500],
    ['returns nothing', answering(undefined), 'INTERNAL_ERROR', 500],
    ['returns a row count that is wrong', answering(invalid), 'INTERNAL_ERROR', 500],
    ['returns an answer of another type', answering(ANSWERS.semantic), 'INTERNAL_ERROR', 500],
  ])(
    'reports a standard code and its status when the agent %s',
    async (_, agent, error_code, expected) => {
      const { reply, status } = await asking(agent);
      expect([status, validateAgentResponse(reply).ok]).toEqual([expected, true]);
      const metadata = {
        error_code,
        recoverable: expect.any(Boolean),
        suggestion: expect.stringMatching(/\w/),
      };
      expect(reply).toMatchObject({
        success: false,
        type: 'analytics',
        result: {},
        source_attribution: {},
        metadata,
      });
      expect(JSON.stringify(reply)).not.toContain('secrets');
    },
  );
  it('keeps a returned failure, and replaces a code that is not standard with INTERNAL_ERROR', async () => {
    const failure = { success: false, error: 'Cannot run the query', result: {} };
    const coded = analytics({ ...failure, metadata: { error_code: 'SQL_EXECUTION_ERROR' } });
    const { reply, status } = await asking(coded);
    expect([status, reply.error, reply.metadata.error_code]).toEqual([
      500,
      'Cannot run the query',
      'INTERNAL_ERROR',
    ]);
  });
  it('lets an agent delegate to other librarians, and returns the trace', async () => {
    const info = { id: 'navigator', name: 'Navigator' };
    const own = { ...(await identityOf('navigator')), log: () => undefined };
    const other = serveLibrarian(
      async () => ({ answer: 'Under the mat.', confidence: 0.9 }),
      info,
      own,
    );
    const delegating: Agent = async (_query, { scope }) => {
      const [branch] = await scope.delegates.ask([{ to: 'navigator' }]);
      return { ...ANSWERS.analytics, metadata: { reported: branch?.response.answer } };
    };
    const app = await serve(delegating, {
      targets: delegateTo({ navigator: targetOf(other).target }),
    });
    const { reply, answer } = await askAgent(app);
    expect(reply.metadata).toMatchObject({
      reported: 'Under the mat.',
      trace: { hops: [{ from: 'analytics', to: 'navigator', outcome: 'answer', verified: true }] },
    });
    expect(answer).toMatchObject({ ok: true, receipt: { use: { calls: 1 } } });
    const { reply: response } = await ask('analytics', app, READS());
    expect(response.metadata).toMatchObject({ trace: { hops: [{ to: 'navigator' }] } });
  });
  it('aborts the requests of an agent that has failed', async () => {
    const called = Promise.withResolvers<AbortSignal>();
    const fetch = ({ signal }: Request) => {
      called.resolve(signal);
      return new Promise<Response>(() => undefined);
    };
    const failing: Agent = async (_query, { scope }) => {
      void scope.delegates.ask([{ to: 'navigator' }]);
      await called.promise;
      throw new Error('broken');
    };
    const { status } = await askAgent(
      await serve(failing, { targets: delegateTo({ navigator: { fetch } }) }),
    );
    expect([status, (await called.promise).aborted]).toEqual([500, true]);
  });
  it('logs the code and the cause, never the question', async () => {
    const { log, text } = notebook();
    await askAgent(await serve(throwing(new DataSourceError('the disk is full')), { log }));
    for (const logged of ['the disk is full', '"outcome":"DATA_SOURCE_ERROR"'])
      expect(text()).toContain(logged);
    expect(text()).not.toContain('iPhone');
  });
});

describe('An agent as a librarian', () => {
  const TYPES = Object.entries(EXPECTED) as [keyof typeof EXPECTED, object][];
  it.each(TYPES)(
    'answers as %s with its text, inert, its sources and the whole envelope',
    async (type, expected) => {
      const answer =
        'It costs [5 EUR](https://a.example/x) <b>there</b>\u202e [now](javascript:x).';
      const { reply, status } = await askAs(
        answering({ ...ANSWERS[type], metadata: { answer } }),
        type,
      );
      expect(status).toBe(200);
      const metadata = { [type]: { success: true, result: ANSWERS[type].result } };
      expect(reply).toMatchObject({ ...expected, metadata });
      expect(reply).not.toHaveProperty('partial');
    },
  );
  it("includes the router's reasons before its own, and whether earlier turns completed the question", async () => {
    const answer = analytics({ metadata: { classification_reasoning: ['It counts'] } });
    const envelopeWith = async (question_origin: unknown) =>
      (await askAs(answer, 'analytics', { metadata: { question_origin } })).reply.metadata.analytics
        .metadata;
    const origin = { classification_reasoning: ['The words fit best'], memory_context_used: true };
    const classification_reasoning = ['The words fit best', 'It counts'];
    expect(await envelopeWith(origin)).toMatchObject({
      classification_reasoning,
      memory_context_used: true,
    });
    for (const unusable of [
      undefined,
      'x',
      { memory_context_used: 'yes' },
      { classification_reasoning: [1] },
    ]) {
      const metadata = await envelopeWith(unusable);
      expect(metadata.classification_reasoning).toEqual(['It counts']);
      expect(metadata).not.toHaveProperty('memory_context_used');
    }
  });
  it('is partial when a part is missing, and omits an envelope that is too large', async () => {
    const part = {
      type: 'analytics',
      query: 'How many?',
      result: {},
      success: false,
      error: 'Cannot count',
    };
    const gap = { ...ANSWERS.hybrid, result: { ...ANSWERS.hybrid.result, sub_queries: [part] } };
    const { reply } = await askAs(answering(gap), 'hybrid');
    expect(reply).toMatchObject({ partial: true, confidence: 0.8, sources: [] });
    const rows = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(2000) }));
    const { reply: cut } = await askAs(
      analytics({ result: { ...ANSWERS.analytics.result, rows, row_count: 100 } }),
    );
    expect(cut).toMatchObject({ partial: true, metadata: { omitted: ['analytics'] } });
    expect(cut.answer).toContain('and 90 more rows');
  });
  it('reads options from the metadata, and ignores anything but an object', async () => {
    const agent = vi.fn(answering(ANSWERS.analytics));
    for (const options of [{ limit: 3 }, ['limit']])
      await askAs(agent, 'analytics', { metadata: { options } });
    expect(agent.mock.calls.map(([, { options }]) => options)).toEqual([{ limit: 3 }, {}]);
  });
  it('reports a failure as an error with the same code and message', async () => {
    const reported = {
      message: 'Cannot count that',
      suggestion: 'Ask for one product by its name',
    };
    const { reply, status } = await askAs(
      throwing(new CodedError('INVALID_QUERY', 'inside', { reported })),
    );
    expect(status).toBe(400);
    expect(reply.error).toMatchObject({
      code: 'INVALID_QUERY',
      librarian: 'analytics',
      ...reported,
    });
    expect(reply.metadata.analytics).toMatchObject({ success: false, error: reported.message });
  });
});
