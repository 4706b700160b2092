import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AdapterVariables } from '../../../src/adapters/settings.ts';
import { examine, examineDirectory, examineHelpdesks, type Finding } from '../../../src/dev/release/examine.ts';
import { type LocalServices, startServices } from '../../../src/dev/stand-ins/start-services.ts';
import { startVectorServer } from '../../../src/dev/stand-ins/vector/vector-server.ts';
import { temporaryFolder } from '../folder-for-test.ts';
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
  const OLD_RIGHTS = { support: { keys: [] as [], cap: ['kb:read'] } };
  it.each<[string, ReturnType<typeof directory>, number | undefined, Finding['state'], RegExp]>([
    ['valid for long', directory(3, '2027-06-01'), 3, 'well', /valid until 2027-06-01/],
    ['about to expire', directory(3, '2026-12-20'), undefined, 'worth knowing', /expires on 2026-12-20.*renew/],
    ['expired', directory(3, '2026-11-01'), undefined, 'wrong', /expired on 2026-11-01.*renew/],
    ['of an older version', directory(3, '2027-06-01', OLD_RIGHTS), 3, 'wrong', /support other rights/],
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
  const findingFor = async (what: string, more: AdapterVariables = {}) =>
    stateOf(await examine({ ...variables, ...more }), what);
  const WRONG = ['embeddings', 'answers by a model', 'Upstash Vector', 'Upstash Redis'];

  it('reports working services, and leaves nothing behind', async () => {
    const findings = await examine(variables);
    expect(findings.filter(({ state }) => state === 'wrong')).toEqual([]);
    for (const what of WRONG) expect(stateOf(findings, what)?.[0]).toBe('well');
    expect((await findingFor('Upstash Vector'))?.[1]).toMatch(/^0 vectors in 1 namespaces/);
  });
  it('reports a model without a price', async () => {
    expect(await findingFor('prices')).toEqual(['worth knowing', expect.stringMatching(/MODEL_PRICES/)]);
    const MODEL_PRICES = '{"gpt-4.1-mini": {"inputPerMillion": 0.4, "outputPerMillion": 1.6}}';
    expect(await findingFor('prices', { MODEL_PRICES })).toBeUndefined();
  });
  it('reports what is not configured', async () => {
    const findings = await examine({});
    expect(findings.map(({ state }) => state)).toEqual(['well', ...new Array(4).fill('not configured')]);
  });
  it('names an invalid variable, and stops there', async () => {
    expect(await examine({ ...variables, EMBEDDING_DIMENSIONS: 'many' })).toEqual([
      { what: 'the variables', state: 'wrong', reported: 'Cannot use EMBEDDING_DIMENSIONS: is not a number' },
    ]);
  });
  it('reports an index of another dimension', async () => {
    const says = expect.stringMatching(/takes 1536 numbers, .* gives 512: make an index of 512/);
    expect(await findingFor('Upstash Vector', { EMBEDDING_DIMENSIONS: '512' })).toEqual(['wrong', says]);
  });
  it.each([
    ['another similarity function', { token: 'local', similarityFunction: 'EUCLIDEAN' }, /compares by EUCLIDEAN/],
    [
      'a read-only token',
      { token: 'w', readOnlyToken: 'local' },
      /UPSTASH_VECTOR_REST_TOKEN is the one that may write/,
    ],
  ] as const)('reports an index with %s', async (_, index, says) => {
    const { url, stop } = await startVectorServer({ indexes: [index] });
    expect((await findingFor('Upstash Vector', { UPSTASH_VECTOR_REST_URL: url }))?.[1]).toMatch(says);
    await stop();
  });
  it('names the token or key that is not accepted, without its value', async () => {
    const UPSTASH_REDIS_REST_TOKEN = services.redis.readOnlyToken;
    const wrong = { UPSTASH_VECTOR_REST_TOKEN: 'wrong-vector', OPENAI_API_KEY: 'wrong-key', UPSTASH_REDIS_REST_TOKEN };
    const findings = await examine({ ...variables, ...wrong });
    const names = ['OPENAI_API_KEY', 'OPENAI_API_KEY', 'UPSTASH_VECTOR_REST_TOKEN', 'UPSTASH_REDIS_REST_TOKEN'];
    for (const [at, what] of WRONG.entries())
      expect(stateOf(findings, what)).toEqual(['wrong', expect.stringContaining(names[at] ?? '')]);
    expect(JSON.stringify(findings)).not.toMatch(/wrong-vector|wrong-key/);
  });
  it('reports services that are down or broken', async () => {
    services.vector.faults.always({ kind: 'status', status: 500 });
    services.redis.faults.always({ kind: 'reset' });
    services.openai.faults.always({ kind: 'malformed-json' });
    const findings = await examine(variables);
    expect(findings.filter(({ state }) => state === 'wrong').map(({ what }) => what)).toEqual(WRONG);
  });
});

describe('npm run doctor', () => {
  const file = join(temporaryFolder(), 'production.env');
  const doctor = (named: Readonly<Record<string, string>>) => {
    const lines = Object.entries(named).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(file, lines.join(''));
    return runNode(['src/dev/release/doctor.ts', '--env', file]);
  };
  it('refuses a variable that nothing reads, without its value', async () => {
    const { status, stdout, stderr } = await doctor({ OPENAI_KEY: 'secret' });
    expect([status, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^(?!.*secret).*OPENAI_KEY/)]);
  });
  it('finds nothing wrong in the services of npm run services', async () => {
    const { status, stdout, stderr } = await doctor(services.variables);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/note .*OPENAI_BASE_URL are on this machine: right for npm start, not for npm run deploy/);
    expect(stdout).toMatch(/ok +Upstash Vector[\s\S]*ok +Upstash Redis[\s\S]*Nothing is wrong/);
  });
  it('ends with 1 for a mix of local and public services', async () => {
    const mixed = await doctor({ ...services.variables, UPSTASH_REDIS_REST_URL: 'https://redis.example.com' });
    expect(mixed).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/WRONG the variables .*not an https address/),
    });
  });
});
