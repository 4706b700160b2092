import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Constellation } from '../../client/constellation.ts';
import { ErrorBody } from '../../src/contract/core/error-info.ts';
import { Explanation } from '../../src/contract/core/navigator-response.ts';
import { LibrarianResponse } from '../../src/contract/core/response.ts';
import {
  AnswerReplay,
  AnswerStatistics,
  AnswersPage,
  KeptAnswer,
} from '../../src/contract/wire/answers.ts';
import type { Product } from '../../tools/run/product.ts';
import { grant, send } from './product-for-test.ts';

const KEYS = {
  asker: 'ck_asker_0123456789abcdef',
  other: 'ck_other_0123456789abcdef',
  reader: 'ck_reader_0123456789abcdef',
  acme: 'ck_acme_0123456789abcdef',
  figures: 'ck_figures_0123456789abc',
  staff: 'ck_staff_0123456789abcdef',
  clerk: 'ck_clerk_0123456789abcdef',
};
const READS = ['kb:read', 'sql:read', 'web:search'];
const NO_SUCH = '00000000-0000-4000-8000-000000000000';
const SHIPPING = 'How long does shipping to Canada take?';
const PASSWORD = 'How do I reset the dashboard password?';

/** Kept answers of the default workspace: stored, listed, counted, replayed and erased. */
export function describeAnswers(productOf: () => Product, logged: readonly string[]): void {
  beforeAll(async () => {
    const product = productOf();
    await grant(product, KEYS.asker, { capabilities: [...READS, 'memory:*'] });
    await grant(product, KEYS.other, { capabilities: READS });
    await grant(product, KEYS.reader, { capabilities: ['answers:read'] });
    await grant(product, KEYS.figures, { capabilities: ['sql:read'] });
    await grant(product, KEYS.staff, {
      capabilities: [...READS, 'answers:*', 'support:*'],
      audiences: ['staff'],
    });
    await grant(product, KEYS.clerk, { capabilities: [...READS, 'answers:*'] });
    await grant(product, KEYS.acme, { workspaces: ['acme'], capabilities: ['*'] });
  });

  const call = (route: string, body?: unknown, key?: string) => send(productOf(), route, body, key);
  /** The reply to a call that succeeds. */
  const read = async <T>(
    schema: z.ZodType<T>,
    route: string,
    body?: unknown,
    key?: string,
  ): Promise<T> => {
    const response = await call(route, body, key);
    const json: unknown = await response.json();
    expect(response.status, JSON.stringify(json)).toBe(200);
    return schema.parse(json);
  };
  const errorOf = async (route: string, body?: unknown, key?: string) => {
    const response = await call(route, body, key);
    return { status: response.status, ...ErrorBody.parse(await response.json()).error };
  };

  const ask = async (query: string, more: object = {}, key = KEYS.asker) => {
    const response = LibrarianResponse.parse(
      await (
        await call('POST /v1/ask', { query, include: ['statements', 'trace'], ...more }, key)
      ).json(),
    );
    return { response, id: String(response.metadata?.answer_id) };
  };
  /** Stored after the response, so a reader may be faster. */
  const kept = async (id: string): Promise<KeptAnswer> => {
    await expect
      .poll(async () => (await call(`GET /v1/answers/${id}`)).status, { timeout: 60_000 })
      .toBe(200);
    return read(KeptAnswer, `GET /v1/answers/${id}`);
  };
  const askKept = async (query: string, more: object = {}, key = KEYS.asker) =>
    kept((await ask(query, more, key)).id);
  const list = (query = '', key?: string) =>
    read(AnswersPage, `GET /v1/answers?${query}`, undefined, key);
  const totalOf = async (query = '') => (await list(query)).total;
  const count = (query = '', key?: string) =>
    read(AnswerStatistics, `GET /v1/answers/statistics?${query}`, undefined, key);
  const replay = (id: string, body: object, key?: string) =>
    read(AnswerReplay, `POST /v1/answers/${id}/replay`, body, key);
  /** Puts an article, and waits until its price is answered. */
  const publish = async (ride: string, price: string, audience: string[] = []): Promise<void> => {
    const title = `${ride} rides`;
    const content = `# ${title}\n\nA ${ride} ride over the lake costs ${price}, children pay half.\n`;
    const article = { title, content, metadata: audience.length === 0 ? {} : { audience } };
    expect((await call(`PUT /api/kb/articles/rides/${ride}.md`, article)).status).toBeLessThan(300);
    const query = `What does a ${ride} ride cost?`;
    // Each answer is stored before the next one is counted.
    const answered = async () =>
      (await askKept(query, { librarian: 'navigator' }, KEYS.staff)).answer;
    await expect.poll(answered, { timeout: 60_000 }).toContain(price);
  };

  describe('a kept answer', () => {
    it('has the answer with its evidence, trace, timings and usage', async () => {
      const { response, id } = await ask(PASSWORD);
      const answer = await kept(id);
      expect(answer).toMatchObject({
        id,
        question: PASSWORD,
        answer: response.answer,
        verdict: 'answered',
        interface: 'rest',
        librarians: ['navigator'],
        confidence: response.confidence,
        feedback: null,
        statements: response.metadata?.statements,
        trace: response.metadata?.trace,
        edition: expect.stringMatching(/^e\d+/),
        asked_by: expect.stringMatching(/^user:/),
        timings: {
          total: expect.any(Number),
          understanding: expect.any(Number),
          routing: expect.any(Number),
        },
        budgets: { granted: { calls: 24 }, spent: { calls: 1 } },
      });
      const [source] = answer.statements[0]?.sources ?? [];
      expect(source).toMatchObject({
        quote: expect.stringMatching(/password/i),
        start: expect.any(Number),
      });
      expect(answer.trace?.hops[0]).toMatchObject({
        to: 'navigator',
        verified: true,
        receipt: expect.any(String),
      });
      expect(JSON.stringify(answer)).not.toContain(KEYS.asker);
    });

    it.each<[query: string, more: object, expected: object]>([
      ['How do I knit a scarf for my grandmother?', {}, { verdict: 'declined', sources: [] }],
      ['it does not work', {}, { verdict: 'clarifying' }],
      [
        'How many iPhone 17 are in stock?',
        { librarian: 'analytics', timeout_ms: 1 },
        { verdict: 'error', code: 'TIMEOUT', answer: null, confidence: null },
      ],
    ])('records the verdict: %s', async (query, more, expected) => {
      expect(await askKept(query, more)).toMatchObject(expected);
    });

    it('is stored without the personal data of the question', async () => {
      expect(await totalOf('text=bolivia')).toBe(0);
      const answer = await askKept(
        'Do you ship to Bolivia? My mail is ann@example.org, call +49 170 1234567',
      );
      expect(answer.question).toBe('Do you ship to Bolivia? My mail is [email], call [phone]');
      expect(JSON.stringify(answer)).not.toMatch(/ann@example|1234567/);
      expect(logged.join('\n')).not.toMatch(/ann@example|Bolivia/);
    });

    it('omits the explanation of its passages, which a key with kb:read gets on request', async () => {
      const { response, id } = await ask(SHIPPING, { explain: true });
      const { passages, semantic } = Explanation.parse(response.metadata?.explain);
      expect([passages[0]?.outcome, semantic]).toEqual(['cited', 'used']);
      expect(passages[0]?.similarity).toBeGreaterThan(0);
      expect((await kept(id)).metadata).not.toHaveProperty('explain');
      const refused = await errorOf(
        'POST /v1/ask',
        { query: SHIPPING, explain: true },
        KEYS.figures,
      );
      expect(refused).toMatchObject({ status: 401, details: { missing: 'kb:read' } });
    });

    it('has its id in the reply of every interface, and records the interface', async () => {
      const post = async (path: string, body: object, more: Record<string, string> = {}) => {
        const headers = {
          authorization: `Bearer ${KEYS.asker}`,
          'content-type': 'application/json',
          ...more,
        };
        const init = { method: 'POST', headers, body: JSON.stringify(body) };
        return (await fetch(new URL(path, productOf().url), init)).text();
      };
      const stream = await post('/v1/ask', { query: SHIPPING }, { accept: 'text/event-stream' });
      const [routing, done] = ['routing', 'done'].map((event) =>
        JSON.parse(new RegExp(`event: ${event}\ndata: (.*)`).exec(stream)?.[1] ?? '{}'),
      );
      expect(done.metadata.answer_id).toBe(routing.answer_id);
      const streamed = { interface: 'stream', timings: { first_statement: expect.any(Number) } };
      expect(await kept(routing.answer_id)).toMatchObject(streamed);
      const chat = { model: 'navigator', messages: [{ role: 'user', content: SHIPPING }] };
      const { constellation } = JSON.parse(await post('/v1/chat/completions', chat));
      expect((await kept(constellation.metadata.answer_id)).interface).toBe('chat');
      const byClient = await new Constellation({ url: productOf().url, key: KEYS.asker }).ask(
        SHIPPING,
      );
      expect((await kept(String(byClient.metadata?.answer_id))).interface).toBe('client');
      // A caller may not claim to be a ticket.
      for (const [claimed, recorded] of [
        ['widget', 'widget'] as const,
        ['ticket', 'rest'] as const,
      ]) {
        const reply = JSON.parse(
          await post('/v1/ask', { query: SHIPPING }, { 'constellation-interface': claimed }),
        );
        expect((await kept(reply.metadata.answer_id)).interface).toBe(recorded);
      }
    });

    it('is found by a reader who asks before it is stored', async () => {
      const { id } = await ask('How loud is the Apollo III in Turbo mode?');
      expect((await call(`GET /v1/answers/${id}`)).status).toBe(200);
    });

    it('is stored with simultaneous ones in batches, readable only by its audience', async () => {
      const from = logged.length;
      const asked = await Promise.all(
        Array.from({ length: 12 }, async (_, at) => {
          const query = `Question ${at}: how long does shipping to Canada take?`;
          const key = at % 2 === 0 ? KEYS.asker : KEYS.staff;
          return { query, key, id: (await ask(query, {}, key)).id };
        }),
      );
      const answers = await Promise.all(asked.map(({ id }) => kept(id)));
      expect(answers.map(({ question }) => question)).toEqual(asked.map(({ query }) => query));
      const statuses = asked.map(
        async ({ id }) => (await call(`GET /v1/answers/${id}`, undefined, KEYS.clerk)).status,
      );
      expect(await Promise.all(statuses)).toEqual(
        asked.map(({ key }) => (key === KEYS.staff ? 404 : 200)),
      );
      const calls = logged
        .slice(from)
        .filter((line) => line.includes('"route":"POST /v1/answers"'));
      expect(calls.length).toBeGreaterThan(1);
      expect(calls.length).toBeLessThan(asked.length);
    });
  });

  describe('an answer of a single function', () => {
    /** The kept answer to a unique question. */
    const keptOf = async (question: string): Promise<KeptAnswer> => {
      const found = async () => (await list(`text=${encodeURIComponent(question)}`)).answers[0]?.id;
      await expect.poll(found, { timeout: 60_000 }).toBeDefined();
      return kept(String(await found()));
    };
    const answerTo = async (
      route: string,
      body: { query: string; metadata?: object; options?: object },
    ) => {
      const response = await call(route, body, KEYS.staff);
      expect(response.status, await response.clone().text()).toBe(200);
      return keptOf(body.query);
    };

    it('is kept with its evidence, like an answer of /v1/ask', async () => {
      const query = 'How many days does parcel delivery to Canada take, navigator?';
      const answer = await answerTo('POST /v1/navigate', { query });
      expect(answer).toMatchObject({
        question: query,
        librarians: ['navigator'],
        interface: 'rest',
      });
      expect(answer.statements[0]?.sources[0]).toMatchObject({ quote: expect.any(String) });
      expect(answer.edition).toMatch(/^e\d+/);
      const unknown = { query: 'How do I knit a navigator scarf for grandmother?' };
      expect(await answerTo('POST /v1/navigate', unknown)).toMatchObject({ verdict: 'declined' });
    });

    it('has the closest articles in the reply of /v1/navigate and in the kept answer, like /v1/ask', async () => {
      // Similar to articles that do not answer it.
      const query = 'Is there a mobile app for the dashboard?';
      const closest = z.array(z.object({ title: z.string(), url: z.url() })).min(1);
      const withClosest = z.object({ metadata: z.object({ closest }) });
      const { metadata } = await read(withClosest, 'POST /v1/navigate', { query }, KEYS.staff);
      const answer = await keptOf(query);
      expect([answer.verdict, closest.parse(answer.closest)]).toEqual([
        'declined',
        metadata.closest,
      ]);
      const { response } = await ask(query, { librarian: 'navigator' }, KEYS.staff);
      expect(closest.parse(response.metadata?.closest)).toEqual(metadata.closest);
    });

    it('of an agent is kept with its person', async () => {
      const query = 'How long does agents shipping to Canada take?';
      const options = { similarity_threshold: 0.2 };
      const answer = await answerTo('POST /v1/agents/semantic', {
        query,
        options,
        metadata: { person_id: 'p-agent' },
      });
      expect(answer).toMatchObject({ librarians: ['semantic'], person_id: 'p-agent' });
      expect(answer.sources).not.toEqual([]);
      expect(await totalOf('person_id=p-agent')).toBe(1);
    });

    it('to a ticket is kept masked, with its intent; a refused request is not kept', async () => {
      const message =
        'My Apollo III does not hash since the zebra update, write to zoe@example.org';
      await call('POST /v1/support/analyze', { message, subject: 'Zebra' }, KEYS.staff);
      const answer = await keptOf('zebra hash');
      expect(answer.intent).toMatch(/^\w+$/);
      expect(answer.question).toContain('[email]');
      expect(JSON.stringify(answer)).not.toContain('zoe@');
      expect(await totalOf(`text=zebra&intent=${answer.intent}`)).toBe(1);
      expect(await totalOf('text=zebra&intent=another_one')).toBe(0);
      expect((await call(`POST /v1/answers/${answer.id}/replay`, {}, KEYS.staff)).status).toBe(200);
      const total = await totalOf();
      expect((await call('POST /v1/navigate', { query: 7 })).status).toBe(400);
      expect((await call('POST /v1/support/analyze', { message: '' })).status).toBe(400);
      expect(await totalOf()).toBe(total);
    });
  });

  describe('GET /v1/answers', () => {
    it('filters by verdict, librarian, interface, confidence, time, words and person', async () => {
      const from = new Date().toISOString();
      const VERSAND = 'Wie lange dauert der Versand nach Überlingen?';
      const LOUD = 'How loud is the fan of the Apollo II?';
      await askKept(VERSAND, { metadata: { person_id: 'p-7' } });
      await askKept(LOUD, { librarian: 'navigator', metadata: { person_id: 'p-8' } });
      for (const [filter, found] of [
        ['', [LOUD, VERSAND]],
        ['text=ÜBERLINGEN%20versand', [VERSAND]],
        ['person_id=p-8', [LOUD]],
        ['librarian=navigator&interface=rest&text=loud', [LOUD]],
        ['librarian=navi', []],
        ['confidence_from=0.99&confidence_to=0.991', []],
        ['to=2020-01-01', []],
        // Words of a filter are text.
        ['text=%25', []],
        ["text=' OR 1=1 --", []],
      ] as const) {
        const { answers } = await list(`from=${from}&${filter}`);
        expect([filter, answers.map(({ question }) => question)]).toEqual([filter, found]);
      }
      const { answers } = await list('verdict=declined');
      expect(new Set(answers.map(({ verdict }) => verdict))).toEqual(new Set(['declined']));
    });

    it('pages newest first without gaps while answers arrive, and exports all of them as JSON lines', async () => {
      const total = await totalOf();
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: AnswersPage = await list(`limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
        seen.push(...page.answers.map(({ id }) => id));
        if (cursor === '') await askKept('What is the return policy?');
        cursor = page.next_cursor;
      }
      expect(new Set(seen).size).toBe(total);
      const response = await call('GET /v1/answers?format=jsonl&limit=2');
      expect(response.headers.get('Content-Type')).toBe('application/x-ndjson');
      const lines = (await response.text()).trimEnd().split('\n');
      expect(lines.map((line) => KeptAnswer.parse(JSON.parse(line)).id).slice(1)).toEqual(seen);
    });
  });

  it.each<[what: string, route: string, body?: unknown]>([
    ...['', '&format=jsonl'].flatMap((format) =>
      [
        ['an invalid cursor', 'cursor=../../etc'],
        ['a cursor of SQL', "cursor=p1'%20OR%201=1"],
        ['an unknown verdict', 'verdict=perfect'],
        ['a confidence beyond 1', 'confidence_from=1.5'],
        ['an invalid time', 'from=yesterday'],
        ['a page that is too long', 'limit=100000'],
        ['a text that is too long', `text=${'x'.repeat(201)}`],
        ['an unknown filter', 'where=1'],
      ].map(([what = '', query]): [string, string] => [
        `${what} ${format}`,
        `GET /v1/answers?${query}${format}`,
      ]),
    ),
    [
      'a period that ends before it starts',
      'GET /v1/answers/statistics?from=2026-02-01&to=2026-01-01',
    ],
    ['too many buckets', 'GET /v1/answers/statistics?bucket=hour&from=2020-01-01'],
    ['an unknown bucket', 'GET /v1/answers/statistics?bucket=minute'],
    ['an unknown filter of statistics', 'GET /v1/answers/statistics?limit=5'],
    ['an erasure of nothing', 'DELETE /v1/answers?'],
    ['an erasure of two things', 'DELETE /v1/answers?person_id=a&conversation_id=b'],
    ['an erasure before an invalid time', 'DELETE /v1/answers?before=soon'],
    ['an erasure of everything', 'DELETE /v1/answers?all=true'],
    ['feedback without a value', `POST /v1/answers/${NO_SUCH}/feedback`, {}],
    ['another value', `POST /v1/answers/${NO_SUCH}/feedback`, { value: 'sideways' }],
    ['an empty comment', `POST /v1/answers/${NO_SUCH}/feedback`, { value: 'up', comment: '   ' }],
    [
      'a comment that is too long',
      `POST /v1/answers/${NO_SUCH}/feedback`,
      { value: 'up', comment: 'x'.repeat(501) },
    ],
    [
      'an unknown member',
      `POST /v1/answers/${NO_SUCH}/feedback`,
      { value: 'up', verdict: 'answered' },
    ],
    ['feedback that is no JSON', `POST /v1/answers/${NO_SUCH}/feedback`, '{"value": "up"'],
    ['a path as an edition', `POST /v1/answers/${NO_SUCH}/replay`, { edition: '../current' }],
  ])('the routes of answers refuse %s', async (_, route, body) => {
    expect(await errorOf(route, body)).toMatchObject({ status: 400, code: 'INVALID_QUERY' });
  });

  it('answers of others are visible only in their workspace, and with the right to read them', async () => {
    const { id } = await askKept(SHIPPING, { metadata: { person_id: 'p-9' } });
    expect((await list('', KEYS.reader)).total).toBeGreaterThan(0);
    expect(await list('', KEYS.acme)).toEqual({ answers: [], total: 0, next_cursor: null });
    const up = { value: 'up' };
    const missing = { details: { missing: 'answers:read' } };
    const refused: [
      status: number,
      key: string,
      route: string,
      body?: object | undefined,
      error?: object,
    ][] = [
      [404, KEYS.acme, `GET /v1/answers/${id}`],
      [404, KEYS.acme, `POST /v1/answers/${id}/feedback`, up],
      [404, KEYS.acme, `DELETE /v1/answers/${id}`],
      [405, KEYS.acme, 'POST /v1/answers', {}],
      [404, KEYS.acme, `POST /v1/answers/${id}/replay`, {}],
      [404, KEYS.reader, 'GET /v1/answers-in-full'],
      [401, KEYS.asker, 'GET /v1/answers', undefined, missing],
      [401, KEYS.asker, 'GET /v1/answers?format=jsonl', undefined, missing],
      [401, KEYS.asker, `GET /v1/answers/${id}`, undefined, missing],
      [401, KEYS.asker, `POST /v1/answers/${id}/replay`, {}],
      [401, KEYS.reader, `DELETE /v1/answers/${id}`],
      [401, KEYS.reader, 'DELETE /v1/answers?person_id=p-7'],
      // Feedback is accepted from the key that asked, for its person.
      [404, KEYS.other, `POST /v1/answers/${id}/feedback`, up],
      [404, KEYS.asker, `POST /v1/answers/${id}/feedback`, { ...up, person_id: 'p-10' }],
      [404, KEYS.asker, `POST /v1/answers/${NO_SUCH}/feedback`, up],
    ];
    for (const [status, key, route, body, error = {}] of refused)
      expect(await errorOf(route, body, key), `${route} ${key}`).toMatchObject({
        status,
        ...error,
      });
    expect((await kept(id)).feedback).toBeNull();
  });

  it('feedback is accepted from the key that asked, its comment is masked, and the last one is kept', async () => {
    const { id } = await ask(SHIPPING);
    const give = (body: object, key?: string) => call(`POST /v1/answers/${id}/feedback`, body, key);
    expect(
      (await give({ value: 'down', comment: 'Wrong,\n\nwrite to ann@example.org' }, KEYS.asker))
        .status,
    ).toBe(200);
    expect((await kept(id)).feedback).toMatchObject({
      value: 'down',
      comment: 'Wrong, write to [email]',
    });
    expect((await give({ value: 'up' }, KEYS.reader)).status).toBe(200);
    expect((await kept(id)).feedback).toEqual({ value: 'up', at: expect.any(String) });
    expect((await list('feedback=up')).answers.map((answer) => answer.id)).toContain(id);
  });

  describe('GET /v1/answers/statistics', () => {
    it('agrees with the list, filtered by bucket, confidence and librarian', async () => {
      const { id } = await askKept(SHIPPING);
      await call(`POST /v1/answers/${id}/feedback`, { value: 'up' });
      const counted = await count('bucket=hour');
      expect(counted.total).toBe(await totalOf());
      const [last] = counted.buckets.slice(-1);
      expect(last?.total).toBe(await totalOf(`from=${last?.from}&to=${last?.to}`));
      expect(last?.verdicts.declined).toBe(await totalOf(`verdict=declined&from=${last?.from}`));
      expect(last?.feedback.up).toBe(await totalOf(`feedback=up&from=${last?.from}`));
      for (const { from, to, total } of counted.confidence)
        expect([from, total]).toEqual([
          from,
          await totalOf(`confidence_from=${from}&confidence_to=${to}`),
        ]);
      const navigator = counted.librarians.find(({ librarian }) => librarian === 'navigator');
      expect(navigator?.total).toBe(await totalOf('librarian=navigator'));
      expect((await count('librarian=navigator')).total).toBe(navigator?.total);
      const { total: latency, first_statement: first } = counted.latency;
      expect(latency?.count).toBe(counted.total);
      const exported = (await (await call('GET /v1/answers?format=jsonl')).text())
        .trimEnd()
        .split('\n');
      const streamed = exported.filter(
        (line) => KeptAnswer.parse(JSON.parse(line)).timings.first_statement !== undefined,
      );
      expect(first?.count ?? 0).toBe(streamed.length);
      expect(latency?.p99).toBeGreaterThanOrEqual(latency?.p50 ?? 0);
    });

    it('has every day of the period, and no answers of another period', async () => {
      const { buckets, total, latency } = await count('from=2026-01-01&to=2026-01-31');
      expect([buckets.length, total, latency.total]).toEqual([30, 0, null]);
    });
  });

  describe('POST /v1/answers/{id}/replay', () => {
    const changesOf = ({ difference }: AnswerReplay) => [
      ...new Set(difference.map(({ change }) => change)),
    ];

    it('answers from the current and from an older edition, and compares the statements', async () => {
      const query = 'What does a zeppelin ride cost?';
      await publish('zeppelin', '90 euros');
      const before = await askKept(query, { librarian: 'navigator' });
      await publish('zeppelin', '120 euros');
      const total = await totalOf();
      const current = await replay(before.id, {});
      expect(current.after.answer).toContain('120 euros');
      expect(changesOf(current)).toContain('changed');
      expect(current.after.edition).not.toBe(before.edition);
      const older = await replay(before.id, { edition: before.edition });
      expect(older.after).toMatchObject({ edition: before.edition, answer: before.answer });
      expect(changesOf(older)).toEqual(['kept']);
      expect(await totalOf()).toBe(total);
      // The right to read older editions is not the asker's.
      const { response } = await ask(query, {
        librarian: 'navigator',
        metadata: { edition: before.edition },
      });
      expect(response.answer).toContain('120 euros');
    });

    it('asks another librarian, without a model', async () => {
      const { id } = await askKept(SHIPPING, { librarian: 'navigator' });
      const { before, after } = await replay(id, { librarian: 'semantic', model: false });
      expect([before.librarians, after.librarians]).toEqual([['navigator'], ['semantic']]);
      expect(after.tokens).toBe(0);
    });

    it('refuses an edition that is not stored, an unknown librarian and an unknown answer', async () => {
      const { id } = await askKept(SHIPPING);
      const gone = await errorOf(`POST /v1/answers/${id}/replay`, { edition: 'e000099-00000000' });
      expect(gone).toMatchObject({
        status: 404,
        message: expect.stringContaining('not stored any more'),
      });
      expect(
        await errorOf(`POST /v1/answers/${id}/replay`, { librarian: 'unknown' }),
      ).toMatchObject({ status: 404 });
      expect(await errorOf(`POST /v1/answers/${NO_SUCH}/replay`, {})).toMatchObject({
        status: 404,
      });
    });
  });

  describe('answers for an audience', () => {
    const SECRET = '55 euros';
    const NOW = '77 euros';
    const askIn = (key: string, more: object = {}) =>
      ask('What does a submarine ride cost?', { librarian: 'navigator', ...more }, key);

    it('are not counted, read or replayed without it, on the current edition or an older one', async () => {
      await publish('submarine', SECRET, ['staff']);
      const secret = await kept((await askIn(KEYS.staff)).id);
      expect(secret.answer).toContain(SECRET);
      const open = await kept((await askIn(KEYS.clerk)).id);
      expect(JSON.stringify(open)).not.toContain(SECRET);

      expect((await list('', KEYS.staff)).answers.map(({ id }) => id)).toContain(secret.id);
      const readable = await list('', KEYS.clerk);
      expect(readable.answers.map(({ id }) => id)).not.toContain(secret.id);
      const [all, some] = [
        await count('bucket=hour', KEYS.staff),
        await count('bucket=hour', KEYS.clerk),
      ];
      expect([all.total, some.total]).toEqual([(await list('', KEYS.staff)).total, readable.total]);
      expect(all.total).toBeGreaterThan(some.total);
      expect(all.latency.total?.count).toBeGreaterThan(some.latency.total?.count ?? 0);

      const replayed = async (key: string, body: object) =>
        JSON.stringify(await replay(open.id, body, key));
      for (const [route, body] of [
        [`GET /v1/answers/${secret.id}`],
        [`POST /v1/answers/${secret.id}/replay`, {}],
        [`POST /v1/answers/${secret.id}/feedback`, { value: 'down' }],
        [`DELETE /v1/answers/${secret.id}`],
      ] as const)
        expect(await errorOf(route, body, KEYS.clerk), route).toMatchObject({ status: 404 });
      expect((await kept(secret.id)).feedback).toBeNull();
      expect(await replayed(KEYS.clerk, {})).not.toContain(SECRET);
      await publish('submarine', NOW, ['staff']);
      const { edition } = secret;
      expect(await replayed(KEYS.staff, { edition })).toContain(SECRET);
      const shown = await replayed(KEYS.clerk, { edition });
      expect(shown).toContain(String(edition));
      expect(shown).not.toMatch(/55 euros|77 euros|submarine\.md/);
    });

    it('do not show its articles in an explanation', async () => {
      await publish('submarine', NOW, ['staff']);
      const explained = async (key: string) =>
        Explanation.parse((await askIn(key, { explain: true })).response.metadata?.explain);
      expect((await explained(KEYS.staff)).passages.map(({ file }) => file)).toContain(
        'rides/submarine.md',
      );
      const { passages } = await explained(KEYS.clerk);
      expect(passages.length).toBeGreaterThan(0);
      expect(JSON.stringify(passages)).not.toMatch(/submarine/i);
    });
  });

  describe('erasing answers', () => {
    const erase = async (query: string) => (await call(`DELETE /v1/answers?${query}`)).json();

    it('removes those of a person, of a conversation, a single one, or all before a time', async () => {
      for (let time = 0; time < 2; time += 1)
        await askKept(SHIPPING, { metadata: { person_id: 'p-20' } });
      const { id } = await askKept(SHIPPING, { conversation_id: 'c-20' });
      const last = await askKept(SHIPPING);
      expect(await erase('person_id=p-20')).toEqual({ erased: 2 });
      expect(await erase('person_id=p-20')).toEqual({ erased: 0 });
      expect(await erase('conversation_id=c-20')).toEqual({ erased: 1 });
      expect(await errorOf(`GET /v1/answers/${id}`)).toMatchObject({ status: 404 });
      const total = await totalOf();
      expect(await erase(`before=${last.asked_at}`)).toEqual({ erased: total - 1 });
      expect((await call(`DELETE /v1/answers/${last.id}`)).status).toBe(204);
      expect(await totalOf()).toBe(0);
    });

    it('happens with the memories of the person', async () => {
      await askKept(SHIPPING, { conversation_id: 'c-30', metadata: { person_id: 'p-30' } });
      const erased = await (
        await call('DELETE /v1/workspaces/default/memories?person_id=p-30')
      ).json();
      expect(erased).toEqual({ erased: 2, answers: 1 });
      expect(await totalOf('person_id=p-30')).toBe(0);
    });
  });
}
