import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Constellation } from '../../client/constellation.ts';
import { AnswerReplay, AnswerStatistics, AnswersPage, KeptAnswer } from '../../src/contract/answers.ts';
import { ErrorBody } from '../../src/contract/error-info.ts';
import { Explanation } from '../../src/contract/explanation.ts';
import { LibrarianResponse } from '../../src/contract/response.ts';
import type { Product } from '../../src/dev/run/product.ts';
import { grant, send, startEmbedded } from './product-for-test.ts';

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

let product: Product;
const logs: string[] = [];

beforeAll(async () => {
  product = await startEmbedded({ onLog: (line) => logs.push(line) });
  await product.sync({ full: true });
  await grant(product, KEYS.asker, { capabilities: [...READS, 'memory:*'] });
  await grant(product, KEYS.other, { capabilities: READS });
  await grant(product, KEYS.reader, { capabilities: ['answers:read'] });
  await grant(product, KEYS.staff, { capabilities: [...READS, 'answers:*', 'support:*'], audiences: ['staff'] });
  await grant(product, KEYS.clerk, { capabilities: [...READS, 'answers:*'] });
  await grant(product, KEYS.acme, { workspaces: ['acme'], capabilities: ['*'] });
}, 240_000);
afterAll(() => product?.stop());

const call = (route: string, body?: unknown, key?: string) => send(product, route, body, key);

const ask = async (query: string, more: object = {}, key = KEYS.asker) => {
  const response = LibrarianResponse.parse(await (await call('POST /v1/ask', { query, ...more }, key)).json());
  return { response, id: String(response.metadata?.answer_id) };
};

/** Stored after the response, so a reader may be faster. */
const kept = async (id: string): Promise<KeptAnswer> => {
  await expect.poll(async () => (await call(`GET /v1/answers/${id}`)).status, { timeout: 10_000 }).toBe(200);
  return KeptAnswer.parse(await (await call(`GET /v1/answers/${id}`)).json());
};

const askKept = async (query: string, more: object = {}, key = KEYS.asker) => {
  const { id } = await ask(query, more, key);
  return kept(id);
};

const list = async (query = '', key?: string): Promise<AnswersPage> => {
  const response = await call(`GET /v1/answers?${query}`, undefined, key);
  expect([response.status, await response.clone().text()]).toEqual([200, expect.anything()]);
  return AnswersPage.parse(await response.json());
};

const questionsIn = async (query: string): Promise<string[]> =>
  (await list(query)).answers.map(({ question }) => question);

const errorOf = async (route: string, body?: unknown, key?: string) => {
  const response = await call(route, body, key);
  return { status: response.status, ...ErrorBody.parse(await response.json()).error };
};

const SHIPPING = 'How long does shipping to Canada take?';

describe('a kept answer', () => {
  it('has the answer with its evidence, trace, timings and usage', async () => {
    const { response, id } = await ask(SHIPPING);
    const answer = await kept(id);
    expect(answer).toMatchObject({
      ...{ id, question: SHIPPING, answer: response.answer, verdict: 'answered' },
      ...{ interface: 'rest', librarians: ['navigator'], confidence: response.confidence, feedback: null },
      statements: response.metadata?.statements,
      trace: response.metadata?.trace,
      edition: expect.stringMatching(/^e\d+/),
      asked_by: expect.stringMatching(/^user:/),
      timings: { total: expect.any(Number), understanding: expect.any(Number), routing: expect.any(Number) },
      budgets: { granted: { calls: 24 }, spent: { calls: 1 } },
    });
    const [source] = answer.statements[0]?.sources ?? [];
    expect(source).toMatchObject({ quote: expect.stringContaining('Canada'), start: expect.any(Number) });
    expect(answer.trace?.hops[0]).toMatchObject({ to: 'navigator', verified: true, receipt: expect.any(String) });
    expect(JSON.stringify(answer)).not.toContain(KEYS.asker);
  });

  it('records the verdict: declined, clarifying, error', async () => {
    expect(await askKept('How do I knit a scarf for my grandmother?')).toMatchObject({
      verdict: 'declined',
      sources: [],
    });
    expect(await askKept('it does not work')).toMatchObject({ verdict: 'clarifying' });
    const { response, id } = await ask('How many iPhone 17 are in stock?', { librarian: 'analytics', timeout_ms: 1 });
    expect(response.error?.code).toBe('TIMEOUT');
    expect(await kept(id)).toMatchObject({ verdict: 'error', code: 'TIMEOUT', answer: null, confidence: null });
  });

  it('is stored without the personal data of the question', async () => {
    const { answers } = await list('text=bolivia');
    expect(answers).toEqual([]);
    const answer = await askKept('Do you ship to Bolivia? My mail is ann@example.org, call +49 170 1234567');
    expect(answer.question).toBe('Do you ship to Bolivia? My mail is [email], call [phone]');
    expect(JSON.stringify(answer)).not.toMatch(/ann@example|1234567/);
    expect(logs.join('\n')).not.toMatch(/ann@example|Bolivia/);
  });

  it('omits the explanation of its passages, which a key with kb:read gets on request', async () => {
    const { response, id } = await ask(SHIPPING, { explain: true });
    const { passages, semantic } = Explanation.parse(response.metadata?.explain);
    expect([passages[0]?.outcome, semantic]).toEqual(['cited', 'used']);
    expect(passages[0]?.similarity).toBeGreaterThan(0);
    expect((await kept(id)).metadata).not.toHaveProperty('explain');
    await grant(product, KEYS.figures, { capabilities: ['sql:read'] });
    const refused = await errorOf('POST /v1/ask', { query: SHIPPING, explain: true }, KEYS.figures);
    expect(refused).toMatchObject({ status: 401, details: { missing: 'kb:read' } });
  });

  it('has its id in the reply of every interface, and records the interface', async () => {
    const headers = { authorization: `Bearer ${KEYS.asker}`, 'content-type': 'application/json' };
    const post = async (path: string, body: object, more: Record<string, string> = {}) =>
      (
        await fetch(new URL(path, product.url), {
          method: 'POST',
          headers: { ...headers, ...more },
          body: JSON.stringify(body),
        })
      ).text();
    const stream = await post('/v1/ask', { query: SHIPPING }, { accept: 'text/event-stream' });
    const [, routing = ''] = /event: routing\ndata: (.*)/.exec(stream) ?? [];
    const [, done = ''] = /event: done\ndata: (.*)/.exec(stream) ?? [];
    const { answer_id: id } = JSON.parse(routing);
    expect(JSON.parse(done).metadata.answer_id).toBe(id);
    expect(await kept(id)).toMatchObject({ interface: 'stream', timings: { first_statement: expect.any(Number) } });

    const messages = [{ role: 'user', content: SHIPPING }];
    const chat = JSON.parse(await post('/v1/chat/completions', { model: 'navigator', messages }));
    expect(await kept(chat.constellation.metadata.answer_id)).toMatchObject({ interface: 'chat' });

    const byClient = await new Constellation({ url: product.url, key: KEYS.asker }).ask(SHIPPING);
    expect(await kept(String(byClient.metadata?.answer_id))).toMatchObject({ interface: 'client' });
    const widget = JSON.parse(await post('/v1/ask', { query: SHIPPING }, { 'constellation-interface': 'widget' }));
    expect(await kept(widget.metadata.answer_id)).toMatchObject({ interface: 'widget' });
    const forged = JSON.parse(await post('/v1/ask', { query: SHIPPING }, { 'constellation-interface': 'ticket' }));
    expect(await kept(forged.metadata.answer_id)).toMatchObject({ interface: 'rest' });
  });
});

it('a kept answer is found by a reader who asks before it is stored', async () => {
  const { id } = await ask('How loud is the Apollo III in Turbo mode?');
  expect((await call(`GET /v1/answers/${id}`)).status).toBe(200);
});

it('simultaneous answers are stored in batches, each readable only by its audience', async () => {
  const from = logs.length;
  const asked = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => {
      const query = `Question ${at}: how long does shipping to Canada take?`;
      const key = at % 2 === 0 ? KEYS.asker : KEYS.staff;
      return { query, key, id: (await ask(query, {}, key)).id };
    }),
  );
  const answers = await Promise.all(asked.map(({ id }) => kept(id)));
  expect(answers.map(({ question }) => question)).toEqual(asked.map(({ query }) => query));
  const statuses = asked.map(async ({ id }) => (await call(`GET /v1/answers/${id}`, undefined, KEYS.clerk)).status);
  expect(await Promise.all(statuses)).toEqual(asked.map(({ key }) => (key === KEYS.staff ? 404 : 200)));
  const calls = logs.slice(from).filter((line) => line.includes('"route":"POST /v1/answers"'));
  expect(calls.length).toBeGreaterThan(1);
  expect(calls.length).toBeLessThan(asked.length);
});

describe('an answer of a single function', () => {
  /** The kept answer to a unique question. */
  const keptOf = async (question: string): Promise<KeptAnswer> => {
    const found = async () => (await list(`text=${encodeURIComponent(question)}`)).answers[0]?.id;
    await expect.poll(found, { timeout: 10_000 }).toBeDefined();
    return kept(String(await found()));
  };
  const answerTo = async (route: string, body: Record<string, unknown>, question: string) => {
    const response = await call(route, body, KEYS.staff);
    expect([response.status, await response.clone().text()]).toEqual([200, expect.anything()]);
    return keptOf(question);
  };

  it('is kept with its evidence, like an answer of /v1/ask', async () => {
    const query = 'How many days does parcel delivery to Canada take, navigator?';
    const answer = await answerTo('POST /v1/navigate', { query }, query);
    expect(answer).toMatchObject({ question: query, librarians: ['navigator'], interface: 'rest' });
    expect(answer.statements[0]?.sources[0]).toMatchObject({ quote: expect.any(String) });
    expect(answer.edition).toMatch(/^e\d+/);
    const unknown = 'How do I knit a navigator scarf for grandmother?';
    expect(await answerTo('POST /v1/navigate', { query: unknown }, unknown)).toMatchObject({ verdict: 'declined' });
  });

  it('has the closest articles in the reply of /v1/navigate and in the kept answer, like /v1/ask', async () => {
    // Similar to articles that do not answer it.
    const query = 'Is there a mobile app for the dashboard?';
    const closest = z.array(z.object({ title: z.string(), url: z.url() })).min(1);
    const read = z.object({ metadata: z.object({ closest }) });
    const reply = read.parse(await (await call('POST /v1/navigate', { query }, KEYS.staff)).json());
    const answer = await keptOf(query);
    expect([answer.verdict, answer.closest]).toEqual(['declined', expect.anything()]);
    expect(closest.parse(answer.closest)).toEqual(reply.metadata.closest);
    const { response } = await ask(query, { librarian: 'navigator' }, KEYS.staff);
    expect(closest.parse(response.metadata?.closest)).toEqual(reply.metadata.closest);
  });

  it('of an agent is kept with its person', async () => {
    const query = 'How long does agents shipping to Canada take?';
    const options = { similarity_threshold: 0.2 };
    const about = { query, options, metadata: { person_id: 'p-agent' } };
    const answer = await answerTo('POST /v1/agents/semantic', about, query);
    expect(answer).toMatchObject({ librarians: ['semantic'], person_id: 'p-agent' });
    expect(answer.sources).not.toEqual([]);
    expect((await list('person_id=p-agent')).total).toBe(1);
  });

  it('to a ticket is kept masked, with its intent; a refused request is not kept', async () => {
    const message = 'My Apollo III does not hash since the zebra update, write to zoe@example.org';
    const answer = await answerTo('POST /v1/support/analyze', { message, subject: 'Zebra' }, 'zebra hash');
    expect(answer.intent).toMatch(/^\w+$/);
    expect(answer.question).toContain('[email]');
    expect(JSON.stringify(answer)).not.toContain('zoe@');
    expect((await list(`intent=${answer.intent}`)).total).toBe(1);
    expect((await call(`POST /v1/answers/${answer.id}/replay`, {}, KEYS.staff)).status).toBe(200);
    const { total } = await list();
    expect((await call('POST /v1/navigate', { query: 7 })).status).toBe(400);
    expect((await call('POST /v1/support/analyze', { message: '' })).status).toBe(400);
    expect((await list()).total).toBe(total);
  });
});

describe('GET /v1/answers', () => {
  it('filters by verdict, librarian, interface, confidence, time, words and person', async () => {
    const before = new Date().toISOString();
    await askKept('Wie lange dauert der Versand nach Überlingen?', { metadata: { person_id: 'p-7' } });
    await askKept('How loud is the fan of the Apollo II?', { librarian: 'navigator', metadata: { person_id: 'p-8' } });
    expect(await questionsIn(`from=${before}`)).toHaveLength(2);
    expect(await questionsIn(`from=${before}&text=ÜBERLINGEN%20versand`)).toHaveLength(1);
    expect(await questionsIn(`from=${before}&person_id=p-8`)).toEqual(['How loud is the fan of the Apollo II?']);
    expect(await questionsIn(`from=${before}&librarian=navigator&interface=rest`)).not.toEqual([]);
    expect(await questionsIn(`from=${before}&librarian=navi`)).toEqual([]);
    expect(await questionsIn(`from=${before}&confidence_from=0.99&confidence_to=0.991`)).toEqual([]);
    expect(await questionsIn(`to=2020-01-01`)).toEqual([]);
    const { answers } = await list('verdict=declined');
    expect(new Set(answers.map(({ verdict }) => verdict))).toEqual(new Set(['declined']));
  });

  it('pages newest first without gaps while answers arrive, and exports all of them as JSON lines', async () => {
    const { total } = await list();
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
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => KeptAnswer.parse(JSON.parse(line)));
    expect(lines.map(({ id }) => id).slice(1)).toEqual(seen);
  });

  it.each([
    ['an invalid cursor', 'cursor=../../etc'],
    ['a cursor of SQL', "cursor=p1'%20OR%201=1"],
    ['an unknown verdict', 'verdict=perfect'],
    ['a confidence beyond 1', 'confidence_from=1.5'],
    ['an invalid time', 'from=yesterday'],
    ['a page that is too long', 'limit=100000'],
    ['a text that is too long', `text=${'x'.repeat(201)}`],
    ['an unknown filter', 'where=1'],
  ])('refuses %s', async (_, query) => {
    for (const more of ['', '&format=jsonl']) {
      expect(await errorOf(`GET /v1/answers?${query}${more}`)).toMatchObject({ status: 400, code: 'INVALID_QUERY' });
    }
  });

  it('treats the words of a filter as text', async () => {
    expect((await list('text=%25')).answers).toEqual([]);
    expect((await list("text=' OR 1=1 --")).answers).toEqual([]);
  });
});

describe('answers of others', () => {
  it('are visible only in their workspace, and with the right to read them', async () => {
    const { id } = await askKept(SHIPPING);
    expect((await list('', KEYS.reader)).total).toBeGreaterThan(0);
    expect(await list('', KEYS.acme)).toEqual({ answers: [], total: 0, next_cursor: null });
    expect(await errorOf(`GET /v1/answers/${id}`, undefined, KEYS.acme)).toMatchObject({ status: 404 });
    expect(await errorOf(`POST /v1/answers/${id}/feedback`, { value: 'up' }, KEYS.acme)).toMatchObject({ status: 404 });
    expect(await errorOf(`DELETE /v1/answers/${id}`, undefined, KEYS.acme)).toMatchObject({ status: 404 });
    for (const route of ['GET /v1/answers', 'GET /v1/answers?format=jsonl', `GET /v1/answers/${id}`]) {
      expect(await errorOf(route, undefined, KEYS.asker)).toMatchObject({
        status: 401,
        details: { missing: 'answers:read' },
      });
    }
    for (const route of [`DELETE /v1/answers/${id}`, 'DELETE /v1/answers?person_id=p-7']) {
      expect(await errorOf(route, undefined, KEYS.reader)).toMatchObject({ status: 401 });
    }
    expect(await errorOf('POST /v1/answers', {}, KEYS.acme)).toMatchObject({ status: 404 });
    expect(await errorOf('GET /v1/answers-in-full', undefined, KEYS.reader)).toMatchObject({ status: 404 });
  });
});

describe('POST /v1/answers/{id}/feedback', () => {
  it('accepts feedback of the key that asked, masks its comment, and keeps the last one', async () => {
    const { id } = await ask(SHIPPING);
    const give = (body: object, key?: string) => call(`POST /v1/answers/${id}/feedback`, body, key);
    expect((await give({ value: 'down', comment: 'Wrong,\n\nwrite to ann@example.org' }, KEYS.asker)).status).toBe(200);
    expect((await kept(id)).feedback).toMatchObject({ value: 'down', comment: 'Wrong, write to [email]' });
    expect((await give({ value: 'up' }, KEYS.reader)).status).toBe(200);
    expect((await kept(id)).feedback).toEqual({ value: 'up', at: expect.any(String) });
    expect((await list('feedback=up')).answers.map((answer) => answer.id)).toContain(id);
  });

  it('is refused to a key that did not ask, to another person, and for an unknown answer', async () => {
    const { id } = await askKept(SHIPPING, { metadata: { person_id: 'p-9' } });
    const give = (body: object, key: string) => errorOf(`POST /v1/answers/${id}/feedback`, body, key);
    expect(await give({ value: 'up' }, KEYS.other)).toMatchObject({ status: 404 });
    expect(await give({ value: 'up', person_id: 'p-10' }, KEYS.asker)).toMatchObject({ status: 404 });
    expect(await errorOf(`POST /v1/answers/${NO_SUCH}/feedback`, { value: 'up' })).toMatchObject({ status: 404 });
    expect((await kept(id)).feedback).toBeNull();
  });

  it.each([
    ['no value', {}],
    ['another value', { value: 'sideways' }],
    ['an empty comment', { value: 'up', comment: '   ' }],
    ['a comment that is too long', { value: 'up', comment: 'x'.repeat(501) }],
    ['an unknown member', { value: 'up', verdict: 'answered' }],
    ['no JSON', '{"value": "up"'],
  ])('refuses %s', async (_, body) => {
    expect(await errorOf(`POST /v1/answers/${NO_SUCH}/feedback`, body)).toMatchObject({ code: 'INVALID_QUERY' });
  });
});

describe('GET /v1/answers/statistics', () => {
  const count = async (query = ''): Promise<AnswerStatistics> =>
    AnswerStatistics.parse(await (await call(`GET /v1/answers/statistics?${query}`)).json());

  it('agrees with the list, filtered by bucket, confidence and librarian', async () => {
    const { id } = await askKept(SHIPPING);
    await call(`POST /v1/answers/${id}/feedback`, { value: 'up' });
    const counted = await count('bucket=hour');
    expect(counted.total).toBe((await list()).total);
    const [last] = counted.buckets.slice(-1);
    expect(last?.total).toBe((await list(`from=${last?.from}&to=${last?.to}`)).total);
    expect(last?.verdicts.declined).toBe((await list(`verdict=declined&from=${last?.from}`)).total);
    expect(last?.feedback.up).toBe((await list('feedback=up')).total);
    for (const { from, to, total } of counted.confidence) {
      expect([from, total]).toEqual([from, (await list(`confidence_from=${from}&confidence_to=${to}`)).total]);
    }
    const navigator = counted.librarians.find(({ librarian }) => librarian === 'navigator');
    expect(navigator?.total).toBe((await list('librarian=navigator')).total);
    expect((await count('librarian=navigator')).total).toBe(navigator?.total);
    const { total: latency, first_statement: first } = counted.latency;
    expect(latency?.count).toBe(counted.total);
    expect(first?.count).toBe((await list('interface=stream')).total);
    expect(latency?.p99).toBeGreaterThanOrEqual(latency?.p50 ?? 0);
  });

  it('has every day of the period, and no answers of another period', async () => {
    const { buckets, total, latency } = await count('from=2026-01-01&to=2026-01-31');
    expect([buckets.length, total, latency.total]).toEqual([30, 0, null]);
  });

  it.each(['from=2026-02-01&to=2026-01-01', 'bucket=hour&from=2020-01-01', 'bucket=minute', 'limit=5'])(
    'refuses %s',
    async (query) => {
      expect(await errorOf(`GET /v1/answers/statistics?${query}`)).toMatchObject({ code: 'INVALID_QUERY' });
    },
  );
});

describe('POST /v1/answers/{id}/replay', () => {
  const PRICE = 'What does a zeppelin ride cost?';
  const put = async (price: string): Promise<void> => {
    const content = `# Zeppelin rides\n\nA zeppelin ride over the lake costs ${price}, children pay half.\n`;
    await call('PUT /api/kb/articles/rides/zeppelin.md', { title: 'Zeppelin rides', content });
    // Each answer is stored before the next one is counted.
    const answered = async () => (await askKept(PRICE, { librarian: 'navigator' })).answer;
    await expect.poll(answered, { timeout: 20_000 }).toContain(price);
  };
  const replay = async (id: string, body: object): Promise<AnswerReplay> => {
    const response = await call(`POST /v1/answers/${id}/replay`, body);
    expect([response.status, await response.clone().text()]).toEqual([200, expect.anything()]);
    return AnswerReplay.parse(await response.json());
  };
  const changesOf = ({ difference }: AnswerReplay) => [...new Set(difference.map(({ change }) => change))];

  it('answers from the current and from an older edition, and compares the statements', async () => {
    await put('90 euros');
    const before = await askKept(PRICE, { librarian: 'navigator' });
    await put('120 euros');
    const { total } = await list();
    const current = await replay(before.id, {});
    expect(current.after.answer).toContain('120 euros');
    expect(changesOf(current)).toContain('changed');
    expect(current.after.edition).not.toBe(before.edition);
    const older = await replay(before.id, { edition: before.edition });
    expect(older.after).toMatchObject({ edition: before.edition, answer: before.answer });
    expect(changesOf(older)).toEqual(['kept']);
    expect((await list()).total).toBe(total);
    // The right to read older editions is not the asker's.
    const { response } = await ask(PRICE, { librarian: 'navigator', metadata: { edition: before.edition } });
    expect(response.answer).toContain('120 euros');
  });

  it('asks another librarian, without a model', async () => {
    const { id } = await askKept(SHIPPING, { librarian: 'navigator' });
    const { before, after } = await replay(id, { librarian: 'semantic', model: false });
    expect([before.librarians, after.librarians]).toEqual([['navigator'], ['semantic']]);
    expect(after.tokens).toBe(0);
  });

  it('refuses an edition that is not stored, another key, and an unknown answer', async () => {
    const { id } = await askKept(SHIPPING);
    const gone = await errorOf(`POST /v1/answers/${id}/replay`, { edition: 'e000099-00000000' });
    expect(gone).toMatchObject({ status: 404, message: expect.stringContaining('not stored any more') });
    expect(await errorOf(`POST /v1/answers/${id}/replay`, { edition: '../current' })).toMatchObject({ status: 400 });
    expect(await errorOf(`POST /v1/answers/${id}/replay`, { librarian: 'unknown' })).toMatchObject({ status: 404 });
    expect(await errorOf(`POST /v1/answers/${id}/replay`, {}, KEYS.asker)).toMatchObject({ status: 401 });
    expect(await errorOf(`POST /v1/answers/${id}/replay`, {}, KEYS.acme)).toMatchObject({ status: 404 });
    expect(await errorOf(`POST /v1/answers/${NO_SUCH}/replay`, {})).toMatchObject({ status: 404 });
  });
});

describe('answers for an audience', () => {
  const PRICE = 'What does a submarine ride cost?';
  const SECRET = '55 euros';
  const FILE = 'rides/submarine.md';
  const askIn = (key: string, more: object = {}) => ask(PRICE, { librarian: 'navigator', ...more }, key);
  const publish = async (price: string): Promise<void> => {
    const content = `# Submarine rides\n\nA submarine ride below the lake costs ${price} for the staff.\n`;
    const article = { title: 'Submarine rides', content, metadata: { audience: ['staff'] } };
    expect((await call(`PUT /api/kb/articles/${FILE}`, article)).status).toBeLessThan(300);
    const answered = async () => (await askIn(KEYS.staff)).response.answer;
    await expect.poll(answered, { timeout: 20_000 }).toContain(price);
  };
  const count = async (key: string): Promise<AnswerStatistics> =>
    AnswerStatistics.parse(await (await call('GET /v1/answers/statistics?bucket=hour', undefined, key)).json());
  const replayed = async (id: string, key: string, body: object): Promise<string> => {
    const response = await call(`POST /v1/answers/${id}/replay`, body, key);
    expect(response.status).toBe(200);
    return response.text();
  };

  it('are not counted, read or replayed without it, on the current edition or an older one', async () => {
    await publish(SECRET);
    const secret = await kept((await askIn(KEYS.staff)).id);
    expect(secret.answer).toContain(SECRET);
    const open = await kept((await askIn(KEYS.clerk)).id);
    expect(JSON.stringify(open)).not.toContain(SECRET);

    expect((await list('', KEYS.staff)).answers.map(({ id }) => id)).toContain(secret.id);
    const readable = await list('', KEYS.clerk);
    expect(readable.answers.map(({ id }) => id)).not.toContain(secret.id);
    expect((await count(KEYS.clerk)).total).toBe(readable.total);
    const [all, some] = [await count(KEYS.staff), await count(KEYS.clerk)];
    expect(all.total).toBe((await list('', KEYS.staff)).total);
    expect(all.total).toBeGreaterThan(some.total);
    expect(all.latency.total?.count).toBeGreaterThan(some.latency.total?.count ?? 0);

    expect(await errorOf(`POST /v1/answers/${secret.id}/replay`, {}, KEYS.clerk)).toMatchObject({ status: 404 });
    expect(await replayed(open.id, KEYS.clerk, {})).not.toContain(SECRET);
    await publish('77 euros');
    const { edition } = secret;
    expect(await replayed(open.id, KEYS.staff, { edition })).toContain(SECRET);
    const shown = await replayed(open.id, KEYS.clerk, { edition });
    expect(shown).toContain(String(edition));
    expect(shown).not.toMatch(/55 euros|77 euros|submarine\.md/);
  });

  it('do not show its articles in an explanation', async () => {
    const explained = async (key: string) =>
      Explanation.parse((await askIn(key, { explain: true })).response.metadata?.explain);
    expect((await explained(KEYS.staff)).passages.map(({ file }) => file)).toContain(FILE);
    const { passages } = await explained(KEYS.clerk);
    expect(passages.length).toBeGreaterThan(0);
    expect(JSON.stringify(passages)).not.toMatch(/submarine/i);
  });
});

describe('erasing answers', () => {
  const erase = async (query: string) => (await call(`DELETE /v1/answers?${query}`)).json();

  it('removes those of a person, of a conversation, a single one, or all before a time', async () => {
    await askKept(SHIPPING, { metadata: { person_id: 'p-20' } });
    await askKept(SHIPPING, { metadata: { person_id: 'p-20' } });
    const { id } = await askKept(SHIPPING, { conversation_id: 'c-20' });
    const last = await askKept(SHIPPING);
    expect(await erase('person_id=p-20')).toEqual({ erased: 2 });
    expect(await erase('person_id=p-20')).toEqual({ erased: 0 });
    expect(await erase('conversation_id=c-20')).toEqual({ erased: 1 });
    expect(await errorOf(`GET /v1/answers/${id}`)).toMatchObject({ status: 404 });
    const { total } = await list();
    expect(await erase(`before=${last.asked_at}`)).toEqual({ erased: total - 1 });
    expect((await call(`DELETE /v1/answers/${last.id}`)).status).toBe(204);
    expect((await list()).total).toBe(0);
  });

  it('happens with the memories of the person', async () => {
    await askKept(SHIPPING, { conversation_id: 'c-30', metadata: { person_id: 'p-30' } });
    const erased = await (await call('DELETE /v1/workspaces/default/memories?person_id=p-30')).json();
    expect(erased).toEqual({ erased: 2, answers: 1 });
    expect((await list('person_id=p-30')).total).toBe(0);
  });

  it.each(['', 'person_id=a&conversation_id=b', 'before=soon', 'all=true'])('refuses the query "%s"', async (query) => {
    expect(await errorOf(`DELETE /v1/answers?${query}`)).toMatchObject({ code: 'INVALID_QUERY' });
  });
});
