import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Agent, AgentCall } from '../../src/agents/agent.ts';
import { validateAgentResponse } from '../../src/agents/agent-response.ts';
import { resultFormatter } from '../../src/agents/format/result-formatter.ts';
import { type AgentResponse, type AgentType, DisplayModel } from '../../src/contract/agent-response.ts';
import { type ErrorCode, readAs } from '../../src/contract/error-info.ts';
import { delegateTo } from '../../src/delegation/delegates.ts';
import { CodedError, DataSourceError } from '../../src/http/coded-error.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { ask, identityOf, notebook, targetOf, userContext } from '../signing/callers.ts';
import { ANSWERS, askAgent, serve } from './agents-for-test.ts';

const READS = () => ({ context: userContext({ capabilities: ['sql:read', 'kb:read', 'web:search'] }) });
/** Calls the librarian route. */
const askAs = async (agent: Agent, type: AgentType = 'analytics', more: object = {}) =>
  ask(type.replace('_', '-'), await serve(agent, {}, type), { ...READS(), ...more });
const answering =
  (response: unknown): Agent =>
  async () =>
    response as AgentResponse; // may be invalid
const throwing =
  (error: unknown): Agent =>
  () =>
    Promise.reject(error);

/** An agent that never answers. Fake timers stand still until `giveUp` advances them past the deadline. */
const silence = () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const { promise, resolve } = Promise.withResolvers<AgentCall>();
  const agent: Agent = (_query, call) => {
    resolve(call);
    return new Promise(() => undefined);
  };
  const giveUp = async (): Promise<AgentCall> => {
    const call = await promise;
    vi.advanceTimersByTime(Math.ceil(call.timeoutMs));
    return call;
  };
  return { agent, giveUp };
};

afterEach(() => {
  vi.useRealTimers();
});

describe('POST /v1/agents/{type}', () => {
  it('answers in the agent envelope, with its duration and timestamp', async () => {
    const { reply, status } = await askAgent(await serve(answering(ANSWERS.analytics)));
    expect(status).toBe(200);
    expect(reply).toMatchObject({ ...ANSWERS.analytics, metadata: {} });
    expect(reply.metadata).toMatchObject({ confidence_score: 0.9, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(reply.metadata.execution_time).toBeGreaterThanOrEqual(0);
  });

  it('states user and language by the verified context and the question only', async () => {
    const claimed = { user_id: 'user:someone', feedback_influenced: true, classification_reasoning: ['It counts'] };
    const answer = answering({ ...ANSWERS.analytics, metadata: claimed });
    const app = await serve(answer, { languageIds: { de: 2 } });
    const metadataOf = async (query: string) => (await askAgent(app, { body: { query } })).reply.metadata;
    const about = { user_id: 'user:u_secret', memory_context_used: false, feedback_influenced: false };
    const english = await metadataOf('How many iPhone 17 are in stock?');
    expect(english).toMatchObject({ ...about, language: 'en', classification_reasoning: ['It counts'] });
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
      return answer.ok
        ? [answer.status, answer.contentType, new TextDecoder().decode(answer.body)]
        : expect.unreachable();
    };
    expect(await written('markdown')).toEqual([
      ...[200, 'text/markdown; charset=utf-8'],
      resultFormatter.toMarkdown(response),
    ]);
    expect(await written('text')).toEqual([200, 'text/plain; charset=utf-8', resultFormatter.toText(response)]);
    const [status, type, display] = await written('display');
    expect([status, type]).toEqual([200, 'application/json']);
    expect(readAs(DisplayModel, JSON.parse(String(display)))).toMatchObject({
      ok: true,
      value: resultFormatter.toDisplay(response),
    });
  });

  it.each(['?format=pdf', '?format=', '?format=text&format=display'])(
    'refuses %s before it calls the agent',
    async (search) => {
      const agent = vi.fn(answering(ANSWERS.analytics));
      const { reply, status } = await askAgent(await serve(agent), { search });
      expect([status, reply.error.code, agent.mock.calls]).toEqual([400, 'INVALID_QUERY', []]);
      expect(reply.error.message).toContain('markdown, text, display');
    },
  );

  it('reports a failure as JSON whatever the format', async () => {
    const app = await serve(throwing(new CodedError('SERVICE_UNAVAILABLE', 'x')));
    const { reply, status } = await askAgent(app, { search: '?format=markdown' });
    expect([status, reply.success, reply.metadata.error_code]).toEqual([503, false, 'SERVICE_UNAVAILABLE']);
  });

  it('passes the agent the options, the time left and the verified context', async () => {
    const seen: unknown[] = [];
    const app = await serve(async (query, { options, timeoutMs, scope }) => {
      seen.push(query, options, timeoutMs > 0 && timeoutMs <= 30_000, scope.context.workspace);
      return ANSWERS.analytics;
    });
    await askAgent(app, { body: { query: ' How many? ', options: { limit: 3 } } });
    expect(seen).toEqual(['How many?', { limit: 3 }, true, 'default']);
  });

  it.each<[string, unknown, ErrorCode, number]>([
    ['a source that fails', new DataSourceError('no such table: secrets'), 'DATA_SOURCE_ERROR', 502],
    ['a question it refuses', new CodedError('INVALID_QUERY', 'x'), 'INVALID_QUERY', 400],
    ['an unavailable service', new CodedError('SERVICE_UNAVAILABLE', 'x'), 'SERVICE_UNAVAILABLE', 503],
    ['a defect', new TypeError('cannot read secrets'), 'INTERNAL_ERROR', 500],
    ['a thrown text', 'secrets', 'INTERNAL_ERROR', 500],
  ])('reports %s as a failure with a standard code and its status', async (_, error, code, expected) => {
    const { reply, status } = await askAgent(await serve(throwing(error)));
    expect(status).toBe(expected);
    expect(validateAgentResponse(reply).ok).toBe(true);
    const metadata = { error_code: code, recoverable: expect.any(Boolean), suggestion: expect.stringMatching(/\w/) };
    expect(reply).toMatchObject({ success: false, type: 'analytics', result: {}, source_attribution: {}, metadata });
    expect(JSON.stringify(reply)).not.toContain('secrets');
  });

  it.each([
    ['nothing', undefined],
    ['a row count that is wrong', { ...ANSWERS.analytics, result: { ...ANSWERS.analytics.result, row_count: 7 } }],
    ['an answer of another type', ANSWERS.semantic],
  ])('answers INTERNAL_ERROR when the agent returns %s', async (_, response) => {
    const { reply, status } = await askAgent(await serve(answering(response)));
    expect([status, reply.metadata.error_code]).toEqual([500, 'INTERNAL_ERROR']);
  });

  it('answers TIMEOUT in the envelope before the deadline of the caller, and aborts the work', async () => {
    const silent = silence();
    const answer = askAgent(await serve(silent.agent), { timeoutMs: 500, ...READS() });
    const { signal } = await silent.giveUp();
    const { reply, status } = await answer;
    expect([status, reply.metadata.error_code, signal.aborted]).toEqual([504, 'TIMEOUT', true]);
  });

  it.each([
    ['no question', {}],
    ['an empty question', { query: ' ' }],
    ['an unknown member', { query: 'x', sql: 'SELECT 1' }],
    ['options that are no object', { query: 'x', options: 'all' }],
  ])('refuses %s with { error } and 400', async (_, body) => {
    const { reply, status } = await askAgent(await serve(answering(ANSWERS.analytics)), { body });
    expect([status, reply.error.code]).toEqual([400, 'INVALID_QUERY']);
  });

  it('refuses a context without the capability', async () => {
    const context = userContext({ capabilities: ['kb:read'] });
    const { reply, status } = await askAgent(await serve(answering(ANSWERS.analytics)), { context });
    expect([status, reply.error.details]).toEqual([401, { missing: 'sql:read' }]);
  });

  it('keeps a returned failure, and replaces a code that is not standard with INTERNAL_ERROR', async () => {
    const failure = { ...ANSWERS.analytics, success: false, error: 'Cannot run the query', result: {} };
    const coded = { ...failure, metadata: { error_code: 'SQL_EXECUTION_ERROR' } };
    const { reply, status } = await askAgent(await serve(answering(coded)));
    expect([status, reply.error, reply.metadata.error_code]).toEqual([500, 'Cannot run the query', 'INTERNAL_ERROR']);
  });

  it('lets an agent delegate to other librarians, and returns the trace', async () => {
    const info = { id: 'navigator', name: 'Navigator' };
    const own = { ...(await identityOf('navigator')), log: () => undefined };
    const other = serveLibrarian(async () => ({ answer: 'Under the mat.', confidence: 0.9 }), info, own);
    const asking: Agent = async (_query, { scope }) => {
      const [branch] = await scope.delegates.ask([{ to: 'navigator' }]);
      return { ...ANSWERS.analytics, metadata: { reported: branch?.response.answer } };
    };
    const app = await serve(asking, { targets: delegateTo({ navigator: targetOf(other).target }) });
    const { reply, answer } = await askAgent(app);
    expect(reply.metadata).toMatchObject({
      reported: 'Under the mat.',
      trace: { hops: [{ from: 'analytics', to: 'navigator', outcome: 'answer', verified: true }] },
    });
    expect(answer).toMatchObject({ ok: true, receipt: { use: { calls: 1 } } });
    const context = userContext({ capabilities: ['sql:read', 'kb:read'] });
    const { reply: response } = await ask('analytics', app, { context });
    expect(response.metadata).toMatchObject({ trace: { hops: [{ to: 'navigator' }] } });
  });

  it('aborts the requests of an agent that has timed out', async () => {
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
    const { status } = await askAgent(await serve(failing, { targets: delegateTo({ navigator: { fetch } }) }));
    expect([status, (await called.promise).aborted]).toEqual([500, true]);
  });

  it('logs the code and the cause, never the question', async () => {
    const { log, text } = notebook();
    await askAgent(await serve(throwing(new DataSourceError('the disk is full')), { log }));
    expect(text()).toContain('the disk is full');
    expect(text()).toContain('"outcome":"DATA_SOURCE_ERROR"');
    expect(text()).not.toContain('iPhone');
  });
});

describe('An agent as a librarian', () => {
  it('answers with its text, sources and confidence, and carries the whole envelope', async () => {
    const { reply, status } = await askAs(answering(ANSWERS.analytics));
    expect(status).toBe(200);
    expect(reply.answer).toContain('50 units in stock');
    expect(reply).toMatchObject({
      sources: [{ name: 'clic_products', type: 'database', relevance: 0.9 }],
      confidence: 0.9,
      metadata: { analytics: { success: true, result: ANSWERS.analytics.result } },
    });
    expect(reply).not.toHaveProperty('partial');
  });

  it("includes the router's reasons before its own, and whether earlier turns completed the question", async () => {
    const answer = answering({ ...ANSWERS.analytics, metadata: { classification_reasoning: ['It counts'] } });
    const envelopeWith = async (question_origin: unknown) =>
      (await askAs(answer, 'analytics', { metadata: { question_origin } })).reply.metadata.analytics.metadata;
    const origin = { classification_reasoning: ['The words fit best'], memory_context_used: true };
    expect(await envelopeWith(origin)).toMatchObject({
      classification_reasoning: ['The words fit best', 'It counts'],
      memory_context_used: true,
    });
    for (const unusable of [undefined, 'x', { memory_context_used: 'yes' }, { classification_reasoning: [1] }]) {
      const metadata = await envelopeWith(unusable);
      expect(metadata.classification_reasoning).toEqual(['It counts']);
      expect(metadata).not.toHaveProperty('memory_context_used');
    }
  });

  it('answers with the synthesis of a hybrid answer, and all its sources', async () => {
    const { reply } = await askAs(answering(ANSWERS.hybrid), 'hybrid');
    expect(reply).toMatchObject({
      answer: 'Q1 sales totaled $1.2M. Our return policy allows returns within 14 days.',
      sources: [
        { name: 'policies.pdf', type: 'document', relevance: 0.92 },
        { name: 'clic_products', type: 'database' },
      ],
    });
  });

  it('answers with the inert answer of a web search, and its pages as sources', async () => {
    const metadata = { answer: 'It costs [5 EUR](https://a.example/x) <b>there</b>\u202e [now](javascript:x).' };
    const { reply } = await askAs(answering({ ...ANSWERS.web_search, metadata }), 'web_search');
    expect(reply.answer).toBe('It costs [5 EUR](https://a.example/x) \\<b>there\\</b> [now\\](javascript:x).');
    expect(reply.sources).toEqual([
      { name: 'iPhone 17 on Amazon', url: 'https://amazon.com/...', type: 'web', relevance: 0.7 },
      { name: 'bestbuy.com', url: 'https://bestbuy.com/...', type: 'web', relevance: 0.7 },
    ]);
  });

  it('is partial when a part is missing, and omits an envelope that is too large', async () => {
    const part = { type: 'analytics', query: 'How many?', result: {}, success: false, error: 'Cannot count' };
    const gap = { ...ANSWERS.hybrid, result: { ...ANSWERS.hybrid.result, sub_queries: [part] } };
    const { reply } = await askAs(answering(gap), 'hybrid');
    expect(reply).toMatchObject({ partial: true, confidence: 0.8, sources: [] });
    const rows = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(2000) }));
    const large = { ...ANSWERS.analytics, result: { ...ANSWERS.analytics.result, rows, row_count: 100 } };
    const { reply: cut } = await askAs(answering(large));
    expect(cut).toMatchObject({ partial: true, metadata: { omitted: ['analytics'] } });
    expect(cut.answer).toContain('and 90 more rows');
  });

  it('reads options from the metadata, and ignores anything but an object', async () => {
    const seen: unknown[] = [];
    const agent: Agent = async (_query, { options }) => {
      seen.push(options);
      return ANSWERS.analytics;
    };
    for (const options of [{ limit: 3 }, ['limit']]) await askAs(agent, 'analytics', { metadata: { options } });
    expect(seen).toEqual([{ limit: 3 }, {}]);
  });

  it('reports a failure as an error with the same code and message', async () => {
    const reported = { message: 'Cannot count that', suggestion: 'Ask for one product by its name' };
    const error = new CodedError('INVALID_QUERY', 'inside', { reported });
    const { reply, status } = await askAs(throwing(error));
    expect(status).toBe(400);
    expect(reply.error).toMatchObject({ code: 'INVALID_QUERY', librarian: 'analytics', ...reported });
    expect(reply.metadata.analytics).toMatchObject({ success: false, error: reported.message });
  });

  it('answers TIMEOUT when the agent does not answer', async () => {
    const silent = silence();
    const answer = askAs(silent.agent, 'analytics', { timeoutMs: 500 });
    await silent.giveUp();
    const { reply, status } = await answer;
    expect([status, reply.error.code]).toEqual([504, 'TIMEOUT']);
  });
});
