import { describe, expect, it } from 'vitest';
import type { Statement } from '../../../src/contract/core/ask.ts';
import type { AIClient, Librarian } from '../../../src/contract/core/librarian.ts';
import { LibrarianResponse } from '../../../src/contract/core/response.ts';
import { validateResponse } from '../../../src/contract/core/validate-response.ts';
import { withUsage } from '../../../src/gateway/ask/ask.ts';
import type { serveLibrarian } from '../../../src/librarians/serve/serve-librarian.ts';
import type { Amounts } from '../../../src/platform/context/limits.ts';
import { LIBRARIANS } from '../../librarians/concierge/decide.ts';
import { READER, startGateway } from '../gateway-for-test.ts';

type ServedLibrarian = Parameters<typeof serveLibrarian>[0];

type Options = Parameters<typeof startGateway>[0] & { capabilities?: string[] };

/** The gateway in front of five librarians, each of which answers with its id. */
const start = ({
  capabilities = ['kb:read', 'sql:read', 'web:search'],
  ...options
}: Options = {}) =>
  startGateway({ infos: LIBRARIANS, keys: { [READER]: { capabilities } }, ...options });

const failing =
  (code: 'NOT_FOUND' | 'SERVICE_UNAVAILABLE'): Librarian =>
  async () => ({
    error: { code, message: 'Cannot find the page', suggestion: 'Ask for another page' },
  });

const STOCK = 'How many fans are in stock?';
const PASSWORD = 'How do I reset my password?';

/** One line per hop: caller, target, outcome. */
const hopsOf = ({ metadata }: LibrarianResponse) =>
  (
    (
      metadata?.trace as {
        hops: { from: string; to: string; outcome: string; verified: boolean }[];
      }
    )?.hops ?? []
  ).map(
    ({ from, to, outcome, verified }) =>
      `${from} > ${to}: ${outcome}${verified ? '' : ', not verified'}`,
  );

describe('POST /v1/ask', () => {
  const QUESTION = 'Which team won the cup in 1974?';
  const closest = [{ title: 'The cup', url: 'https://kb.example/cup', heading: 'History' }];
  const declined: LibrarianResponse = {
    answer:
      "I don't have information about this. The closest article is [The cup](https://kb.example/cup).",
    sources: [],
    confidence: 0.1,
    partial: true,
    metadata: { closest, navigator: { outOfDomain: true } },
  };
  const declines = { navigator: async () => declined };
  const nothing = {
    answer: expect.stringMatching(/^I found nothing/),
    sources: [],
    partial: true,
    confidence: 0,
  };
  const abstention = { ...nothing, metadata: { closest: [] } };
  const closing = { answer: declined.answer, metadata: { closest } };
  const unavailable = { error: { code: 'SERVICE_UNAVAILABLE' } };
  const broken = { analytics: failing('SERVICE_UNAVAILABLE') };
  const unfound = { analytics: failing('NOT_FOUND'), navigator: failing('NOT_FOUND') };
  const [noneOr, downOr] = [
    { ...unfound, ...declines },
    { ...broken, ...declines },
  ];
  const DOWN = 'analytics: SERVICE_UNAVAILABLE';
  const NONE = 'navigator: NOT_FOUND';
  const BY_ANALYTICS = { answer: 'analytics', confidence: 0.9 };

  it.each<[string, Record<string, Librarian>, string, string | undefined, object, string[]]>([
    ['finds the librarian', {}, STOCK, undefined, BY_ANALYTICS, ['analytics: answer']],
    [
      'finds it for the concierge by name',
      {},
      STOCK,
      'concierge',
      BY_ANALYTICS,
      ['analytics: answer'],
    ],
    [
      'asks another that is named',
      {},
      STOCK,
      'semantic',
      { answer: 'semantic' },
      ['semantic: answer'],
    ],
    [
      'falls back to the default',
      broken,
      STOCK,
      undefined,
      { answer: 'navigator' },
      [DOWN, 'navigator: answer'],
    ],
    [
      'abstains with its librarian',
      declines,
      QUESTION,
      undefined,
      declined,
      ['navigator: partial'],
    ],
    ['abstains for NOT_FOUND', unfound, QUESTION, undefined, abstention, [NONE]],
    ['abstains for NOT_FOUND when named', unfound, QUESTION, 'navigator', abstention, [NONE]],
    [
      'abstains when no other fits',
      noneOr,
      STOCK,
      undefined,
      closing,
      ['analytics: NOT_FOUND', 'navigator: partial'],
    ],
    [
      'fails when no other fits',
      downOr,
      STOCK,
      undefined,
      unavailable,
      [DOWN, 'navigator: partial'],
    ],
    ['fails when a named one fails', broken, STOCK, 'analytics', unavailable, [DOWN]],
  ])(
    '%s, with status, trace and a valid response',
    async (_, librarianOf, query, librarian, response, hops) => {
      const { ask } = await start({ librarianOf });
      const { status, headers, body } = await ask({ query, librarian });
      expect(body).toMatchObject(response);
      expect(hopsOf(body)).toEqual(hops.map((hop) => `gateway > ${hop}`));
      const isAnswered = response !== unavailable;
      expect(validateResponse(body)).toMatchObject({
        ok: true,
        ...(isAnswered && { warnings: [] }),
      });
      const outcome = isAnswered ? [200, true, false] : [503, false, true];
      expect([status, body.error === undefined, headers.has('Retry-After')]).toEqual(outcome);
      expect(headers.get('Content-Type')).toBe('application/json');
    },
  );
  it('asks several in parallel, and keeps the part of each', async () => {
    const { ask, asked } = await start();
    const { body } = await ask({ query: `${STOCK} ${PASSWORD}` });
    const questions = asked.map(({ id, query }) => `${id}: ${query}`).sort();
    expect(questions).toEqual([`analytics: ${STOCK}`, `navigator: ${PASSWORD}`]);
    expect(body.metadata?.parts).toMatchObject([
      { librarian: 'analytics' },
      { librarian: 'navigator' },
    ]);
    expect(hopsOf(body)).toHaveLength(2);
  });
  it('names the unanswered part of a message, and keeps the closest articles', async () => {
    const { ask } = await start({ librarianOf: declines });
    const { status, body } = await ask({ query: `${STOCK} Who won the cup in 1974?` });
    expect([status, body]).toMatchObject([200, { partial: true, metadata: { closest } }]);
    const gap =
      'I found nothing about “Who won the cup in 1974?”. The closest articles: [The cup](https://kb.example/cup).';
    for (const text of ['analytics', gap]) expect(body.answer).toContain(text);
  });
  it('routes only to librarians that the key permits, and delegates no write rights', async () => {
    const { ask, asked } = await start({ capabilities: ['kb:*'] });
    await ask({ query: STOCK });
    expect(asked).toMatchObject([
      { id: 'navigator', context: { user: { capabilities: ['kb:read'] } } },
    ]);
    const { status, body } = await (await start({ capabilities: ['memory:read'] })).ask({
      query: STOCK,
    });
    expect([status, body.error?.code, hopsOf(body)]).toEqual([401, 'UNAUTHORIZED', []]);
  });
  it('does not route to an external librarian, but asks it when it is named', async () => {
    const { ask, asked } = await start({ own: ['navigator'] });
    await ask({ query: STOCK });
    await ask({ query: STOCK, librarian: 'analytics' });
    expect(asked.map(({ id }) => id)).toEqual(['navigator', 'analytics']);
  });
  it('answers within timeout_ms, and passes the remaining time to librarians', async () => {
    const { ask, asked } = await start({ librarianOf: { navigator: () => new Promise(() => {}) } });
    const { status, body } = await ask({ query: PASSWORD, timeout_ms: 2000 });
    expect([status, body.error?.code]).toEqual([504, 'TIMEOUT']);
    expect(asked[0]?.context?.timeout).toBeLessThan(2000);
  });
  it.each(['oracle', 'gateway', 'library', 'constructor'])(
    'refuses %s, which is no librarian',
    async (librarian) => {
      const { ask, asked } = await start();
      const suggestion =
        'Ask one of: concierge, navigator, semantic, analytics, web-search, hybrid';
      const error = { code: 'NOT_FOUND', suggestion };
      expect(await ask({ query: 'x', librarian })).toMatchObject({ status: 404, body: { error } });
      expect(asked).toEqual([]);
    },
  );
});

const history = [
  { speaker: 'user', text: 'Which miner is the quietest for a bedroom?' },
  { speaker: 'assistant', text: 'The Zephyr 900. In April 48211 dollars were paid for it.' },
];

it.each([
  [
    'with words of the user, with web:search',
    'What does the quietest miner cost elsewhere?',
    ['web:search'],
  ],
  ['with words of an answer, without web:search', 'What does the Zephyr 900 cost elsewhere?', []],
  [
    'with a figure of an answer, without web:search',
    'What does the quietest miner cost elsewhere, 48211?',
    [],
  ],
])(
  'POST /v1/ask with a follow-up question that a model rewrites asks it %s',
  async (_, question, searching) => {
    const ai = {
      model: 'writer-1',
      complete: async () => ({ text: JSON.stringify({ question }) }),
    };
    const { ask, asked } = await start({ ai });
    await ask({
      query: 'What does it cost elsewhere?',
      metadata: { history },
      librarian: 'hybrid',
    });
    expect(asked.map(({ id, query }) => [id, query])).toEqual([['hybrid', question]]);
    expect(asked[0]?.context?.user?.capabilities?.toSorted()).toEqual([
      'kb:read',
      'sql:read',
      ...searching,
    ]);
  },
);

describe('the budget of POST /v1/ask', () => {
  const model = (name: string, text: string, tokens: number, costUsd: number): AIClient => ({
    model: name,
    complete: async () => ({
      text,
      usage: { inputTokens: tokens - 40, outputTokens: 40 },
      costUsd,
    }),
  });
  /** Words alone do not route this question. */
  const UNCLEAR = 'Is the newest Galaxy a good deal?';

  /** A gateway that may route with a model, in front of librarians that use a model and record their granted budgets. */
  const startWith = async (budgets: Amounts) => {
    const granted: Record<string, Amounts> = {};
    const recording = (id: string): ServedLibrarian => ({
      forRequest: ({ context, model }) => {
        granted[id] = context.budgets;
        return async (query) => {
          const written = await model?.ai
            .complete([{ role: 'user', content: query }])
            .catch(() => undefined);
          return {
            answer: written?.text ?? 'No model.',
            confidence: 0.9,
            metadata: { usage: { calls: 99 } },
          };
        };
      },
    });
    const librarianOf = Object.fromEntries(LIBRARIANS.map(({ id }) => [id, recording(id)]));
    const gateway = await start({
      librarianOf,
      budgets,
      aiPrice: { inputPerMillion: 1, outputPerMillion: 2 },
      librarianAi: model('writer-1', 'Under the mat.', 100, 0.00015),
      ai: model('router-1', '{"librarians":["navigator"]}', 750, 0.0008),
    });
    return { ...gateway, granted };
  };

  it('is granted to the librarian of the question', async () => {
    const { ask, granted } = await startWith({ tokens: 5000, cost_micros: 9000 });
    const { body } = await ask({ query: 'Where is it?', librarian: 'semantic' });
    expect(granted.semantic).toMatchObject({ tokens: 5000, cost_micros: 9000 });
    const usage = { tokens: 100, cost_usd: 0.00015, librarian: { calls: 99 } };
    expect([body.answer, body.metadata?.usage]).toEqual(['Under the mat.', usage]);
  });
  it('pays for routing first, and grants delegates the rest', async () => {
    const { ask, granted, lines } = await startWith({ tokens: 20_000, cost_micros: 90_000 });
    const { body } = await ask({ query: UNCLEAR });
    expect(granted.navigator).toMatchObject({ tokens: 19_250, cost_micros: 89_200 });
    expect(body.metadata?.usage).toMatchObject({ tokens: 850, cost_usd: 0.00095 });
    expect(lines).toMatchObject([
      { model: 'router-1', input_tokens: 710, output_tokens: 40, cost_usd: 0.0008 },
    ]);
  });
  it('when zero, routes by words, answers with quotes, and reports no usage', async () => {
    const { ask, lines } = await startWith({ tokens: 0 });
    const { answer, metadata } = (await ask({ query: UNCLEAR })).body;
    expect([answer, metadata?.usage]).toEqual([
      'No model.',
      { tokens: 0, librarian: { calls: 99 } },
    ]);
    expect(lines[0]).not.toHaveProperty('model');
  });
  it('is reported only when a model was used, and its costs only when a model has a price', () => {
    const response = { answer: 'x' };
    expect(withUsage(response, { own: undefined, below: { tokens: 0, cost_micros: 0 } })).toBe(
      response,
    );
    const own = { model: 'm', calls: 1, inputTokens: 5, outputTokens: 2 };
    expect(withUsage(response, { own, below: {} }).metadata).toEqual({ usage: { tokens: 7 } });
  });
});

describe('POST /v1/ask as a stream of events', () => {
  const QUERY = { query: 'Find pages', librarian: 'semantic' };
  const part = (text: string): Statement => ({
    text,
    support: 1,
    check: 'quoted',
    sources: [{ name: 'Fans', file: 'fans.md', quote: text, start: 0, end: text.length }],
  });
  const parts = ['Fans are quiet.', 'They last five years.'].map(part);
  const answer = {
    answer: parts.map(({ text }) => text).join(' '),
    confidence: 0.9,
    metadata: { statements: parts },
  };

  /** The events of a stream as they arrive. */
  async function* eventsOf(
    response: Response,
  ): AsyncGenerator<{ name: string; data: Record<string, unknown> }> {
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
  const streaming = async (options?: Options, body: object = QUERY) => {
    const gateway = await start(options);
    const response = await gateway.send(
      '/v1/ask',
      { include: ['statements', 'navigator', 'trace'], ...body },
      { accept: 'text/event-stream' },
    );
    return { ...gateway, response, events: eventsOf(response) };
  };
  const eventsWith = async (options?: Options, body?: object) =>
    Array.fromAsync((await streaming(options, body)).events);

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
    const { ask, response, events } = await streaming({ librarianOf: { semantic } });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const seen = [];
    for await (const event of events) {
      seen.push(event);
      if (event.name === 'statement') gate.resolve();
    }
    const names = ['routing', 'searching', 'statement', 'statement', 'metadata', 'done'];
    expect(seen.map(({ name }) => name)).toEqual(names);
    expect(seen[2]?.data).toEqual({
      type: 'statement',
      index: 0,
      librarian: 'semantic',
      ...parts[0],
    });
    const { body } = await ask(QUERY);
    const done = LibrarianResponse.parse(seen.at(-1)?.data);
    expect(hopsOf(done)).toEqual(hopsOf(body));
    const withoutTrace = (each: LibrarianResponse) => ({
      ...each,
      metadata: { ...each.metadata, trace: 0 },
    });
    expect(withoutTrace(done)).toEqual(withoutTrace(body));
  });
  it('sends unreported statements, and removes those that the answer does not contain', async () => {
    const semantic: Librarian = async (_, context) => {
      context?.progress?.({ type: 'statement', index: 0, ...part('Fans are loud.') });
      return answer;
    };
    const events = await eventsWith({ librarianOf: { semantic } });
    expect(events.slice(1, -2).map(({ name, data }) => [name, data.index, data.text])).toEqual([
      ['statement', 0, 'Fans are loud.'],
      ['removed', 0, 'Fans are loud.'],
      ['statement', 1, parts[0]?.text],
      ['statement', 2, parts[1]?.text],
    ]);
  });
  it('sends an answer without reported statements as one statement, and a joined answer once it is complete', async () => {
    const names = (await eventsWith()).map(({ name }) => name);
    expect(names).toEqual(['routing', 'statement', 'metadata', 'done']);
    const [routing, statement] = await eventsWith({}, { query: `${STOCK} ${PASSWORD}` });
    expect(routing?.data.librarians).toHaveLength(2);
    expect(statement?.data.text).toMatch(/analytics[\s\S]*navigator|navigator[\s\S]*analytics/);
  });
  it('ends with an error when a plain call has one, and refuses a bad request before the stream starts', async () => {
    const [unfound] = (await eventsWith({ librarianOf: { semantic: failing('NOT_FOUND') } })).slice(
      -1,
    );
    expect(unfound?.name).toBe('done');
    const failed = await eventsWith({ librarianOf: { semantic: failing('SERVICE_UNAVAILABLE') } });
    expect(failed.at(-1)).toMatchObject({
      name: 'error',
      data: { error: { code: 'SERVICE_UNAVAILABLE' } },
    });
    const { response } = await streaming({}, { query: '' });
    expect([response.status, response.headers.get('content-type')]).toEqual([
      400,
      'application/json',
    ]);
  });
  it.each<[string, (text: string) => string]>([
    ['was changed in transit', (text) => text.replaceAll('quiet', 'loud')],
    ['ends early', (text) => (text.includes('event: receipt') ? '' : text)],
    [
      'goes on',
      (text) => text.replace('event: receipt', 'event: statement\ndata: {}\n\nevent: receipt'),
    ],
  ])('rejects a stream that %s', async (_, change) => {
    const onReply = (reply: Response) => {
      const changing = new TransformStream<string, string>({
        transform: (text, to) => to.enqueue(change(text)),
      });
      const body = reply.body?.pipeThrough(new TextDecoderStream()).pipeThrough(changing);
      return new Response(body?.pipeThrough(new TextEncoderStream()), reply);
    };
    const events = await eventsWith({ librarianOf: { semantic: async () => answer }, onReply });
    expect(events.at(-1)).toMatchObject({
      name: 'error',
      data: { error: { code: 'DELEGATION_FAILED' } },
    });
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
    const librarianOf = { analytics: hanging('analytics'), navigator: hanging('navigator') };
    const { events } = await streaming({ librarianOf }, { query: `${STOCK} ${PASSWORD}` });
    for await (const { name } of events) if (name === 'searching' && running.size === 2) break;
    await all.promise;
  });
});
