import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AdapterVariables } from '../../../src/ai/adapters/settings.ts';
import { upstashHybridIndex } from '../../../src/knowledge/large/upstash-hybrid-index.ts';
import { examine, refusedVariables } from '../../../tools/release/checks.ts';
import {
  examineDirectory,
  examineHelpdesks,
  examineSources,
  type Finding,
} from '../../../tools/release/examine.ts';
import { startOpenAIServer } from '../../../tools/stand-ins/openai/openai-server.ts';
import { PROVIDERS } from '../../../tools/stand-ins/openai/providers.ts';
import type { Fault } from '../../../tools/stand-ins/server/faults.ts';
import { type LocalServices, startServices } from '../../../tools/stand-ins/start-services.ts';
import { startVectorServer } from '../../../tools/stand-ins/vector/vector-server.ts';
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
  findings
    .filter((finding) => finding.what === what)
    .map(({ state, reported }) => [state, reported] as const)[0];

describe('refusedVariables()', () => {
  it.each([
    ['OIDC_PROVIDERS', '[{"issuer": "http://id.example", "audience": "a", "grants": [GRANT]}]'],
    ['PRIVACY_MASK', 'none, email'],
    ['RERANK_BASE_URL', 'https://api.example.com/v1'],
  ])('names %s when its parts do not fit together', (name, value) => {
    const grant = '{"workspaces": ["default"], "capabilities": ["kb:read"]}';
    const more = { RERANK_API_KEY: 'k', [name]: value.replace('GRANT', grant) };
    const set = name === 'RERANK_BASE_URL' ? more : { [name]: more[name] };
    expect(refusedVariables(set)).toEqual([
      expect.stringMatching(new RegExp(`^Cannot use ${name}: `)),
    ]);
  });
});

describe('examineDirectory()', () => {
  const now = Date.parse('2026-11-23');
  const directory = (
    seq: number,
    until: string,
    librarians: Record<string, { keys: []; cap?: string[] }> = {},
  ) => ({
    seq,
    exp: Date.parse(until) / 1000,
    librarians,
  });
  const OLD_RIGHTS = { support: { keys: [] as [], cap: ['kb:read'] } };
  it.each<[string, ReturnType<typeof directory>, number | undefined, Finding['state'], RegExp]>([
    ['valid for long', directory(3, '2027-06-01'), 3, 'well', /valid until 2027-06-01/],
    [
      'about to expire',
      directory(3, '2026-12-20'),
      undefined,
      'worth knowing',
      /expires on 2026-12-20.*renew/,
    ],
    ['expired', directory(3, '2026-11-01'), undefined, 'wrong', /expired on 2026-11-01.*renew/],
    [
      'of an older version',
      directory(3, '2027-06-01', OLD_RIGHTS),
      3,
      'wrong',
      /support other rights/,
    ],
    [
      'older than the one in use',
      directory(3, '2027-06-01'),
      4,
      'wrong',
      /number 3, older than number 4/,
    ],
  ])('finds a directory that is %s', (_, claims, inUse, state, says) => {
    expect(examineDirectory(claims, { now, inUse })).toMatchObject({
      state,
      reported: expect.stringMatching(says),
    });
  });
});

describe('examineHelpdesks()', () => {
  it('reports unusable and usable connections', () => {
    const zendesk = { apiUrl: 'https://acme.zendesk.com', secrets: ['HOOK'], token: 'TOKEN' };
    const connections = {
      HELPDESKS: JSON.stringify({ default: { zendesk, chatwoot: { secret: 'HOOK' } } }),
      ARTICLE_SOURCES: JSON.stringify({
        acme: { tool: 'zendesk', apiUrl: zendesk.apiUrl, tokenSecret: 'UNSET' },
      }),
      HOOK: 'a secret of 24 letters and more',
      TOKEN: 'token',
    };
    const findings = [...examineHelpdesks(connections), ...examineSources(connections)];
    expect(stateOf(findings, 'zendesk (default)')?.[0]).toBe('well');
    expect(stateOf(findings, 'chatwoot (default)')).toEqual([
      'wrong',
      expect.stringContaining('secrets'),
    ]);
    expect(stateOf(findings, 'articles (acme)')).toEqual([
      'wrong',
      expect.stringContaining('not set'),
    ]);
  });
});

/** What is said of each service that refuses something. */
const NOTES: Record<string, RegExp> = {
  Gemini: /refuses more than 100 texts a request/,
  Mistral: /refuses stream_options/,
  DeepSeek: /refuses schemas \(JSON mode and the prompt instead\)/,
  'Groq, a model without schemas': /refuses schemas/,
  Ollama: /refuses to keep to schemas/,
  OpenRouter: /refuses to keep to schemas/,
  Together: /refuses texts longer than \d+ bytes/,
  TEI: /refuses more than 32 texts a request, texts longer than/,
  DashScope:
    /more than 10 texts a request, encoding_format base64.*refuses schemas|refuses schemas/,
  'Workers AI': /refuses more than 100 texts a request/,
  Anthropic: /refuses to keep to schemas/,
  'a server of a model without a system role': /schemas and JSON mode.*a system role/,
  'a gateway that says nothing':
    /refuses more than 8 texts a request, encoding_format.*schemas and JSON mode/,
};

describe('examine() of Workers AI', () => {
  const WORKERS_AI = { WORKERS_AI: 'yes' };
  it('says which models it will use, and how they are asked from here', async () => {
    const [state, reported] = stateOf(await examine(WORKERS_AI), 'Workers AI') ?? [];
    expect(state).toBe('worth knowing');
    expect(reported).toMatch(
      /^@cf\/meta\/\S+ and @cf\/baai\/bge-m3 by the binding AI.*CLOUDFLARE_API_TOKEN/,
    );
  });
  it("asks the account's models, and names the account's variables where they fail", async () => {
    const provider = PROVIDERS.find(({ name }) => name === 'Workers AI');
    const server = await startOpenAIServer({ provider, apiKey: 'a-token' });
    const named = {
      ...WORKERS_AI,
      CHAT_MODEL: provider?.chat?.model,
      EMBEDDING_MODEL: provider?.embeddings?.model,
      EMBEDDING_DIMENSIONS: `${provider?.embeddings?.dimensions}`,
    };
    try {
      const well = await examine(named, { cloudflare: { url: server.url, token: 'a-token' } });
      for (const what of ['Workers AI', 'embeddings', 'answers by a model'])
        expect(stateOf(well, what)?.[0]).toBe('well');
      const wrong = await examine(named, { cloudflare: { url: server.url, token: 'another' } });
      for (const what of ['embeddings', 'answers by a model'])
        expect(stateOf(wrong, what)).toEqual([
          'wrong',
          expect.stringMatching(/check CLOUDFLARE_API_TOKEN/),
        ]);
    } finally {
      await server.stop();
    }
  });
  it('says what has no effect', async () => {
    const key = {
      OPENAI_API_KEY: 'sk-1',
      OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
      ENVIRONMENT: 'development',
    };
    expect(stateOf(await examine({ ...WORKERS_AI, ...key }), 'Workers AI')?.[1]).toMatch(
      /has no effect/,
    );
    const off = await examine({ ...WORKERS_AI, ...key, MODELS: 'none' });
    expect(stateOf(off, 'models')?.[1]).toBe(
      'MODELS=none turns off OPENAI_API_KEY and OPENAI_BASE_URL and WORKERS_AI',
    );
    expect(stateOf(off, 'answers by a model')?.[0]).toBe('not configured');
  });
  it('refuses a model of another service', async () => {
    const [finding] = await examine({ ...WORKERS_AI, CHAT_MODEL: 'gpt-4.1-mini' });
    expect(finding).toMatchObject({
      state: 'wrong',
      reported: expect.stringMatching(/CHAT_MODEL.*no model of Workers AI/),
    });
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
    expect(await findingFor('prices')).toEqual([
      'worth knowing',
      expect.stringMatching(/MODEL_PRICES/),
    ]);
    const MODEL_PRICES = '{"gpt-4.1-mini": {"inputPerMillion": 0.4, "outputPerMillion": 1.6}}';
    expect(await findingFor('prices', { MODEL_PRICES })).toBeUndefined();
  });
  it('reports what is not configured', async () => {
    const findings = await examine({});
    expect(findings.map(({ state }) => state)).toEqual([
      'well',
      ...new Array(4).fill('not configured'),
    ]);
  });
  it('names an invalid variable, and stops there', async () => {
    expect(await examine({ ...variables, EMBEDDING_DIMENSIONS: 'many' })).toEqual([
      {
        what: 'the variables',
        state: 'wrong',
        reported: expect.stringMatching(
          /^Cannot use EMBEDDING_DIMENSIONS: it is not a whole number from 1 to 4,096$/,
        ),
      },
    ]);
  });
  it('reports an index of another dimension', async () => {
    const says = expect.stringMatching(/takes 1536 numbers, .* gives 512: make an index of 512/);
    expect(await findingFor('Upstash Vector', { EMBEDDING_DIMENSIONS: '512' })).toEqual([
      'wrong',
      says,
    ]);
  });
  it.each([
    [
      'another similarity function',
      { token: 'local', similarityFunction: 'EUCLIDEAN' },
      /compares by EUCLIDEAN/,
    ],
    [
      'a read-only token',
      { token: 'w', readOnlyToken: 'local' },
      /UPSTASH_VECTOR_REST_TOKEN is the one that may write/,
    ],
  ] as const)('reports an index with %s', async (_, index, says) => {
    const { url, stop } = await startVectorServer({ indexes: [index] });
    expect((await findingFor('Upstash Vector', { UPSTASH_VECTOR_REST_URL: url }))?.[1]).toMatch(
      says,
    );
    await stop();
  });
  it('names the token or key that is not accepted, without its value', async () => {
    const UPSTASH_REDIS_REST_TOKEN = services.redis.readOnlyToken;
    const wrong = {
      UPSTASH_VECTOR_REST_TOKEN: 'wrong-vector',
      OPENAI_API_KEY: 'wrong-key',
      UPSTASH_REDIS_REST_TOKEN,
    };
    const findings = await examine({ ...variables, ...wrong });
    const names = [
      'OPENAI_API_KEY',
      'OPENAI_API_KEY',
      'UPSTASH_VECTOR_REST_TOKEN',
      'UPSTASH_REDIS_REST_TOKEN',
    ];
    for (const [at, what] of WRONG.entries())
      expect(stateOf(findings, what)).toEqual(['wrong', expect.stringContaining(names[at] ?? '')]);
    expect(JSON.stringify(findings)).not.toMatch(/wrong-vector|wrong-key/);
  });
  it.each<[string, Fault, RegExp]>([
    [
      'a model',
      { kind: 'status', status: 404, message: 'The model does not exist' },
      /no such model.*check CHAT_MODEL/,
    ],
    [
      'an address',
      { kind: 'status', status: 404, message: 'Invalid URL' },
      /no such endpoint.*check OPENAI_BASE_URL/,
    ],
    [
      'an account',
      { kind: 'status', status: 402, message: 'Insufficient Balance' },
      /used up.*needs credit/,
    ],
    [
      'a limit',
      { kind: 'status', status: 429, message: 'Slow down' },
      /429.*address and key are right/,
    ],
    ['a service', { kind: 'status', status: 503 }, /503.*that the service runs/],
    [
      'content',
      { kind: 'status', status: 400, message: 'content_filter' },
      /content is refused.*are right/,
    ],
    ['nothing', { kind: 'status', status: 400, message: 'no' }, /does not say why/],
  ])('advises on what is wrong alone: %s', async (_, fault, says) => {
    services.openai.faults.always(fault, '/v1/chat/completions');
    const [state, problem = ''] = (await findingFor('answers by a model')) ?? [];
    expect([state, problem]).toEqual(['wrong', expect.stringMatching(says)]);
    if (!/does not say why/.test(problem))
      expect(problem.match(/OPENAI_\w+|CHAT_MODEL/g)?.length ?? 0).toBeLessThanOrEqual(1);
  });
  it.each(PROVIDERS)('finds nothing wrong in $name, and says what it refuses', async (provider) => {
    const server = await startOpenAIServer({ provider, apiKey: 'local' });
    const isChat = provider.chat !== undefined;
    const isEmbedding = provider.embeddings !== undefined;
    const findings = await examine({
      ENVIRONMENT: 'development',
      OPENAI_BASE_URL: server.url,
      CHAT_MODEL: provider.chat?.model ?? 'none',
      EMBEDDING_MODEL: provider.embeddings?.model ?? 'none',
      EMBEDDING_DIMENSIONS: `${provider.embeddings?.dimensions ?? ''}`,
    });
    await server.stop();
    expect(findings.filter(({ state }) => state === 'wrong')).toEqual([]);
    expect(stateOf(findings, 'answers by a model')?.[0]).toBe(isChat ? 'well' : 'not configured');
    expect(stateOf(findings, 'embeddings')?.[0]).toBe(isEmbedding ? 'well' : 'not configured');
    const notes = findings.filter(
      ({ state, what }) => state === 'worth knowing' && what !== 'prices',
    );
    expect(notes.map(({ reported }) => reported).join()).toMatch(NOTES[provider.name] ?? /^$/);
  });
  it('says what a hybrid index lacks', async () => {
    const indexes = [{ token: 'hybrid', dimension: 1536, isHybrid: true }];
    const { url, stop } = await startVectorServer({
      indexes,
      indexingDelayMs: Number.POSITIVE_INFINITY,
    });
    const hybrid = {
      UPSTASH_VECTOR_REST_URL: url,
      UPSTASH_VECTOR_REST_TOKEN: 'hybrid',
      UPSTASH_VECTOR_INDEX: 'hybrid',
    };
    const index = upstashHybridIndex({
      url,
      token: 'hybrid',
      namespace: 'passages_default-1',
      dimensions: 1536,
    });
    const dense = Array.from({ length: 1536 }, (_, at) => Number(at === 0));
    const record = {
      id: 'a',
      dense,
      sparse: { indices: [1], values: [1] },
      metadata: {},
      data: '',
    };
    await index.upsert([record]);
    const findings = await examine({ ...variables, ...hybrid });
    expect(findings.filter(({ what }) => what === 'hybrid index')).toEqual([
      { what: 'hybrid index', state: 'well', reported: expect.stringContaining('lets us write') },
      {
        what: 'hybrid index',
        state: 'worth knowing',
        reported: expect.stringContaining('in passages_default-1 are not found by queries yet'),
      },
    ]);
    await stop();
  });

  it('tells the length of vectors that are longer than expected', async () => {
    const provider = PROVIDERS.find(({ name }) => name === 'Mistral');
    const server = await startOpenAIServer({ provider, apiKey: 'local' });
    const [finding] = (
      await examine({
        ENVIRONMENT: 'development',
        OPENAI_BASE_URL: server.url,
        CHAT_MODEL: 'none',
        EMBEDDING_MODEL: 'mistral-embed',
        EMBEDDING_DIMENSIONS: '512',
      })
    ).filter(({ what }) => what === 'embeddings');
    await server.stop();
    expect(finding).toMatchObject({
      state: 'wrong',
      reported: expect.stringMatching(/1024 numbers, not 512: set EMBEDDING_DIMENSIONS to 1024/),
    });
  });
  it('reports services that are down or broken', async () => {
    services.vector.faults.always({ kind: 'status', status: 500 });
    services.redis.faults.always({ kind: 'reset' });
    services.openai.faults.always({ kind: 'malformed-json' });
    const findings = await examine(variables);
    expect(findings.filter(({ state }) => state === 'wrong').map(({ what }) => what)).toEqual(
      WRONG,
    );
  });
});

describe('npm run doctor', () => {
  const file = join(temporaryFolder(), 'production.env');
  const doctor = (named: Readonly<Record<string, string>>) => {
    const lines = Object.entries(named).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(file, lines.join(''));
    return runNode(['tools/release/doctor.ts', '--env', file]);
  };
  it('refuses a variable that nothing reads, without its value', async () => {
    const { status, stdout, stderr } = await doctor({ OPENAI_KEY: 'secret' });
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/^(?!.*secret).*OPENAI_KEY/),
    ]);
  });
  it('finds nothing wrong in the services of npx constellation services', async () => {
    const { status, stdout, stderr } = await doctor(services.variables);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /note .*OPENAI_BASE_URL are on this machine: right for npm start, not for npm run deploy/,
    );
    expect(stdout).toMatch(/ok +Upstash Vector[\s\S]*ok +Upstash Redis[\s\S]*Nothing is wrong/);
  });
  it('ends with 1 for a mix of local and public services', async () => {
    const mixed = await doctor({
      ...services.variables,
      UPSTASH_REDIS_REST_URL: 'https://redis.example.com',
    });
    expect(mixed).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/WRONG the variables .*not an https address/),
    });
  });
});
