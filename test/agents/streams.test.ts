import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import { createApp } from '../../src/agents/semantic/semantic-agent.ts';
import type { ProgressEvent } from '../../src/contract/ask.ts';
import type { AIClient } from '../../src/contract/librarian.ts';
import { CodedError } from '../../src/http/coded-error.ts';
import { judging, replyOf, scriptedModel } from '../navigator/scripted-model.ts';
import { openSmallKb } from '../navigator/small-kb.ts';
import { type App, callFrom, identityOf, targetOf } from '../signing/callers.ts';
import { ANSWERS, askAgent, serve } from './agents-for-test.ts';
import { allowed, hybridWith, saying } from './hybrid/hybrid-for-test.ts';

const QUESTION = 'How many iPhone 17 are in stock and what does the return policy say about opened boxes?';
const STOCK = 'The iPhone 17 has 50 units in stock.';
const POLICY = 'Our return policy allows returns within 14 days of purchase.';

interface Following {
  body?: object;
  signal?: AbortSignal;
  onEvent?: (event: ProgressEvent) => void;
}

/** Reads the stream of an agent over the signed route; returns its events and the final reply. */
const followed = async (app: App, id: string, { body = { query: QUESTION }, signal, onEvent }: Following = {}) => {
  const events: ProgressEvent[] = [];
  let contentType = '';
  const { target } = targetOf(app, (response) => {
    contentType = response.headers.get('content-type') ?? '';
    return response;
  });
  const progress = (event: ProgressEvent): void => {
    events.push(event);
    onEvent?.(event);
  };
  const request = { to: id, path: `/v1/agents/${id.replace('-', '_')}`, body, signal, progress };
  const { answer } = await callFrom('gateway', allowed(), { targets: { [id]: target }, request });
  // biome-ignore lint/suspicious/noExplicitAny: tests check replies of any shape
  const reply: any = answer.ok ? answer.json() : undefined;
  return { events, contentType, reply, status: answer.ok ? answer.status : undefined };
};

const statementsIn = (events: readonly ProgressEvent[]) => events.filter((event) => event.type === 'statement');

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
    expect(events.slice(0, 2)).toEqual([
      { type: 'searching', librarian: 'hybrid' },
      {
        type: 'routing',
        librarians: [
          { id: 'analytics', query: 'How many iPhone 17 are in stock' },
          { id: 'semantic', query: 'what does the return policy say about opened boxes?' },
        ],
      },
    ]);
    expect(statementsIn(events)).toMatchObject([
      { index: 0, librarian: 'semantic', text: POLICY, check: 'reported' },
      { index: 1, librarian: 'analytics', text: STOCK, sources: [{ name: 'clic_products' }], support: 0.9 },
    ]);
    expect(reply.result.synthesis).toBe(`${STOCK} ${POLICY}`);
  });

  it('ends with the same reply as a call without a stream', async () => {
    const { app } = await hybridWith();
    const { reply } = await askAgent(app, { type: 'hybrid', body: { query: QUESTION }, context: allowed() });
    expect(withoutRunMetadata((await followed(app, 'hybrid')).reply)).toEqual(withoutRunMetadata(reply));
  });

  it('names the missing part', async () => {
    const { app } = await hybridWith({ semantic: 'down' });
    const { events } = await followed(app, 'hybrid');
    expect(statementsIn(events)).toMatchObject([
      { index: 0, text: STOCK },
      { index: 1, text: expect.stringContaining('Not answered: “what does the return policy say'), sources: [] },
    ]);
  });

  it('withdraws the parts when the text of a model replaces them', async () => {
    const joined = 'There are 50 units in stock, and returns are allowed within 14 days of purchase.';
    const ai = scriptedModel({
      text: JSON.stringify({
        statements: [
          {
            quotes: [
              { passage: 'p1', quote: '50 units in stock' },
              { passage: 'p2', quote: 'allows returns within 14 days of purchase' },
            ],
            text: joined,
          },
        ],
        verdict: 'answer',
        confidence: 'high',
      }),
    });
    const { app } = await hybridWith({}, { ai });
    const { events, reply } = await followed(app, 'hybrid');
    expect(reply.metadata.synthesis_by).toBe('model');
    const sent = events.filter(({ type }) => type === 'statement' || type === 'removed');
    expect(sent.map((event) => [event.type, 'index' in event && event.index])).toEqual([
      ...[0, 1].map((index) => ['statement', index]),
      ...[0, 1].map((index) => ['removed', index]),
      ['statement', 2],
    ]);
    expect(sent.at(-1)).toMatchObject({
      text: reply.result.synthesis,
      sources: expect.arrayContaining([{ name: 'clic_products' }]),
    });
  });

  it('stops every branch when the caller disconnects', async () => {
    const stopped: string[] = [];
    const left = new AbortController();
    let open = 0;
    const waits =
      (type: string): Agent =>
      (_, { signal }) => {
        const { promise, reject } = Promise.withResolvers<never>();
        signal.addEventListener('abort', () => {
          stopped.push(type);
          reject(new Error('stopped'));
        });
        open += 1;
        if (open === 2) left.abort();
        return promise;
      };
    const { app } = await hybridWith({ analytics: waits('analytics'), semantic: waits('semantic') });
    await followed(app, 'hybrid', { signal: left.signal });
    await expect.poll(() => stopped.toSorted()).toEqual(['analytics', 'semantic']);
  });
});

describe('The stream of the semantic agent', () => {
  const { edition } = openSmallKb();
  const body = { query: 'How often must the boiler be descaled?' };
  const place = { name: 'Descale the boiler', file: 'care/descale.md', section: 'How often' };
  const appOf = async (ai?: AIClient) =>
    createApp({ ...(await identityOf('semantic')), log: () => undefined, editionFor: async () => edition, ai });

  it('sends the passages, and each quote with its source', async () => {
    const { events, reply } = await followed(await appOf(), 'semantic', { body });
    const [searching, passages, ...statements] = events;
    expect(searching).toEqual({ type: 'searching', librarian: 'semantic', edition: edition.id });
    const { name, section } = place;
    expect(passages).toMatchObject({ type: 'passages', passages: [{ name, section, relevance: expect.any(Number) }] });
    expect(statements).toMatchObject([{ index: 0, check: 'quoted', support: 1, sources: [place] }]);
    expect(reply.result.summary).toBe((statementsIn(statements)[0]?.text ?? '').replaceAll('\\', ''));
  });

  const TEXT = 'The boiler is to be descaled every 60 days, with hard water every 30 days.';
  const QUOTE = 'Descale the boiler every 60 days, or every 30 days with hard water.';

  it('sends the statements of a model as they are checked', async () => {
    const ai = scriptedModel(replyOf([{ text: TEXT, quote: QUOTE }]));
    const { events, reply } = await followed(await appOf(ai), 'semantic', { body });
    expect(statementsIn(events)).toMatchObject([{ text: reply.result.summary, sources: [place] }]);
    expect(reply.metadata.summary_by).toBe('model');
  });

  it('sends the quotes when the model is not supported', async () => {
    const ai = scriptedModel(replyOf([{ text: 'Never descale the boiler every 60 days.', quote: QUOTE }]));
    ai.judge = judging(() => false);
    const { events, reply } = await followed(await appOf(ai), 'semantic', { body });
    expect([reply.metadata.summary_by, statementsIn(events).map(({ check }) => check)]).toEqual(['quotes', ['quoted']]);
  });
});

describe('The stream of any agent', () => {
  it('sends the whole answer as one statement when the agent names no parts', async () => {
    const { events } = await followed(await serve(async () => ANSWERS.analytics), 'analytics');
    expect(events).toMatchObject([
      { type: 'statement', index: 0, librarian: 'analytics', text: STOCK, check: 'reported' },
    ]);
  });

  it.each<[string, object]>([
    ['no question', {}],
    ['an unknown member', { query: 'x', colour: 1 }],
    ['an option that is out of range', { query: 'x', options: { limit: 900 } }],
  ])('does not start for a request with %s: the failure has its status', async (_, body) => {
    const { edition } = openSmallKb();
    const options = { ...(await identityOf('semantic')), log: () => undefined, editionFor: async () => edition };
    const { events, contentType, status } = await followed(createApp(options), 'semantic', { body });
    expect([status, contentType, events]).toEqual([400, 'application/json', []]);
  });

  it('ends with an error when the agent fails later', async () => {
    const app = await serve(async (_, { progress }) => {
      progress?.({ type: 'searching' });
      throw new CodedError('SERVICE_UNAVAILABLE', 'x');
    });
    const { contentType, reply, status } = await followed(app, 'analytics');
    expect([contentType, status]).toEqual(['text/event-stream; charset=utf-8', 503]);
    expect(reply.metadata.error_code).toBe('SERVICE_UNAVAILABLE');
  });
});
