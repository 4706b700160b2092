import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KnowledgeGapsResponse } from '../../src/contract/knowledge-gaps.ts';
import { KnowledgeRetrieval, unavailableRetrieval } from '../../src/contract/knowledge-retrieval.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';
import { SAMPLE_KNOWLEDGE_BASE } from '../../src/dev/sample/files.ts';
import { type ApiKeyRecord, hashApiKey } from '../../src/gateway/api-keys.ts';

const OTHER_KEY = 'ck_other_workspace_0123456789';
const READER_KEY = 'ck_reader_0123456789abcdef';

let folder: string;
let product: Product;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-gaps-'));
  cpSync(SAMPLE_KNOWLEDGE_BASE, folder, { recursive: true });
  product = await startProduct({ kb: { folder }, port: 0 });
  const keys = await product.miniflare.getKVNamespace('API_KEYS', 'constellation-gateway');
  const capabilities = ['kb:read', 'support:analyze'];
  const other: ApiKeyRecord = { name: 'other', workspaces: ['acme'], capabilities, rate: 'unlimited' };
  await keys.put(await hashApiKey(OTHER_KEY), JSON.stringify(other));
  const reader: ApiKeyRecord = {
    name: 'reader',
    workspaces: ['default'],
    capabilities: ['kb:read'],
    rate: 'unlimited',
  };
  await keys.put(await hashApiKey(READER_KEY), JSON.stringify(reader));
  await product.sync({ full: true });
});

afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const send = (path: string, { key = product.key, body }: { key?: string; body?: unknown } = {}): Promise<Response> =>
  fetch(new URL(path, product.url), {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });

const retrieve = async (body: unknown) => {
  const response = await send('/v1/knowledge/retrieve', { body });
  expect(response.status).toBe(200);
  return KnowledgeRetrieval.parse(await response.json());
};

const listed = async (state: string, key = product.key) =>
  KnowledgeGapsResponse.parse(await (await send(`/v1/knowledge/gaps?state=${state}`, { key })).json());

/** What is kept after an answer is there a moment later: asked for until it is, for five seconds. */
const untilListed = async (state: string, isThere: (gaps: KnowledgeGapsResponse['gaps']) => boolean) => {
  for (let tries = 0; ; tries++) {
    const page = await listed(state);
    if (isThere(page.gaps) || tries === 400) return page;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const ZIGBEE = {
  intent: 'general_info',
  message: 'Hi team,\ncan I pair my Apollo III with a Zigbee hub? Write to ann@example.org\nRegards\nAnn',
  metadata: { product: 'Apollo III' },
};

describe('POST /v1/knowledge/retrieve', () => {
  it('gives the articles of the named product for the example of the contract, with high coverage and no gap', async () => {
    const knowledge = await retrieve({
      intent: 'not_hashing',
      message: 'My Apollo shows 0 H/s for 3 days. Already tried restarting.',
      metadata: { product: 'Apollo II', attachments: ['debug.log'] },
    });
    expect(knowledge).toMatchObject({ coverage: 'high', gaps: [] });
    expect(knowledge.sources_consulted.map(({ title }) => title)).toEqual([
      'Device is not hashing (0 H/s)',
      'Apollo II not hashing',
    ]);
  });

  it('gives low coverage or none for a product without articles, and names it', async () => {
    const knowledge = await retrieve({
      intent: 'not_hashing',
      message: 'It shows 0 H/s for 3 days. Already tried restarting.',
      metadata: { product: 'Hyperion 9' },
    });
    expect(['low', 'none']).toContain(knowledge.coverage);
    expect(knowledge.sources_consulted).toEqual([]);
    expect(knowledge.gaps.join()).toContain('Hyperion 9');
  });

  it('gives the documented block for a request in another form, and refuses what is no JSON', async () => {
    const response = await send('/v1/knowledge/retrieve', { body: { intent: 7 } });
    expect(response.status).toBe(200);
    const { degraded, detail, ...block } = KnowledgeRetrieval.parse(await response.json());
    expect(block).toEqual(unavailableRetrieval());
    expect(degraded).toEqual(['invalid_query']);
    expect(detail).toContain('intent');
    const text = await fetch(new URL('/v1/knowledge/retrieve', product.url), {
      method: 'POST',
      body: 'not json',
      headers: { authorization: `Bearer ${product.key}`, 'content-type': 'application/json' },
    });
    expect(text.status).toBe(400);
  });

  it('gives the documented block for a workspace without a knowledge base', async () => {
    const response = await send('/v1/knowledge/retrieve', { key: OTHER_KEY, body: ZIGBEE });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(unavailableRetrieval());
  });
});

describe('GET /v1/knowledge/gaps', () => {
  it('lists a gap once, counted, without what names a person, and in its own workspace alone', async () => {
    await retrieve(ZIGBEE);
    await retrieve(ZIGBEE);
    await retrieve({ ...ZIGBEE, message: 'Does the Zigbee hub pair with my Apollo III?' });
    const isZigbee = ({ gap }: { gap: string }) => gap.includes('Zigbee');
    const { gaps } = await untilListed('open', (all) => all.some((each) => isZigbee(each) && each.count === 2));
    const found = gaps.filter(isZigbee);
    expect(found).toMatchObject([{ count: 2, product: 'Apollo III', intent: 'general_info', closed_at: null }]);
    expect(found[0]?.example_queries).toHaveLength(2);
    expect(JSON.stringify(found)).not.toContain('ann@example.org');
    expect(JSON.stringify(found)).not.toContain('Regards');
    expect(await listed('all', OTHER_KEY)).toMatchObject({ gaps: [], total: 0, edition: null });
  });

  it('needs the right to analyse', async () => {
    expect((await send('/v1/knowledge/gaps', { key: READER_KEY })).status).toBe(401);
    expect((await send('/v1/knowledge/gaps?state=gone')).status).toBe(400);
    expect((await send('/v1/knowledge/gaps?cursor=what')).status).toBe(400);
  });

  it('closes a gap when a sync brings the article, and opens it again when that goes', async () => {
    const isZigbee = ({ gap }: { gap: string }) => gap.includes('Zigbee');
    await untilListed('open', (all) => all.some(isZigbee));
    const file = join(folder, 'network/zigbee.md');
    writeFileSync(
      file,
      [
        '---',
        'title: Pair the Apollo III with a Zigbee hub',
        'intent: [general_info]',
        'device: [Apollo III]',
        'last_updated: 2026-10-01T00:00:00Z',
        '---',
        '',
        'Apollo III speaks Zigbee 3.0 from firmware 3.4.0 on. Hold the button of the hub for three seconds, then open',
        '**Network > Zigbee** in the dashboard and select **Pair**. The hub is paired when the LED blinks blue.',
      ].join('\n'),
    );
    await product.sync({ full: true });
    const closed = await untilListed('closed', (all) => all.some(isZigbee));
    expect(closed.gaps.find(isZigbee)).toMatchObject({ state: 'closed', checked_edition: closed.edition });
    expect((await listed('open')).gaps.some(isZigbee)).toBe(false);
    rmSync(file);
    await product.sync({ full: true });
    const again = async () => {
      await retrieve({ ...ZIGBEE, message: 'Is a Zigbee hub paired with the Apollo III by its button?' });
      return listed('open');
    };
    // An isolate looks for a newer edition every few seconds.
    await expect
      .poll(async () => (await again()).gaps.find(isZigbee), { timeout: 20_000, interval: 100 })
      .toMatchObject({ state: 'open', closed_at: null });
  });

  it('compares by its schedule too, in every workspace that has gaps', async () => {
    const support = await product.miniflare.getWorker('constellation-support');
    expect(await support.scheduled({ cron: '53 * * * *' })).toMatchObject({ outcome: 'ok' });
  });
});
