import parsePrometheusTextFormat from 'parse-prometheus-text-format';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ask, grant, send, startOnServices } from './product-for-test.ts';

const OPERATOR = 'ck_operator_0123456789abcd';
const READER = 'ck_reader_0123456789abcdef';

let running: Awaited<ReturnType<typeof startOnServices>>;

beforeAll(async () => {
  running = await startOnServices({ functions: ['library', 'navigator', 'webhooks'] });
  await grant(running.product, OPERATOR, { capabilities: ['metrics:read'] });
  await grant(running.product, READER, { capabilities: ['kb:read'] });
  await running.product.sync({ full: true });
});

afterAll(() => running?.stop());

const scrape = async () => {
  const response = await send(running.product, 'GET /metrics', undefined, OPERATOR);
  const text = await response.text();
  expect([response.status, response.headers.get('content-type')], text).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const families = parsePrometheusTextFormat(text);
  /** The sum of the samples with these labels. */
  const sumOf = (name: string, labels: Record<string, string> = {}): number | undefined => {
    const samples = families
      .find((family) => family.name === name)
      ?.metrics.filter((sample) =>
        Object.entries(labels).every(([label, value]) => sample.labels?.[label] === value),
      );
    return samples?.reduce(
      (sum, sample) => sum + Number('value' in sample ? sample.value : sample.count),
      0,
    );
  };
  return { text, families, sumOf };
};

describe('GET /metrics', () => {
  it('shows the counters of all functions in the text format of Prometheus', async () => {
    const question = 'Can I use a normal PC power supply with my Apollo II?';
    for (let asked = 0; asked < 3; asked += 1)
      expect((await ask(running.product, question)).status).toBe(200);
    expect((await send(running.product, 'POST /v1/ask', {})).status).toBe(400);
    const of = { function: 'gateway', route: 'POST /v1/ask' };
    const settled = async () => {
      const { sumOf } = await scrape();
      const asked = sumOf('constellation_requests_total', { ...of, outcome: 'ok' });
      return asked === 3 && (sumOf('constellation_model_calls_total') ?? 0) > 0;
    };
    await vi.waitUntil(settled, { timeout: 60_000, interval: 500 });
    const { families, sumOf, text } = await scrape();
    expect(sumOf('constellation_requests_total', { ...of, outcome: 'INVALID_QUERY' })).toBe(1);
    expect(text).toContain(
      '\nconstellation_request_duration_seconds_count{function="gateway",route="POST /v1/ask"} 4\n',
    );
    expect(sumOf('constellation_requests_total', { function: 'navigator' })).toBeGreaterThan(0);
    expect(sumOf('constellation_model_tokens_total', { direction: 'input' })).toBeGreaterThan(0);
    expect(sumOf('constellation_embedding_lookups_total', { result: 'miss' })).toBeGreaterThan(0);
    expect(sumOf('constellation_articles', { workspace: 'default' })).toBeGreaterThan(20);
    expect(sumOf('constellation_sync_age_seconds', { workspace: 'default' })).toBeGreaterThan(0);
    expect(sumOf('constellation_sync_failed')).toBe(0);
    expect(sumOf('constellation_tickets', { state: 'open' })).toBe(0);
    expect(sumOf('constellation_source_up')).toBe(2);
    // Every family has its help and its type, and no text of a question.
    for (const { name, help, type } of families) {
      expect([name, help.length > 10, type], name).toEqual([
        expect.stringMatching(/^constellation_[a-z_]+$/),
        true,
        expect.stringMatching(/^(COUNTER|GAUGE|HISTOGRAM)$/),
      ]);
    }
    expect(text).not.toMatch(/power supply|Apollo/);
    const buckets = [
      ...text.matchAll(/_bucket\{function="gateway",route="POST \/v1\/ask",le="([^"]+)"\} (\d+)/g),
    ];
    expect(buckets).toHaveLength(13);
    const inOrder = buckets.map(
      ([, le, count]) => [le === '+Inf' ? Infinity : Number(le), Number(count)] as const,
    );
    inOrder.sort(([one], [other]) => one - other);
    expect(inOrder.map(([, count]) => count)).toEqual(
      inOrder.map(([, count]) => count).toSorted((a, b) => a - b),
    );
    expect(inOrder.at(-1)).toEqual([Infinity, 4]);
  });

  it('refuses a key without metrics:read, and a request without a key', async () => {
    const refused = await send(running.product, 'GET /metrics', undefined, READER);
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { error: { code: 'UNAUTHORIZED', details: { missing: 'metrics:read' } } },
    ]);
    expect((await fetch(new URL('/metrics', running.product.url))).status).toBe(401);
  });
});
