import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Statement } from '../../src/contract/ask.ts';
import type { AIClient, Librarian, LibrarianInfo } from '../../src/contract/librarian.ts';
import { LibrarianResponse } from '../../src/contract/response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { createLibrarians } from '../../src/delegation/librarian-directory.ts';
import { createAsk, createAsking } from '../../src/gateway/ask.ts';
import { errorOf, errorResponse, GatewayError } from '../../src/gateway/gateway-error.ts';
import type { GatewayEnv } from '../../src/gateway/request-log.ts';
import { serveLibrarian } from '../../src/runtime/serve-librarian.ts';
import { signedClient, type Target } from '../../src/runtime/signed-client.ts';
import { randomHex } from '../../src/signing/encoding.ts';
import { identityOf } from '../signing/callers.ts';
import { LIBRARIANS } from './concierge/decide.ts';

const NOT_HERE = { code: 'NOT_FOUND' as const, message: 'Cannot find the page', suggestion: 'Ask for another page' };
const answering =
  (answer: string): Librarian =>
  async () => ({ answer, confidence: 0.9, sources: [{ name: `Source of ${answer}`, relevance: 0.9 }] });

let asked: { id: string; query: string; capabilities: readonly string[] | undefined; timeout: number | undefined }[];

beforeEach(() => {
  asked = [];
});

/** The gateway's route in front of real librarians, over signed calls with receipts. */
const start = async ({
  librarians = {},
  infos = LIBRARIANS,
  capabilities = ['kb:read', 'sql:read', 'web:search'],
  own = infos.map(({ id }) => id),
  onReply = (reply) => reply,
  ai,
}: {
  librarians?: Record<string, Librarian>;
  infos?: readonly LibrarianInfo[];
  capabilities?: string[];
  own?: string[];
  /** Changes the reply of a librarian. */
  onReply?: (reply: Response) => Response;
  ai?: AIClient;
} = {}) => {
  const targets: Record<string, Target> = {};
  for (const info of infos) {
    const librarian: Librarian = async (query, context) => {
      const { user, timeout } = context ?? {};
      asked.push({ id: info.id, query, capabilities: user?.capabilities, timeout });
      return (librarians[info.id] ?? answering(info.id))(query, context);
    };
    const app = serveLibrarian(librarian, info, { ...(await identityOf(info.id)), log: () => {} });
    targets[info.id] = { fetch: async (request) => onReply(await app.fetch(request)) };
  }
  const identity = await identityOf('gateway');
  const app = new Hono<GatewayEnv>();
  app.use(async (c, next) => {
    c.set('traceId', randomHex(16));
    c.set('apiKey', { id: '0123456789abcdef', name: 'test', workspaces: ['acme'], capabilities, rate: 'unlimited' });
    await next();
  });
  app.post(
    '/v1/ask',
    createAsk(
      createAsking({
        client: signedClient({ ...identity, targets, log: () => {} }),
        directory: identity.directory,
        librarians: createLibrarians({ targets, own }),
        ai,
        log: () => {},
      }),
    ),
  );
  app.onError((error) => {
    if (error instanceof GatewayError) return errorResponse(errorOf(error.code, error.reported));
    throw error;
  });
  const request = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
    app.request('/v1/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const ask = async (body: Record<string, unknown>) => {
    const response = await request(body);
    return { status: response.status, headers: response.headers, body: LibrarianResponse.parse(await response.json()) };
  };
  return Object.assign(ask, {
    stream: (body: Record<string, unknown>) => request(body, { accept: 'text/event-stream' }),
  });
};

/** The events of a stream as they arrive. */
async function* eventsOf(response: Response): AsyncGenerator<{ name: string; data: Record<string, unknown> }> {
  let text = '';
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + part).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (name !== undefined && data !== undefined) yield { name, data: JSON.parse(data) };
    }
  }
}

/** One line per hop: caller, target, outcome. */
const hopsOf = ({ metadata }: LibrarianResponse) =>
  ((metadata?.trace as { hops: { from: string; to: string; outcome: string; verified: boolean }[] })?.hops ?? []).map(
    ({ from, to, outcome, verified }) => `${from} > ${to}: ${outcome}${verified ? '' : ', not verified'}`,
  );

describe('POST /v1/ask through the concierge', () => {
  it.each([{}, { librarian: 'concierge' }])('finds the librarian with %j', async (named) => {
    const ask = await start();
    const { status, body } = await ask({ query: 'How many fans are in stock?', ...named });
    expect(status).toBe(200);
    expect(body).toMatchObject({ answer: 'analytics', confidence: 0.9 });
    expect(hopsOf(body)).toEqual(['gateway > analytics: answer']);
    expect(asked).toMatchObject([{ id: 'analytics', query: 'How many fans are in stock?' }]);
    expect(validateResponse(body)).toMatchObject({ ok: true });
  });

  it('asks several in parallel, and keeps the part of each', async () => {
    const ask = await start();
    const { body } = await ask({ query: 'How many fans are in stock? How do I reset my password?' });
    expect(asked.map(({ id, query }) => [id, query]).sort()).toEqual([
      ['analytics', 'How many fans are in stock?'],
      ['navigator', 'How do I reset my password?'],
    ]);
    expect(body.metadata?.parts).toMatchObject([{ librarian: 'analytics' }, { librarian: 'navigator' }]);
    expect(hopsOf(body)).toHaveLength(2);
  });

  it('falls back to the default librarian when the specialist fails', async () => {
    const ask = await start({ librarians: { analytics: async () => ({ error: NOT_HERE }) } });
    const { body } = await ask({ query: 'How many fans are in stock?' });
    expect(body.answer).toBe('navigator');
    expect(hopsOf(body)).toEqual(['gateway > analytics: NOT_FOUND', 'gateway > navigator: answer']);
  });

  it('routes only to librarians that the key permits, and delegates no write rights', async () => {
    const ask = await start({ capabilities: ['kb:*'] });
    await ask({ query: 'How many fans are in stock?' });
    expect(asked).toMatchObject([{ id: 'navigator', capabilities: ['kb:read'] }]);
  });

  it('does not route to an external librarian, but asks it when it is named', async () => {
    const ask = await start({ own: ['navigator'] });
    await ask({ query: 'How many fans are in stock?' });
    await ask({ query: 'How many fans are in stock?', librarian: 'analytics' });
    expect(asked.map(({ id }) => id)).toEqual(['navigator', 'analytics']);
  });

  it('answers within timeout_ms, and passes the remaining time to librarians', async () => {
    const ask = await start({ librarians: { navigator: () => new Promise(() => {}) } });
    const { status, body } = await ask({ query: 'How do I reset my password?', timeout_ms: 300 });
    expect([status, body.error?.code]).toEqual([504, 'TIMEOUT']);
    expect(asked[0]?.timeout).toBeLessThan(300);
  });
});

describe('POST /v1/ask with a question without an answer', () => {
  const QUESTION = 'Which team won the cup in 1974?';
  const closest = [{ title: 'The cup', url: 'https://kb.example/cup', heading: 'History' }];
  const declined: LibrarianResponse = {
    answer: "I don't have information about this. The closest article is [The cup](https://kb.example/cup).",
    sources: [],
    confidence: 0.1,
    partial: true,
    metadata: { closest, navigator: { outOfDomain: true } },
  };

  it('returns the abstention of the librarian, with the closest articles', async () => {
    const ask = await start({ librarians: { navigator: async () => declined } });
    const { status, body } = await ask({ query: QUESTION });
    expect(status).toBe(200);
    expect(body).toMatchObject(declined);
    expect(hopsOf(body)).toEqual(['gateway > navigator: partial']);
    expect(validateResponse(body)).toMatchObject({ ok: true, warnings: [] });
  });

  it.each([{}, { librarian: 'navigator' }])('declines in the same form for NOT_FOUND with %j', async (named) => {
    const ask = await start({ librarians: { navigator: async () => ({ error: NOT_HERE }) } });
    const { status, body } = await ask({ query: QUESTION, ...named });
    expect(status).toBe(200);
    expect(body).toMatchObject({ sources: [], partial: true, confidence: 0, metadata: { closest: [] } });
    expect(body.answer).toMatch(/^I found nothing/);
    expect(body.error).toBeUndefined();
    expect(validateResponse(body)).toMatchObject({ ok: true, warnings: [] });
  });

  it('names the unanswered part of a message, and keeps the closest articles', async () => {
    const ask = await start({ librarians: { navigator: async () => declined } });
    const { status, body } = await ask({ query: 'How many fans are in stock? Who won the cup in 1974?' });
    expect([status, body.partial]).toEqual([200, true]);
    expect(body.answer).toContain('analytics');
    expect(body.answer).toContain(
      'I found nothing about “Who won the cup in 1974?”. The closest articles: [The cup](https://kb.example/cup).',
    );
    expect(body.metadata?.closest).toEqual(closest);
  });

  it('returns the error of the chosen librarian when it fails and no other fits', async () => {
    const unavailable = { ...NOT_HERE, code: 'SERVICE_UNAVAILABLE' as const };
    const librarians = { analytics: async () => ({ error: unavailable }), navigator: async () => declined };
    const { status, body } = await (await start({ librarians }))({ query: 'How many fans are in stock?' });
    expect([status, body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const { body: found } = await (
      await start({ librarians: { ...librarians, analytics: async () => ({ error: NOT_HERE }) } })
    )({ query: 'How many fans are in stock?' });
    expect(found).toMatchObject({ answer: declined.answer, metadata: { closest } });
  });

  it('names the missing rights when no librarian is permitted', async () => {
    const ask = await start({ capabilities: ['memory:read'] });
    const { status, body } = await ask({ query: QUESTION });
    expect([status, body.error?.code, asked]).toEqual([401, 'UNAUTHORIZED', []]);
  });
});

describe('POST /v1/ask with a librarian named', () => {
  it('asks it, whatever the subject of the question, and adds the trace', async () => {
    const ask = await start();
    const { body } = await ask({ query: 'How many fans are in stock?', librarian: 'semantic' });
    expect(body.answer).toBe('semantic');
    expect(hopsOf(body)).toEqual(['gateway > semantic: answer']);
  });

  it('returns its error with the status of its code, and the trace', async () => {
    const ask = await start({
      librarians: { semantic: async () => ({ error: { ...NOT_HERE, code: 'SERVICE_UNAVAILABLE' } }) },
    });
    const { status, headers, body } = await ask({ query: 'Find pages', librarian: 'semantic' });
    expect([status, body.error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(headers.get('Retry-After')).toMatch(/^\d+$/);
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(hopsOf(body).at(-1)).toContain('SERVICE_UNAVAILABLE');
  });

  it.each(['oracle', 'gateway', 'library', 'constructor'])(
    'refuses %s, which is not a librarian',
    async (librarian) => {
      const ask = await start();
      const { status, body } = await ask({ query: 'x', librarian });
      expect([status, body.error?.code]).toEqual([404, 'NOT_FOUND']);
      expect(body.error?.suggestion).toContain('concierge, navigator');
      expect(asked).toEqual([]);
    },
  );
});

describe('POST /v1/ask with a follow-up question that a model rewrites', () => {
  const HISTORY = [
    { speaker: 'user', text: 'Which miner is the quietest for a bedroom?' },
    { speaker: 'assistant', text: 'The Zephyr 900. In April 48211 dollars were paid for it.' },
  ];
  const rewriting = (question: string): AIClient => ({
    model: 'writer-1',
    complete: async () => ({ text: JSON.stringify({ question }) }),
  });

  it.each([
    ['with words of the user, with web:search', 'What does the quietest miner cost elsewhere?', true],
    ['with words of an answer, without web:search', 'What does the Zephyr 900 cost elsewhere?', false],
    ['with a figure of an answer, without web:search', 'What does the quietest miner cost elsewhere, 48211?', false],
  ])('asks it %s', async (_, written, may) => {
    const ask = await start({ ai: rewriting(written) });
    const question = { query: 'What does it cost elsewhere?', metadata: { history: HISTORY }, librarian: 'hybrid' };
    await ask(question);
    expect(asked.map(({ id, query }) => [id, query])).toEqual([['hybrid', written]]);
    expect(asked[0]?.capabilities?.toSorted()).toEqual(['kb:read', 'sql:read', ...(may ? ['web:search'] : [])]);
  });
});

describe('POST /v1/ask as a stream of events', () => {
  const QUERY = { query: 'Find pages', librarian: 'semantic' };
  const part = (text: string): Statement => ({
    text,
    sources: [{ name: 'Fans', file: 'fans.md', quote: text, start: 0, end: text.length }],
    support: 1,
    check: 'quoted',
  });
  const parts = ['Fans are quiet.', 'They last five years.'].map(part);
  const answer = { answer: parts.map(({ text }) => text).join(' '), confidence: 0.9, metadata: { statements: parts } };
  const namesOf = async (response: Response) => (await Array.fromAsync(eventsOf(response))).map(({ name }) => name);

  it('sends each statement while the librarian is working, and ends with the response of a plain call', async () => {
    const gate = Promise.withResolvers<void>();
    const semantic: Librarian = async (_, context) => {
      context?.progress?.({ type: 'searching', edition: 'e1' });
      for (const [index, statement] of parts.entries()) {
        if (index > 0) await gate.promise;
        context?.progress?.({ type: 'statement', index, ...statement });
      }
      return answer;
    };
    const ask = await start({ librarians: { semantic } });
    const response = await ask.stream(QUERY);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events = eventsOf(response);
    const seen = [];
    for await (const event of events) {
      seen.push(event);
      if (event.name === 'statement') gate.resolve();
    }
    expect(seen.map(({ name }) => name)).toEqual([
      'routing',
      'searching',
      'statement',
      'statement',
      'metadata',
      'done',
    ]);
    expect(seen[2]?.data).toEqual({ type: 'statement', index: 0, librarian: 'semantic', ...parts[0] });
    const { body } = await ask(QUERY);
    const done = LibrarianResponse.parse(seen.at(-1)?.data);
    expect(hopsOf(done)).toEqual(hopsOf(body));
    expect({ ...done, metadata: { ...done.metadata, trace: 0 } }).toEqual({
      ...body,
      metadata: { ...body.metadata, trace: 0 },
    });
  });

  it('sends unreported statements, and removes those that the answer does not contain', async () => {
    const ask = await start({
      librarians: {
        semantic: async (_, context) => {
          context?.progress?.({ type: 'statement', index: 0, ...part('Fans are loud.') });
          return answer;
        },
      },
    });
    const events = await Array.fromAsync(eventsOf(await ask.stream(QUERY)));
    expect(events.slice(1, -2).map(({ name, data }) => [name, data.index, data.text])).toEqual([
      ['statement', 0, 'Fans are loud.'],
      ['removed', 0, 'Fans are loud.'],
      ['statement', 1, parts[0]?.text],
      ['statement', 2, parts[1]?.text],
    ]);
  });

  it('sends an answer without reported statements as one statement, and a joined answer once it is complete', async () => {
    const ask = await start();
    expect(await namesOf(await ask.stream(QUERY))).toEqual(['routing', 'statement', 'metadata', 'done']);
    const both = await ask.stream({ query: 'How many fans are in stock? How do I reset my password?' });
    const [routing, statement] = await Array.fromAsync(eventsOf(both));
    expect(routing?.data.librarians).toHaveLength(2);
    expect(statement?.data.text).toMatch(/analytics[\s\S]*navigator|navigator[\s\S]*analytics/);
  });

  it('ends with an error when a plain call has one, and refuses a bad request before the stream starts', async () => {
    const ask = await start({ librarians: { semantic: async () => ({ error: NOT_HERE }) } });
    const events = await Array.fromAsync(eventsOf(await ask.stream({ ...QUERY, librarian: 'analytics' })));
    expect(events.at(-1)?.name).toBe('done');
    const refused = await ask.stream({ query: '' });
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/json']);
    const failing = await start({
      librarians: { semantic: async () => ({ error: { ...NOT_HERE, code: 'SERVICE_UNAVAILABLE' } }) },
    });
    const failed = await Array.fromAsync(eventsOf(await failing.stream(QUERY)));
    expect(failed.at(-1)).toMatchObject({ name: 'error', data: { error: { code: 'SERVICE_UNAVAILABLE' } } });
  });

  it('rejects a stream that was changed in transit or ends early', async () => {
    const changed = (change: (text: string) => string) =>
      start({
        librarians: { semantic: async () => answer },
        onReply: (reply) =>
          new Response(
            reply.body
              ?.pipeThrough(new TextDecoderStream())
              .pipeThrough(new TransformStream<string, string>({ transform: (text, to) => to.enqueue(change(text)) }))
              .pipeThrough(new TextEncoderStream()),
            reply,
          ),
      });
    for (const change of [
      (text: string) => text.replaceAll('quiet', 'loud'),
      (text: string) => (text.includes('event: receipt') ? '' : text),
      (text: string) => text.replace('event: receipt', 'event: statement\ndata: {}\n\nevent: receipt'),
    ]) {
      const ask = await changed(change);
      const events = await Array.fromAsync(eventsOf(await ask.stream(QUERY)));
      expect(events.at(-1)).toMatchObject({ name: 'error', data: { error: { code: 'DELEGATION_FAILED' } } });
    }
  });

  it('stops every librarian when the client disconnects', async () => {
    const running = new Set<string>();
    const all = Promise.withResolvers<void>();
    const hanging =
      (id: string): Librarian =>
      (_, context) =>
        new Promise((resolve) => {
          running.add(id);
          context?.signal?.addEventListener('abort', () => {
            running.delete(id);
            if (running.size === 0) all.resolve();
            resolve(answer);
          });
          context?.progress?.({ type: 'searching' });
        });
    const ask = await start({ librarians: { analytics: hanging('analytics'), navigator: hanging('navigator') } });
    const both = await ask.stream({ query: 'How many fans are in stock? How do I reset my password?' });
    for await (const { name } of eventsOf(both)) if (name === 'searching' && running.size === 2) break;
    await all.promise;
  });
});
