import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import { ErrorBody } from '../../../src/contract/core/error-info.ts';
import { MAX_ARTICLE_BYTES } from '../../../src/contract/routes/http-route.ts';
import { TaxonomyAccuracy, TaxonomyWritten } from '../../../src/contract/wire/taxonomy.ts';
import {
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
} from '../../../src/platform/context/context-guard.ts';
import { encodeBase64url } from '../../../src/platform/encoding.ts';
import type { TaxonomyStore } from '../../../src/support/intents/current-taxonomy.ts';
import { contentHash } from '../../../src/support/intents/intent-model.ts';
import { taxonomyRoutes } from '../../../src/support/intents/taxonomy-routes.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';
import { callFrom, identityOf, targetOf, userContext } from '../../platform/context/callers.ts';
import { smallTaxonomy, withFirstIntent } from './small-taxonomy.ts';

const PATH = '/v1/support/taxonomy';
let texts: Map<string, string>;
let models: Map<string, Uint8Array>;
let forgotten: string[];
beforeEach(() => {
  texts = new Map();
  models = new Map();
  forgotten = [];
});
const memoryStore = (): TaxonomyStore => ({
  readTaxonomy: async (workspace) => texts.get(workspace),
  writeTaxonomy: async (workspace, text) => void texts.set(workspace, text),
  removeTaxonomy: async (workspace) => void texts.delete(workspace),
  readSettings: async () => undefined,
  writeSettings: async () => {},
  readModel: async (workspace, hash) => models.get(`${workspace}/${hash}`),
  writeModel: async (workspace, hash, { packed }) =>
    void models.set(`${workspace}/${hash}`, packed),
  retireModels: async (workspace, { except } = {}) => {
    for (const key of models.keys())
      if (key.startsWith(`${workspace}/`) && key !== `${workspace}/${except}`) models.delete(key);
  },
});

interface Call {
  path?: string;
  body?: unknown;
  workspace?: string;
  capabilities?: string[];
}
/** Calls the routes as the gateway. */
const send = async (
  method: string,
  {
    path = PATH,
    body,
    workspace = 'acme',
    capabilities = ['support:taxonomy:write', 'support:analyze'],
  }: Call = {},
) => {
  const guard: GuardOptions = { ...(await identityOf('support')), access: 'signed', log: () => {} };
  const app = new Hono<GuardedEnv>();
  taxonomyRoutes(app, { guard, store: memoryStore(), forget: (of) => forgotten.push(of) });
  app.onError(faultHandler(guard));
  const { target, requests } = targetOf(app);
  const context = userContext({ workspace, capabilities });
  const request = { to: 'support', method, path, body };
  const { answer } = await callFrom('gateway', context, { targets: { support: target }, request });
  if (!answer.ok) throw new Error(answer.error.message);
  const replay = async () => (await app.fetch(requests[0]!)).status;
  return { status: answer.status, json: answer.json, replay };
};
const expectProblem = async (call: ReturnType<typeof send>, status: number, message: string) => {
  const response = await call;
  const { error } = ErrorBody.parse(response.json());
  expect([response.status, error.message]).toEqual([status, expect.stringContaining(message)]);
};

const taxonomy = smallTaxonomy();
const HASH = contentHash(taxonomy);
const large = smallTaxonomy({
  out_of_scope_examples: Array.from({ length: 400 }, (_, at) => `Buy pill number ${at}`),
});
const LARGE_MODEL = encodeBase64url(trainClassifier(large));
const dangerous = withFirstIntent({
  required_facts: [{ id: 'model', question: 'Which?', patterns: ['(a+)+'] }],
});

describe('GET /v1/support/taxonomy/accuracy', () => {
  const measure = () =>
    send('GET', { path: `${PATH}/accuracy`, capabilities: ['support:analyze'] });
  const accuracyOf = async (of: object) => {
    texts.set('acme', JSON.stringify(of));
    return TaxonomyAccuracy.parse((await measure()).json());
  };
  it('counts the examples of each intent that a model trained on the others recognises', async () => {
    const [first, second, ...rest] = taxonomy.intents;
    // Examples of one intent in the words of another train the wrong intent.
    const confused = [
      first,
      { ...second, examples: first?.examples.map((each) => `${each} please`) },
      ...rest,
    ];
    const worse = await accuracyOf({ ...taxonomy, intents: confused });
    const accuracy = await accuracyOf(taxonomy);
    expect(accuracy).toMatchObject({ rounds: 5, examples: 32, content_hash: HASH });
    expect(accuracy.intents.map(({ intent, examples }) => [intent, examples])).toEqual(
      taxonomy.intents.map(({ id }) => [id, 8]),
    );
    expect(accuracy.right).toBe(accuracy.intents.reduce((sum, { right }) => sum + right, 0));
    expect(accuracy.right).toBeGreaterThan(16);
    expect(worse.intents[0]?.right).toBeLessThan(accuracy.intents[0]?.right ?? 0);
    expect(worse.intents[0]?.taken_for[0]?.intent).toBe(second?.id);
  });
  it('refuses too many examples, and a workspace without a taxonomy', async () => {
    await expectProblem(measure(), 404, 'Cannot find a taxonomy');
    const intents = Array.from({ length: 9 }, (_, intent) => ({
      ...taxonomy.intents[0],
      id: `i${intent}`,
      examples: Array.from({ length: 500 }, (_each, at) => `i${intent} number ${at}`),
    }));
    texts.set('acme', JSON.stringify({ ...taxonomy, intents }));
    await expectProblem(measure(), 400, 'Cannot measure 4500 examples here');
  });
});

describe('GET /v1/support/taxonomy', () => {
  const stateOf = async (stored: object, model?: Uint8Array) => {
    texts.set('acme', JSON.stringify(stored));
    if (model !== undefined) models.set(`acme/${contentHash(large)}`, model);
    return (await send('GET')).json();
  };
  it('says whether messages are classified by it', async () => {
    expect(await stateOf(taxonomy)).toEqual({ taxonomy, in_use: true });
    expect(await stateOf(large)).toMatchObject({ in_use: false });
    expect(await stateOf(large, trainClassifier(taxonomy))).toMatchObject({ in_use: false });
    expect(await stateOf(large, trainClassifier(large))).toMatchObject({ in_use: true });
    expect(await stateOf({ ...taxonomy, version: 9 })).toMatchObject({ in_use: false });
  });
});

describe('PUT /v1/support/taxonomy', () => {
  const put = (body: unknown) => send('PUT', { body });
  it('stores a small taxonomy with a model that it trains, and drops the cached one', async () => {
    const { status, json } = await put({ taxonomy });
    expect(status).toBe(200);
    expect(TaxonomyWritten.parse(json())).toEqual({
      name: 'Small',
      intents: 4,
      examples: 32,
      trained: 'here',
      threshold: expect.closeTo(0.4, 5),
      content_hash: HASH,
    });
    expect([[...texts.keys()], [...models.keys()], forgotten]).toEqual([
      ['acme'],
      [`acme/${HASH}`],
      ['acme'],
    ]);
  });
  it('stores the model of the request', async () => {
    const packed = trainClassifier(taxonomy, { threshold: 0.55 });
    const { json } = await put({ taxonomy, model: encodeBase64url(packed) });
    expect(json()).toMatchObject({ trained: 'given', threshold: expect.closeTo(0.55, 5) });
    expect(models.get(`acme/${HASH}`)).toEqual(packed);
  });
  it('accepts a large taxonomy with its model', async () => {
    expect((await put({ taxonomy: large, model: LARGE_MODEL })).status).toBe(200);
  });
  it.each<[string, object, string]>([
    [
      'a large taxonomy',
      { taxonomy: large },
      'Cannot train the taxonomy here, it has more than 400 examples or 60000 characters: send `model` too',
    ],
    [
      'a model of another taxonomy',
      { taxonomy, model: LARGE_MODEL },
      'it was trained from another taxonomy',
    ],
    ['no intents', { taxonomy: { ...taxonomy, intents: [] } }, 'taxonomy.intents: are none'],
    [
      'a slow pattern',
      { taxonomy: dangerous },
      'taxonomy.intents.0.required_facts.0.patterns.0: repeats without end',
    ],
    [
      'a model of other characters',
      { taxonomy, model: 'not+base64url' },
      'model: is not base64url',
    ],
    ['an unknown member', { taxonomy, extra: 1 }, 'extra: is not a known member'],
    ['a taxonomy that is not in a member', taxonomy, 'taxonomy'],
    ['a body beyond the size limit', { taxonomy, model: 'A'.repeat(MAX_ARTICLE_BYTES) }, ''],
  ])('refuses %s with the path of the issue, and changes nothing', async (_, body, message) => {
    await expectProblem(put(body), 400, message);
    expect(texts.size + models.size).toBe(0);
  });
  it('retires all other models of the workspace, those of an earlier version too', async () => {
    await put({ taxonomy });
    models.set('acme/model of another version', new Uint8Array(1));
    await put({ taxonomy: { ...taxonomy, out_of_scope_examples: ['Spam'] } });
    expect(models.size).toBe(1);
    expect(models.has(`acme/${HASH}`)).toBe(false);
  });
  it('keeps the model when only texts have changed', async () => {
    await put({ taxonomy });
    await put({ taxonomy: { ...taxonomy, signature: 'Yours' } });
    expect([...models.keys()]).toEqual([`acme/${HASH}`]);
    expect(texts.get('acme')).toContain('Yours');
  });
  it('refuses a replayed call, which would restore an older taxonomy', async () => {
    const { status, replay } = await put({ taxonomy });
    expect([status, await replay()]).toEqual([200, 401]);
  });
});

describe('the routes of /v1/support/taxonomy', () => {
  it('return and delete the stored taxonomy, only in the workspace of the context', async () => {
    await send('PUT', { body: { taxonomy } });
    expect((await send('GET')).json()).toEqual({ taxonomy, in_use: true });
    for (const method of ['GET', 'DELETE'])
      expect((await send(method, { workspace: 'other' })).status).toBe(404);
    expect((await send('DELETE')).status).toBe(204);
    expect((await send('GET')).status).toBe(404);
    expect(models.size).toBe(0);
    expect(forgotten).toEqual(['acme', 'acme']);
  });
  it('return the defaults of what a taxonomy leaves open that was stored without them', async () => {
    const { auto_send: _, ...intent } = { ...taxonomy.intents[0], no_reply: {} };
    texts.set('acme', JSON.stringify({ ...taxonomy, intents: [intent] }));
    expect((await send('GET')).json()).toMatchObject({
      taxonomy: {
        intents: [{ no_reply: { min_confidence: 0.9 }, auto_send: { allowed: false } }],
      },
    });
    texts.set('acme', '{"version":0}');
    expect((await send('GET')).json()).toEqual({ taxonomy: { version: 0 }, in_use: false });
  });
  it.each([
    ['PUT', ['support:analyze']],
    ['DELETE', ['support:analyze']],
    ['GET', ['kb:read']],
  ])('refuse %s with only %j', async (method, capabilities) => {
    texts.set('acme', 'stored');
    const body = method === 'PUT' ? { taxonomy } : undefined;
    expect((await send(method, { body, capabilities })).status).toBe(401);
    expect(texts.get('acme')).toBe('stored');
  });
  it('delete a taxonomy that is no longer valid', async () => {
    texts.set('acme', '{');
    expect((await send('DELETE')).status).toBe(204);
    expect(texts.size).toBe(0);
  });
});
