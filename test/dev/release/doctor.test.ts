import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AdapterVariables } from '../../../src/adapters/settings.ts';
import { examine, examineDirectory, examineHelpdesks, type Finding } from '../../../src/dev/release/examine.ts';
import { type LocalServices, startServices } from '../../../src/dev/stand-ins/start-services.ts';
import { startVectorServer } from '../../../src/dev/stand-ins/vector/vector-server.ts';
import { runNode } from '../node-for-test.ts';

let services: LocalServices;
let variables: AdapterVariables;

beforeAll(async () => {
  services = await startServices();
  variables = { ENVIRONMENT: 'development', ...services.variables };
});
afterAll(() => services.stop());
afterEach(() => {
  for (const { faults } of [services.vector, services.redis, services.openai]) faults.none();
});

const stateOf = (findings: readonly Finding[], what: string) =>
  findings.filter((finding) => finding.what === what).map(({ state, reported }) => [state, reported] as const)[0];

describe('examineDirectory()', () => {
  const now = Date.parse('2026-11-23');
  const directory = (seq: number, until: string, librarians: Record<string, { keys: []; cap?: string[] }> = {}) => ({
    ...{ seq, exp: Date.parse(until) / 1000, librarians },
  });

  it.each<[string, ReturnType<typeof directory>, number | undefined, Finding['state'], RegExp]>([
    ['valid for long', directory(3, '2027-06-01'), 3, 'well', /valid until 2027-06-01/],
    ['about to expire', directory(3, '2026-12-20'), undefined, 'worth knowing', /expires on 2026-12-20.*renew/],
    ['expired', directory(3, '2026-11-01'), undefined, 'wrong', /expired on 2026-11-01.*renew/],
    [
      'of an older version',
      directory(3, '2027-06-01', { support: { keys: [], cap: ['kb:read'] } }),
      3,
      'wrong',
      /support other rights/,
    ],
    ['older than the one in use', directory(3, '2027-06-01'), 4, 'wrong', /number 3, older than number 4/],
  ])('finds a directory that is %s', (_, claims, inUse, state, says) => {
    expect(examineDirectory(claims, { now, inUse })).toMatchObject({ state, reported: expect.stringMatching(says) });
  });
});

describe('examineHelpdesks()', () => {
  it('reports unusable and usable connections', () => {
    const zendesk = { apiUrl: 'https://acme.zendesk.com', secrets: ['HOOK'], token: 'TOKEN' };
    const findings = examineHelpdesks({
      HELPDESKS: JSON.stringify({ default: { zendesk, chatwoot: { secret: 'HOOK' } } }),
      ARTICLE_SOURCES: JSON.stringify({ acme: { tool: 'zendesk', apiUrl: zendesk.apiUrl, tokenSecret: 'UNSET' } }),
      ...{ HOOK: 'a secret of 24 letters and more', TOKEN: 'token' },
    });
    expect(stateOf(findings, 'zendesk (default)')?.[0]).toBe('well');
    expect(stateOf(findings, 'chatwoot (default)')).toEqual(['wrong', expect.stringContaining('secrets')]);
    expect(stateOf(findings, 'articles (acme)')).toEqual(['wrong', expect.stringContaining('not set')]);
  });
});

describe('examine()', () => {
  it('reports working services, and leaves nothing behind', async () => {
    const findings = await examine(variables);
    expect(findings.filter(({ state }) => state === 'wrong')).toEqual([]);
    for (const what of ['embeddings', 'answers by a model', 'Upstash Vector', 'Upstash Redis'])
      expect(stateOf(findings, what)?.[0]).toBe('well');
    const again = await examine(variables);
    expect(stateOf(again, 'Upstash Vector')?.[1]).toMatch(/^0 vectors in 1 namespaces/);
  });
  it('reports a model without a price', async () => {
    expect(stateOf(await examine(variables), 'prices')).toEqual([
      'worth knowing',
      expect.stringMatching(/MODEL_PRICES/),
    ]);
    const MODEL_PRICES = '{"gpt-4.1-mini": {"inputPerMillion": 0.4, "outputPerMillion": 1.6}}';
    expect(stateOf(await examine({ ...variables, MODEL_PRICES }), 'prices')).toBeUndefined();
  });
  it('reports what is not configured', async () => {
    const findings = await examine({});
    expect(findings.map(({ state }) => state)).toEqual(['well', ...new Array(4).fill('not configured')]);
  });
  it('names an invalid variable, and stops there', async () => {
    const findings = await examine({ ...variables, EMBEDDING_DIMENSIONS: 'many' });
    expect(findings).toEqual([
      { what: 'the variables', state: 'wrong', reported: 'Cannot use EMBEDDING_DIMENSIONS: is not a number' },
    ]);
  });
  it('reports an index of another dimension', async () => {
    const found = stateOf(await examine({ ...variables, EMBEDDING_DIMENSIONS: '512' }), 'Upstash Vector');
    expect(found).toEqual(['wrong', expect.stringMatching(/takes 1536 numbers, .* gives 512: make an index of 512/)]);
  });
  it('reports an index with another similarity function, and a read-only token', async () => {
    const euclid = await startVectorServer({ indexes: [{ token: 'local', similarityFunction: 'EUCLIDEAN' }] });
    const reader = await startVectorServer({ indexes: [{ token: 'writer', readOnlyToken: 'local' }] });
    const at = async (url: string) =>
      stateOf(await examine({ ...variables, UPSTASH_VECTOR_REST_URL: url }), 'Upstash Vector')?.[1];
    expect(await at(euclid.url)).toMatch(/compares by EUCLIDEAN/);
    expect(await at(reader.url)).toMatch(/UPSTASH_VECTOR_REST_TOKEN is the one that may write/);
    await Promise.all([euclid.stop(), reader.stop()]);
  });
  it('names the token or key that is not accepted, without its value', async () => {
    const findings = await examine({
      ...variables,
      UPSTASH_VECTOR_REST_TOKEN: 'wrong-vector',
      UPSTASH_REDIS_REST_TOKEN: services.redis.readOnlyToken,
      OPENAI_API_KEY: 'wrong-key',
    });
    for (const [what, name] of Object.entries({
      'Upstash Vector': 'UPSTASH_VECTOR_REST_TOKEN',
      'Upstash Redis': 'UPSTASH_REDIS_REST_TOKEN',
      embeddings: 'OPENAI_API_KEY',
      'answers by a model': 'OPENAI_API_KEY',
    }))
      expect(stateOf(findings, what)).toEqual(['wrong', expect.stringContaining(name)]);
    expect(JSON.stringify(findings)).not.toMatch(/wrong-vector|wrong-key/);
  });
  it('reports services that are down or broken', async () => {
    services.vector.faults.always({ kind: 'status', status: 500 });
    services.redis.faults.always({ kind: 'reset' });
    services.openai.faults.always({ kind: 'malformed-json' });
    const findings = await examine(variables);
    expect(findings.filter(({ state }) => state === 'wrong').map(({ what }) => what)).toEqual([
      'embeddings',
      'answers by a model',
      'Upstash Vector',
      'Upstash Redis',
    ]);
  });
});

describe('npm run doctor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'constellation-doctor-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const KB_SOURCES = 'KB_SOURCES={"acme": {"url": "https://kb.example.com", "tokenSecret": "ACME_KB_TOKEN"}}';
  it.each([
    ['finds nothing wrong in an empty file', '# nothing', 0, 'Nothing is wrong'],
    ['ends with 1 when something is wrong', 'OPENAI_BASE_URL=http://127.0.0.1:9/v1', 1, ''],
    ['refuses a variable that nothing reads', 'OPENAI_KEY=x', 1, 'OPENAI_KEY'],
    ['accepts the secrets that further hosts name', `${KB_SOURCES}\nACME_KB_TOKEN=secret`, 0, ''],
    ['refuses the signing key of a function', 'CONTEXT_SIGNING_KEY=secret', 1, 'CONTEXT_SIGNING_KEY'],
    ['refuses a variable of a single function', 'ENVIRONMENT=development', 1, 'ENVIRONMENT'],
  ])('%s', async (_, lines, status, says) => {
    const file = join(folder, 'production.env');
    writeFileSync(file, lines);
    const run = await runNode(['src/dev/release/doctor.ts', '--env', file]);
    expect([run.status, run.stdout + run.stderr]).toEqual([status, expect.stringContaining(says)]);
    expect(run.stdout + run.stderr).not.toContain('secret');
  });
  it('accepts the services of npm run services, and refuses a mix of local and public ones', async () => {
    const file = join(folder, 'dev.env');
    const doctor = async (named: Record<string, string>) => {
      writeFileSync(
        file,
        Object.entries(named)
          .map(([name, value]) => `${name}=${value}\n`)
          .join(''),
      );
      return runNode(['src/dev/release/doctor.ts', '--env', file]);
    };
    const run = await doctor(services.variables);
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(run.stdout).toMatch(
      /note .*OPENAI_BASE_URL are on this machine: right for npm start, not for npm run deploy/,
    );
    expect(run.stdout).toMatch(/ok +Upstash Vector[\s\S]*ok +Upstash Redis[\s\S]*Nothing is wrong/);
    const mixed = await doctor({ ...services.variables, UPSTASH_REDIS_REST_URL: 'https://redis.example.com' });
    expect(mixed).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/WRONG the variables .*not an https address/),
    });
  });
});
