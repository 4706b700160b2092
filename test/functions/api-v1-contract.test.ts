import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnowledgeRetrieval, unavailableRetrieval } from '../../src/contract/knowledge-retrieval.ts';
import { type SupportRequest, SupportResponse, SupportResponseV1 } from '../../src/contract/support-response.ts';
import { type FolderKb, serveFolder } from '../../src/dev/run/folder-kb.ts';
import { type Product, type ProductOptions, startProduct } from '../../src/dev/run/product.ts';
import { SAMPLE_KNOWLEDGE_BASE, SAMPLE_TAXONOMY } from '../../src/dev/sample/files.ts';
import { quotingModel } from '../../src/dev/stand-ins/quoting-model.ts';
import { type LocalServices, startServices } from '../../src/dev/stand-ins/start-services.ts';
import { type ApiKeyRecord, hashApiKey } from '../../src/gateway/api-keys.ts';
import { readAsV1 } from './v1-client.ts';

/** A request with a product and attachments (docs/contract.md#knowledge-retrieval). */
const TICKET: SupportRequest = {
  message: 'My Apollo shows 0 H/s for 3 days. Already tried restarting.',
  customer_name: 'Dana Whitfield',
  metadata: { product: 'Apollo II', attachments: ['debug.log'] },
};
/** Drafts of its intent may be sent without a person. */
const SENDABLE: SupportRequest = { message: 'How do I make a backup of the settings of my Apollo II?' };
const MESSAGES = [TICKET, SENDABLE, { message: 'My Apollo III is loud' }, { message: 'What is the weather like?' }];

/** Every reply is of v1.1, and one that v1.0 clients understand. */
const analyze = async (product: Pick<Product, 'fetch'>, request: SupportRequest): Promise<SupportResponse> => {
  const response = await product.fetch('/v1/support/analyze', { method: 'POST', body: JSON.stringify(request) });
  const json: unknown = await response.json();
  expect(response.status, JSON.stringify(json)).toBe(200);
  expect(SupportResponseV1.safeParse(json).error).toBeUndefined();
  expect(readAsV1(json).text.length).toBeGreaterThan(20);
  const reply = SupportResponse.parse(json);
  expect(KnowledgeRetrieval.safeParse(reply.knowledge_retrieval).error).toBeUndefined();
  return reply;
};

const urlsOf = ({ knowledge_retrieval: { sources_consulted } }: SupportResponse) =>
  sources_consulted.map(({ url }) => url);

const opened: { stop(): Promise<void> }[] = [];
const start = async (options: Partial<ProductOptions> = {}): Promise<Product> => {
  const product = await startProduct({ kb: 'sample', port: 0, ...options });
  opened.push(product);
  return product;
};

/** Where the knowledge base of the product comes from. */
let host: FolderKb;
let product: Product;
/** As before its first sync: there is no index yet. */
let empty: Product;

beforeAll(async () => {
  host = await serveFolder(SAMPLE_KNOWLEDGE_BASE, (id) => `https://docs.example.com/${id}`);
  [product, empty] = await Promise.all([start({ kb: { url: host.url }, taxonomy: SAMPLE_TAXONOMY }), start()]);
  await product.sync({ full: true });
}, 120_000);

afterAll(async () => {
  await Promise.all(opened.map((each) => each.stop()));
  await host?.close();
});

describe('the integration tests of the support API', () => {
  it('test_knowledge_retrieval_populated', async () => {
    const reply = await analyze(product, TICKET);
    const { sources_consulted: sources, coverage, gaps, retrieval_time_ms } = reply.knowledge_retrieval;
    expect(coverage).toBe('high');
    expect(gaps).toEqual([]);
    expect(urlsOf(reply).toSorted()).toEqual([
      'https://docs.example.com/troubleshooting/apollo-ii-not-hashing',
      'https://docs.example.com/troubleshooting/not-hashing',
    ]);
    expect(retrieval_time_ms).toBeGreaterThan(0);
    for (const { excerpt } of sources) expect(excerpt).not.toBe('');
    // Named beside the text, for the agent.
    for (const { url } of reply.draft.references ?? []) expect(urlsOf(reply)).toContain(url);
    expect(reply.draft.references?.length).toBeGreaterThan(0);
    expect(reply.draft.text).not.toContain('[1]');
    expect(reply.intent_classification.primary_intent).toBe('not_hashing');
    expect(reply.draft.text).toMatch(/^Hello Dana Whitfield,/);
    expect(reply.draft.source_grounding).toBe(1);
    expect(reply.agent_guidance.recommended_steps.length).toBeGreaterThan(0);
    // What was tried is not advised again.
    expect(JSON.stringify([reply.draft, reply.agent_guidance.recommended_steps])).not.toMatch(/60 seconds|Restart/);
  });

  it('test_knowledge_retrieval_empty_on_failure', async () => {
    const reply = await analyze(empty, TICKET);
    expect(reply.knowledge_retrieval).toEqual(unavailableRetrieval());
    expect(reply.intent_classification.primary_intent).toBe('not_hashing');
    expect(reply.draft.text).toMatch(/^Hello Dana Whitfield,\n\nthank you for writing to us\./);
    expect(reply.draft.references).toEqual([]);
  });

  it('test_knowledge_retrieval_latency', async () => {
    let day = 0;
    /** The median and the longest of twenty tickets, each of which asks something new. */
    const timesMs = async () => {
      const times: number[] = [];
      for (let ticket = 0; ticket < 20; ticket += 1) {
        day += 1;
        const { knowledge_retrieval } = await analyze(product, { ...TICKET, message: `${TICKET.message} Day ${day}.` });
        times.push(knowledge_retrieval.retrieval_time_ms);
      }
      const [median = Infinity, longest = Infinity] = [10, 19].map(
        (at) => times.toSorted((one, other) => one - other)[at],
      );
      return median <= 35 && longest <= 100 ? 'in time' : { median, longest };
    };
    // What else the machine does makes some of them slow, and not all.
    await expect.poll(timesMs, { timeout: 90_000 }).toBe('in time');
  }, 120_000);

  it('test_knowledge_retrieval_does_not_break_auto_send', async () => {
    const allowed: boolean[] = [];
    for (const request of MESSAGES) {
      const [withKnowledge, without] = [await analyze(product, request), await analyze(empty, request)];
      expect(withKnowledge.draft.auto_send).toBe(without.draft.auto_send);
      expect(withKnowledge.agent_guidance.auto_send).toEqual(without.agent_guidance.auto_send);
      expect(withKnowledge.agent_guidance.auto_send.allowed).toBe(withKnowledge.draft.auto_send);
      expect(withKnowledge.intent_classification).toEqual(without.intent_classification);
      allowed.push(withKnowledge.draft.auto_send);
    }
    expect(new Set(allowed)).toEqual(new Set([true, false]));
  });
});

describe('a device without articles', () => {
  it('has low coverage or none, and the gap is named and stored', async () => {
    const message = 'My Apollo IX shows 0 H/s. What can I do?';
    const { knowledge_retrieval: block } = await analyze(product, { message, metadata: { product: 'Apollo IX' } });
    expect(['low', 'none']).toContain(block.coverage);
    expect(block.gaps.join('\n')).toContain('Apollo IX');
    await expect
      .poll(async () => JSON.stringify(await (await product.fetch('/v1/knowledge/gaps')).json()), { timeout: 10_000 })
      .toContain('Apollo IX');
  });
});

describe('who may ask', () => {
  const withKey = async (key: string, capabilities: string[]): Promise<Pick<Product, 'fetch'>> => {
    const record: ApiKeyRecord = { name: key, workspaces: ['default'], capabilities, rate: 'unlimited' };
    const keys = await product.miniflare.getKVNamespace('API_KEYS', 'constellation-gateway');
    await keys.put(await hashApiKey(key), JSON.stringify(record));
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    return { fetch: (path, init) => fetch(new URL(path, product.url), { ...init, headers }) };
  };

  it('analyses without the knowledge base where the right to read it is missing', async () => {
    const client = await withKey('ck_no_knowledge_0123456789', ['support:analyze']);
    const reply = await analyze(client, TICKET);
    expect(reply.knowledge_retrieval).toEqual(unavailableRetrieval());
  });

  it('refuses a key without support:analyze, and a body in another form', async () => {
    const client = await withKey('ck_reader_0123456789abcdef', ['kb:read']);
    const refused = await client.fetch('/v1/support/analyze', { method: 'POST', body: JSON.stringify(TICKET) });
    expect([401, 403]).toContain(refused.status);
    const body = JSON.stringify({ message: ' ' });
    expect((await product.fetch('/v1/support/analyze', { method: 'POST', body })).status).toBe(400);
  });
});

describe('the degradation table', () => {
  const SERVICES = ['vector store unavailable', 'embedding model error'] as const;
  let services: LocalServices;
  let onServices: Product;

  beforeAll(async () => {
    services = await startServices();
    services.openai.answerWith(quotingModel);
    onServices = await start({ adapters: services.variables });
    await onServices.sync({ full: true });
  }, 120_000);

  afterAll(() => services?.stop());

  const breakDown = {
    'vector store unavailable': () => services.vector.faults.always({ kind: 'reset' }),
    'embedding model error': () =>
      services.openai.faults.always({ kind: 'status', status: 500, message: 'no model' }, '/v1/embeddings'),
  } satisfies Record<(typeof SERVICES)[number], () => void>;

  it.each(SERVICES)('row: %s: words alone are searched', async (row) => {
    breakDown[row]();
    try {
      const reply = await analyze(onServices, { ...TICKET, message: `${TICKET.message} (${row})` });
      expect(urlsOf(reply)).toContain('https://docs.example.com/troubleshooting/not-hashing');
      const block = await retrieve(onServices, { intent: 'not_hashing', message: `0 H/s on my Apollo II (${row})` });
      expect(KnowledgeRetrieval.safeParse(block).error).toBeUndefined();
    } finally {
      services.vector.faults.none();
      services.openai.faults.none();
    }
  });

  it('row: vector store unavailable: an index that is not there yet gives the documented block', async () => {
    expect(await retrieve(empty, { intent: 'not_hashing', message: '0 H/s' })).toEqual(unavailableRetrieval());
    expect((await analyze(empty, TICKET)).knowledge_retrieval).toEqual(unavailableRetrieval());
  });

  it('row: retrieval timeout: the documented block, within the time', async () => {
    const slow = await start({
      moreWorkers: [{ name: 'hanging', main: 'test/functions/hanging.ts' }],
      moreServices: { 'constellation-support': { LIBRARY: 'hanging' } },
    });
    // The quickest of some: the first request starts the function, and the machine may have much else to do.
    const timeMs = (ask: () => Promise<unknown>) => async () => {
      const begun = performance.now();
      expect(await ask()).toEqual(unavailableRetrieval());
      return performance.now() - begun;
    };
    const retrieved = timeMs(() => retrieve(slow, { intent: 'not_hashing', message: '0 H/s' }));
    await expect.poll(retrieved, { timeout: 30_000 }).toBeLessThan(1000);
    // An analysis waits for the edition, and not for ever.
    const analysed = timeMs(async () => (await analyze(slow, TICKET)).knowledge_retrieval);
    await expect.poll(analysed, { timeout: 60_000 }).toBeLessThan(3000);
  }, 120_000);

  it('row: retrieval timeout: the first analysis of an isolate waits for the edition', async () => {
    const cold = await start({
      moreWorkers: [
        {
          name: 'slow',
          main: 'test/functions/slow.ts',
          services: { NEXT: 'constellation-library' },
          vars: { MS: '500' },
        },
      ],
      moreServices: { 'constellation-support': { LIBRARY: 'slow' } },
    });
    await cold.sync({ full: true });
    const { knowledge_retrieval } = await analyze(cold, TICKET);
    expect(knowledge_retrieval.coverage).toBe('high');
    // The half second is not the retrieval's.
    expect(knowledge_retrieval.retrieval_time_ms).toBeLessThan(500);
  });

  it('row: host API unreachable: what was synced before is still there', async () => {
    await host.close();
    const { last_report } = await product.sync({ full: true });
    expect(last_report?.outcome).toBe('failed');
    const reply = await analyze(product, TICKET);
    expect(reply.knowledge_retrieval.coverage).toBe('high');
    expect(urlsOf(reply)).toContain('https://docs.example.com/troubleshooting/not-hashing');
  });

  it.each([
    { intent: '', message: 'x' },
    { intent: 'not_hashing' },
    { intent: 'not_hashing', message: 7 },
    { intent: 'not_hashing', message: '0 H/s', metadata: { product: ['Apollo'] } },
  ])('row: invalid query: the documented block for %j', async (request) => {
    expect(await retrieve(product, request)).toMatchObject(unavailableRetrieval());
  });

  it.each(['🤖 ??? …', '\u0000\u202e', '^$.*+?()[]{}|\\', 'a'.repeat(32_000), 'the of and to'])(
    'row: invalid query: a message that cannot be searched is analysed all the same: %j',
    async (message) => {
      const { knowledge_retrieval } = await analyze(product, {
        message,
        subject: message.slice(0, 1000),
        customer_name: message.slice(0, 200),
      });
      expect(knowledge_retrieval.sources_consulted).toEqual([]);
      expect(knowledge_retrieval.coverage).toBe('none');
    },
  );

  it('lets a model smooth the draft, and no longer when it fails or hangs', async () => {
    const { draft } = await analyze(onServices, TICKET);
    expect(draft.written_by).toBe('model');
    expect(draft.text).toMatch(/^Hello Dana Whitfield,/);
    for (const fault of [{ kind: 'hang-before-headers' }, { kind: 'malformed-json' }, { kind: 'reset' }] as const) {
      services.openai.faults.always(fault, '/v1/chat/completions');
      const begun = performance.now();
      const reply = await analyze(onServices, { ...TICKET, message: `${TICKET.message} (${fault.kind})` });
      services.openai.faults.none();
      expect(performance.now() - begun, fault.kind).toBeLessThan(16_000);
      expect(reply.draft.written_by).toBe('template');
      expect(reply.agent_guidance.risks.join('\n')).toContain('written without a model');
      expect(reply.draft.auto_send).toBe(draft.auto_send);
    }
  }, 60_000);
});

const retrieve = async (from: Product, request: unknown): Promise<unknown> => {
  const response = await from.fetch('/v1/knowledge/retrieve', { method: 'POST', body: JSON.stringify(request) });
  expect(response.status).toBe(200);
  return response.json();
};
