import { describe, expect, it } from 'vitest';
import type { ProgressEvent } from '../../../src/contract/core/ask.ts';
import type { Agent } from '../../../src/librarians/agents/agent.ts';
import { createApp } from '../../../src/librarians/semantic/semantic-agent.ts';
import { CodedError } from '../../../src/platform/http/coded-error.ts';
import { judging, replyOf, scriptedModel } from '../../answering/write/scripted-model.ts';
import { openSmallKb } from '../../answering/write/small-kb.ts';
import { type App, callFrom, identityOf, targetOf } from '../../platform/context/callers.ts';
import { allowed, hybridWith, saying } from '../hybrid/hybrid-for-test.ts';
import { ANSWERS, askAgent, serve } from './agents-for-test.ts';

const QUESTION =
  'How many iPhone 17 are in stock and what does the return policy say about opened boxes?';
const STOCK = 'The iPhone 17 has 50 units in stock.';
const POLICY = 'Our return policy allows returns within 14 days of purchase.';

/** Reads the stream of an agent over the signed route; returns its events and the final reply. */
const followed = async (
  app: App,
  id: string,
  more: { body?: object; signal?: AbortSignal; onEvent?: (event: ProgressEvent) => void } = {},
) => {
  const events: ProgressEvent[] = [];
  let contentType: string | null = null;
  const { target } = targetOf(app, (response) => {
    contentType = response.headers.get('content-type');
    return response;
  });
  const progress = (event: ProgressEvent): void => {
    events.push(event);
    more.onEvent?.(event);
  };
  const { body = { query: QUESTION }, signal } = more;
  const request = { to: id, path: `/v1/agents/${id}`, body, signal, progress };
  const { answer } = await callFrom('gateway', allowed(), { targets: { [id]: target }, request });
  // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
  const reply: any = answer.ok ? answer.json() : undefined;
  return { events, contentType, reply, status: answer.ok ? answer.status : undefined };
};

const statementsIn = (events: readonly ProgressEvent[]) =>
  events.filter((event) => event.type === 'statement');

/** Drops metadata that differs in every run. */
const withoutRunMetadata = ({ metadata, ...reply }: { metadata: Record<string, unknown> }) => {
  const { execution_time: _, timestamp: __, trace: ___, ...rest } = metadata;
  return { ...reply, metadata: rest };
};

describe('The stream of the hybrid agent', () => {
  it('sends each part when its agent has answered, in any order', async () => {
    const first = Promise.withResolvers<void>();
    const analytics: Agent = async (query, call) => {
      await first.promise;
      return saying('analytics')(query, call);
    };
    const { app } = await hybridWith({ analytics });
    // The shop answers only after the part of the knowledge base was received.
    const onEvent = ({ type }: ProgressEvent) => void (type === 'statement' && first.resolve());
    const { events, reply, contentType } = await followed(app, 'hybrid', { onEvent });
    expect(contentType).toBe('text/event-stream; charset=utf-8');
    const librarians = [
      { id: 'analytics', query: 'How many iPhone 17 are in stock' },
      { id: 'semantic', query: 'what does the return policy say about opened boxes?' },
    ];
    expect(events.slice(0, 2)).toEqual([
      { type: 'searching', librarian: 'hybrid' },
      { type: 'routing', librarians },
    ]);
    expect(statementsIn(events)).toMatchObject([
      { index: 0, librarian: 'semantic', text: POLICY, check: 'reported' },
      {
        index: 1,
        librarian: 'analytics',
        text: STOCK,
        sources: [{ name: 'clic products' }],
        support: 0.9,
      },
    ]);
    expect(reply.result.synthesis).toBe(`${STOCK} ${POLICY}`);
    const { reply: plain } = await askAgent(app, {
      type: 'hybrid',
      body: { query: QUESTION },
      context: allowed(),
    });
    expect(withoutRunMetadata(reply)).toEqual(withoutRunMetadata(plain));
  });
  it('names the missing part', async () => {
    const { app } = await hybridWith({ semantic: 'down' });
    const { events } = await followed(app, 'hybrid');
    expect(statementsIn(events)).toMatchObject([
      { index: 0, text: STOCK },
      {
        index: 1,
        text: expect.stringContaining('No answer to “what does the return policy say'),
        sources: [],
      },
    ]);
  });
  it('withdraws the parts when the text of a model replaces them', async () => {
    const text = 'There are 50 units in stock, and returns are allowed within 14 days of purchase.';
    const quotes = [
      { passage: 'p1', quote: '50 units in stock' },
      { passage: 'p2', quote: 'allows returns within 14 days of purchase' },
    ];
    const joined = { parts: [], statements: [{ part: 1, quotes, text }], missing: '', related: [] };
    const { app } = await hybridWith({}, { ai: scriptedModel({ text: JSON.stringify(joined) }) });
    const { events, reply } = await followed(app, 'hybrid');
    expect(reply.metadata.synthesis_by).toBe('model');
    const sent = events.filter(({ type }) => type === 'statement' || type === 'removed');
    expect(sent).toMatchObject([
      { type: 'statement', index: 0 },
      { type: 'statement', index: 1 },
      { type: 'removed', index: 0 },
      { type: 'removed', index: 1 },
      {
        type: 'statement',
        index: 2,
        text: reply.result.synthesis,
        sources: expect.arrayContaining([{ name: 'clic products' }]),
      },
    ]);
  });
  it('stops every branch when the caller disconnects', async () => {
    const signals: AbortSignal[] = [];
    const left = new AbortController();
    const waits: Agent = (_, { signal }) => {
      if (signals.push(signal) === 2) left.abort();
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('stopped'))),
      );
    };
    const { app } = await hybridWith({ analytics: waits, semantic: waits });
    await followed(app, 'hybrid', { signal: left.signal });
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});

describe('The stream of the semantic agent', () => {
  const { edition } = openSmallKb();
  const place = { name: 'Descale the boiler', file: 'care/descale.md', section: 'How often' };
  const QUOTE = 'Descale the boiler every 60 days, or every 30 days with hard water.';
  /** Follows an answer without a model, or with one that states a text and is judged. */
  const answered = async (text?: string, isSupported = true) => {
    const ai = text === undefined ? undefined : scriptedModel(replyOf([{ text, quote: QUOTE }]));
    if (ai && !isSupported) ai.judge = judging(() => false);
    const options = {
      ...(await identityOf('semantic')),
      log: () => undefined,
      editionFor: async () => edition,
      ai,
    };
    return followed(createApp(options), 'semantic', {
      body: { query: 'How often must the boiler be descaled?' },
    });
  };

  it('sends the passages, and each quote with its source', async () => {
    const { events, reply } = await answered();
    const [searching, passages, ...statements] = events;
    expect(searching).toEqual({ type: 'searching', librarian: 'semantic', edition: edition.id });
    const { name, section } = place;
    expect(passages).toMatchObject({
      type: 'passages',
      passages: [{ name, section, relevance: expect.any(Number) }],
    });
    expect(statements).toMatchObject([{ index: 0, check: 'quoted', support: 1, sources: [place] }]);
    expect(reply.result.summary).toBe(
      (statementsIn(statements)[0]?.text ?? '').replaceAll('\\', ''),
    );
  });
  it('sends the statements of a model as they are checked', async () => {
    const { events, reply } = await answered(
      'The boiler is to be descaled every 60 days, with hard water every 30 days.',
    );
    expect(statementsIn(events)).toMatchObject([{ text: reply.result.summary, sources: [place] }]);
    expect(reply.metadata.summary_by).toBe('model');
  });
  it('sends the quotes when the model is not supported', async () => {
    const { events, reply } = await answered('Never descale the boiler every 60 days.', false);
    expect([reply.metadata.summary_by, statementsIn(events).map(({ check }) => check)]).toEqual([
      'quotes',
      ['quoted'],
    ]);
  });
});
it('The stream of any agent sends the whole answer as one statement when the agent names no parts', async () => {
  const { events } = await followed(await serve(async () => ANSWERS.analytics), 'analytics');
  const whole = {
    type: 'statement',
    index: 0,
    librarian: 'analytics',
    text: STOCK,
    check: 'reported',
  };
  expect(events).toMatchObject([whole]);
});
it('The stream of any agent ends with an error when the agent fails later', async () => {
  const app = await serve(async (_, { progress }) => {
    progress?.({ type: 'searching' });
    throw new CodedError('SERVICE_UNAVAILABLE', 'x');
  });
  const { contentType, reply, status } = await followed(app, 'analytics');
  expect([contentType, status]).toEqual(['text/event-stream; charset=utf-8', 503]);
  expect(reply.metadata.error_code).toBe('SERVICE_UNAVAILABLE');
});
