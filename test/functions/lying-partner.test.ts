import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JoinedAnswer, LibrarianResponse } from '../../src/contract/core/response.ts';
import { readEvents } from '../../src/platform/http/event-stream.ts';
import { ROOT } from '../../tools/functions.ts';
import type { Product } from '../../tools/run/product.ts';
import { relayWorkers } from '../../tools/run/relays/relay-workers.ts';
import { CLAIMED_FILE, LIE, type Misbehaving, serveMisbehaving } from './misbehaving-librarians.ts';
import { ask, send, startEmbedded } from './product-for-test.ts';

const LIAR = 'partner.lying';
const UNSIGNED = 'partner.unsigned';
const QUESTION = 'How do I reset the dashboard password?';

let product: Product;
let misbehaving: Misbehaving;

beforeAll(async () => {
  misbehaving = await serveMisbehaving();
  const relays = relayWorkers(2);
  product = await startEmbedded({
    functions: ['library', 'navigator', 'semantic', 'memory', 'a2a'],
    moreWorkers: relays.workers.map((worker) => ({
      ...worker,
      services: { ...worker.services, NAVIGATOR: 'constellation-navigator' },
    })),
    moreServices: { 'constellation-gateway': relays.services },
    allVars: relays.vars,
    partners: misbehaving.partners,
  });
  misbehaving.gateway = product.url.origin;
  await product.sync({ full: true });
}, 120_000);

afterAll(async () => {
  await product?.stop();
  await misbehaving?.close();
});

/** What the claims of the partner may still say. */
const CLAIM = {
  text: LIE.answer,
  sources: [{ name: LIE.sources[0]?.name, url: LIE.sources[0]?.url, reported_by: LIAR }],
  support: 0,
  check: 'reported',
  reported_by: LIAR,
};

/** Fails when a text has evidence, or a name, that only our own functions give. */
const expectNoEvidence = (body: unknown): void => {
  const text = JSON.stringify(body);
  for (const claim of [
    CLAIMED_FILE,
    '"quoted"',
    '"quote"',
    '"start"',
    'understood_as',
    'e000001-00000000',
  ])
    expect(text).not.toContain(claim);
  expect(text).not.toContain('"support":1');
};

/** Asks for a stream; its events without those about the connection. */
const stream = async (body: object, route = 'POST /v1/ask') => {
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(new URL(path, product.url), {
    method,
    headers: {
      authorization: `Bearer ${product.key}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify(body),
  });
  const events: { name: string; data: unknown }[] = [];
  await readEvents(response, {
    maxBytes: 1e6,
    onEvent: ({ name = '', data }) =>
      void events.push({ name, data: data === '[DONE]' ? data : JSON.parse(data) }),
  });
  return events;
};

describe('what a partner claims', () => {
  it('is reported in its name, without any evidence of ours', async () => {
    const { reply } = await ask(product, QUESTION, { librarian: LIAR });
    expectNoEvidence(reply);
    expect(reply).toMatchObject({ answer: LIE.answer, confidence: 0.99 });
    expect(reply.sources).toEqual([{ ...LIE.sources[0], reported_by: LIAR }]);
    const { trace: _, answer_id: id, ...metadata } = reply.metadata ?? {};
    expect(id).not.toBe(LIE.metadata.answer_id);
    expect(metadata).toEqual({
      librarian: LIAR,
      reported_by: LIAR,
      // For readers; a name where it has registered with one.
      reporters: { [LIAR]: 'lying' },
      statements: [CLAIM],
      // What has no meaning here stays, where nothing of ours reads it.
      reported: { metadata: { type: 'semantic', result: { documents: [] }, station: 'Lisbon' } },
    });
  });

  it('is the same in a stream', async () => {
    const events = await stream({ query: QUESTION, librarian: LIAR });
    expectNoEvidence(events);
    expect(events.find(({ name }) => name === 'routing')?.data).toMatchObject({
      librarians: [{ id: LIAR, name: 'lying' }],
    });
    expect(events.find(({ name }) => name === 'statement')?.data).toEqual({
      type: 'statement',
      index: 0,
      ...CLAIM,
    });
    expect(events.at(-1)).toMatchObject({
      name: 'done',
      data: { metadata: { reported_by: LIAR } },
    });
  });

  it('does not leave without its receipt', async () => {
    const events = await stream({ query: QUESTION, librarian: UNSIGNED });
    expect(events.map(({ name }) => name)).toEqual(['routing', 'error']);
    expect(JSON.stringify(events)).not.toContain('seed words');
    const { status, reply } = await ask(product, QUESTION, { librarian: UNSIGNED });
    expect([status, reply.error?.code, reply.answer]).toEqual([
      502,
      'DELEGATION_FAILED',
      undefined,
    ]);
  });

  it('stays reported when a librarian of ours hands the question on, through any number of them', async () => {
    for (const via of [[], ['relay-2']]) {
      const plan = { via, delegates: [{ to: LIAR }] };
      const { reply } = await ask(product, QUESTION, { librarian: 'relay-1', metadata: { plan } });
      expectNoEvidence(reply);
      expect(reply.metadata).toMatchObject({ reported_by: LIAR, statements: [CLAIM] });
    }
    const plan = { delegates: [{ to: UNSIGNED }] };
    const events = await stream({ query: QUESTION, librarian: 'relay-1', metadata: { plan } });
    expect(JSON.stringify(events)).not.toContain('seed words');
  });

  it('is not joined with our evidence: the same address is two sources', async () => {
    const plan = { delegates: [{ to: LIAR }, { to: 'navigator' }] };
    const { reply } = await ask(product, QUESTION, { librarian: 'relay-1', metadata: { plan } });
    const [claimed, ...others] = (reply.sources ?? []).filter(
      ({ url }) => url === LIE.sources[0]?.url,
    );
    expect([claimed, ...others].map((source) => source?.reported_by).sort()).toEqual([
      LIAR,
      undefined,
    ]);
    const { parts } = JoinedAnswer.parse(reply.metadata);
    const [partner, own] = ['partner.lying', 'navigator'].map((id) =>
      parts.find(({ librarian }) => librarian === id),
    );
    expectNoEvidence(partner);
    expect(partner?.metadata).toMatchObject({ reported_by: LIAR });
    // The evidence of our own function is untouched.
    expect(JSON.stringify(own?.metadata)).toContain('"quote"');
    // By its name for readers; ids are in the metadata.
    expect(reply.answer).toContain('From lying');
  });

  it('is kept, and replayed, as reported', async () => {
    const { reply } = await ask(product, QUESTION, { librarian: LIAR });
    const id = String(reply.metadata?.answer_id);
    await expect.poll(async () => (await send(product, `GET /v1/answers/${id}`)).status).toBe(200);
    const kept = await (await send(product, `GET /v1/answers/${id}`)).json();
    expectNoEvidence(kept);
    expect(kept).toMatchObject({
      statements: [CLAIM],
      edition: null,
      metadata: { reported_by: LIAR },
    });
    const replay = await (await send(product, `POST /v1/answers/${id}/replay`, {})).json();
    expectNoEvidence(replay);
    expect(replay).toMatchObject({
      before: { statements: [CLAIM] },
      after: { statements: [CLAIM] },
    });
  });

  it('names the partner in the OpenAI form and in MCP', async () => {
    const messages = [{ role: 'user', content: QUESTION }];
    const chat = await (
      await send(product, 'POST /v1/chat/completions', { model: LIAR, messages })
    ).json();
    expectNoEvidence(chat);
    const note = /reported by lying, not checked here/;
    const [{ message }] = (
      chat as { choices: [{ message: { content: string; annotations: object[] } }] }
    ).choices;
    expect(message.content).toMatch(note);
    expect(message.annotations).toMatchObject([
      { url_citation: { title: expect.stringMatching(note) } },
    ]);
    const chunks = await stream(
      { model: LIAR, messages, stream: true },
      'POST /v1/chat/completions',
    );
    expectNoEvidence(chunks);
    expect(JSON.stringify(chunks)).toMatch(note);

    const call = { name: 'ask', arguments: { query: QUESTION, librarian: LIAR } };
    const called = await send(product, 'POST /mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: call,
    });
    const reported = await called.text();
    expectNoEvidence(reported.replaceAll('\\"', '"'));
    expect(reported).toMatch(note);
  });

  it('names it in the command line, at each statement that it claims', async () => {
    const run = (args: string[], input = '') =>
      new Promise<{ status: number | null; stdout: string }>((resolve) => {
        const env = {
          ...process.env,
          CONSTELLATION_URL: product.url.origin,
          CONSTELLATION_API_KEY: product.key,
        };
        const child = spawn('node', ['client/command-line/constellation.ts', ...args], {
          cwd: ROOT,
          env,
        });
        let stdout = '';
        child.stdout.on('data', (bytes: Buffer) => {
          stdout += bytes.toString();
        });
        child.once('close', (status) => resolve({ status, stdout }));
        child.stdin.end(input);
      });
    const claim = `${LIE.answer}\n\nReported by lying, not checked here.\n`;
    const source = `Log in and password reset (reported by lying) <${LIE.sources[0]?.url}>`;
    const [asked, chatted, unsigned, json] = await Promise.all([
      run(['ask', '--librarian', LIAR, QUESTION]),
      run(['chat', '--librarian', LIAR], `${QUESTION}\n`),
      run(['ask', '--librarian', UNSIGNED, QUESTION]),
      run(['ask', '--json', '--include', 'statements', '--librarian', LIAR, QUESTION]),
    ]);
    for (const { stdout } of [asked, chatted]) {
      expect(stdout).toContain(claim);
      expect(stdout).toContain(source);
      expect(stdout.match(/Reported by/g)).toHaveLength(1);
      expect(stdout).not.toContain(LIAR);
    }
    expect([asked.status, chatted.status, unsigned.status]).toEqual([0, 0, 1]);
    expect(unsigned.stdout).not.toContain('seed words');
    expectNoEvidence(JSON.parse(json.stdout));
    expect(JSON.parse(json.stdout)).toMatchObject({
      metadata: { reported_by: LIAR, statements: [CLAIM] },
    });
  });

  it('names it to readers by no id, in any interface', async () => {
    const plan = { delegates: [{ to: LIAR }, { to: 'navigator' }] };
    const joined = (await ask(product, QUESTION, { librarian: 'relay-1', metadata: { plan } }))
      .reply;
    const declined = (await ask(product, 'zzz', { librarian: UNSIGNED })).reply;
    const message = {
      messageId: crypto.randomUUID(),
      role: 'ROLE_USER',
      parts: [{ text: QUESTION }],
      metadata: { librarian: LIAR },
    };
    const a2a = await fetch(new URL('/a2a', product.url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${product.key}`,
        'content-type': 'application/json',
        'a2a-version': '1.0',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } }),
    });
    const task = JSON.stringify(await a2a.json());
    const texts = [...task.matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text);
    expect(texts.join()).toContain(LIE.answer);
    const responses = await send(product, 'POST /v1/responses', { model: LIAR, input: QUESTION });
    const { output } = (await responses.json()) as { output: { content?: { text: string }[] }[] };
    const written = output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join();
    expect(written).toContain('reported by lying');
    const shown = [
      joined.answer,
      joined.metadata?.reporters,
      declined.error?.message,
      declined.error?.suggestion,
      texts,
      written,
    ];
    for (const text of shown)
      expect(JSON.stringify(Object.values({ text: text ?? '' }))).not.toMatch(
        /partner\.(?:lying|unsigned)(?!":)/,
      );
  });
});

describe('our own functions', () => {
  it('keep their evidence, asked directly or through a librarian of ours', async () => {
    for (const more of [
      { librarian: 'navigator' },
      { librarian: 'relay-1', metadata: { plan: { delegates: [{ to: 'navigator' }] } } },
    ]) {
      const { reply } = await ask(product, QUESTION, more);
      const { statements = [] } = LibrarianResponse.parse(reply).metadata as {
        statements?: { check: string }[];
      };
      expect(statements[0]).toMatchObject({
        check: 'quoted',
        sources: expect.arrayContaining([
          expect.objectContaining({ file: CLAIMED_FILE, quote: expect.any(String) }),
        ]),
      });
      expect(reply.metadata?.reported_by).toBeUndefined();
      expect(reply.metadata?.navigator).toBeDefined();
    }
  });
});
