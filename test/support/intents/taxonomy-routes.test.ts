import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import { ErrorBody } from '../../../src/contract/error-info.ts';
import { TaxonomyAccuracy, TaxonomyWritten } from '../../../src/contract/taxonomy.ts';
import { faultHandler, type GuardedEnv, type GuardOptions } from '../../../src/runtime/context-guard.ts';
import { encodeBase64url } from '../../../src/signing/encoding.ts';
import { localDirectory, localSigner } from '../../../src/signing/identity.ts';
import { CONTEXT_HEADER, MAX_ARTICLE_BYTES } from '../../../src/signing/limits.ts';
import { mintContext } from '../../../src/signing/link-claims.ts';
import { originate } from '../../../src/signing/request-context.ts';
import type { TaxonomyStore } from '../../../src/support/intents/current-taxonomy.ts';
import { contentHash, hashText } from '../../../src/support/intents/packed-model.ts';
import { taxonomyRoutes } from '../../../src/support/intents/taxonomy-routes.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';
import { smallTaxonomy } from './small-taxonomy.ts';

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
  readModel: async (workspace, hash) => models.get(`${workspace}/${hash}`),
  writeModel: async (workspace, hash, { packed }) => void models.set(`${workspace}/${hash}`, packed),
  retireModel: async (workspace, hash) => void models.delete(`${workspace}/${hash}`),
});

const appOf = async () => {
  const identity = { signer: await localSigner('support'), directory: await localDirectory() };
  const guard: GuardOptions = { self: 'support', access: 'signed', ...identity, log: () => undefined };
  const app = new Hono<GuardedEnv>();
  taxonomyRoutes(app, { guard, store: memoryStore(), forget: (workspace) => forgotten.push(workspace) });
  app.onError(faultHandler(guard));
  return app;
};

interface Call {
  path?: string;
  body?: unknown;
  workspace?: string;
  capabilities?: string[];
}

/** A request that the gateway signed. */
const requestOf = async (
  method: string,
  { body, path = PATH, workspace = 'acme', capabilities = ['support:taxonomy:write', 'support:analyze'] }: Call = {},
): Promise<Request> => {
  const text = body === undefined ? '' : JSON.stringify(body);
  const origin = { self: 'gateway', subject: 'user:test', authentication: 'key', workspace, capabilities };
  const context = originate({ ...origin, timeoutMs: 5000, now: Date.now() });
  const target = { aud: 'support', op: `${method} ${path}`, body: new TextEncoder().encode(text) };
  const { token } = await mintContext(context, { ...target, signer: await localSigner('gateway'), now: Date.now() });
  const headers = { [CONTEXT_HEADER]: token, 'content-type': 'application/json' };
  return new Request(`http://support${path}`, { method, headers, ...(text === '' ? {} : { body: text }) });
};

const send = async (method: string, call: Call = {}): Promise<Response> =>
  (await appOf()).fetch(await requestOf(method, call));
const problemOf = async (response: Response): Promise<[number, string]> => {
  const { error } = ErrorBody.parse(await response.json());
  return [response.status, error.message];
};

const taxonomy = smallTaxonomy();
const hash = hashText(contentHash(taxonomy));
const large = { ...taxonomy, out_of_scope_examples: Array.from({ length: 400 }, (_, at) => `Buy pill number ${at}`) };

describe('GET /v1/support/taxonomy/accuracy', () => {
  const measure = () => send('GET', { path: `${PATH}/accuracy`, capabilities: ['support:analyze'] });

  it('counts the examples of each intent that a model trained on the others recognises', async () => {
    const [first, second, ...rest] = taxonomy.intents;
    // Examples of one intent in the words of another train the wrong intent.
    const confused = [first, { ...second, examples: first?.examples.map((each) => `${each} please`) }, ...rest];
    texts.set('acme', JSON.stringify({ ...taxonomy, intents: confused }));
    const worse = TaxonomyAccuracy.parse(await (await measure()).json());
    texts.set('acme', JSON.stringify(taxonomy));
    const accuracy = TaxonomyAccuracy.parse(await (await measure()).json());
    expect(accuracy).toMatchObject({ rounds: 5, examples: 32, content_hash: hash });
    expect(accuracy.intents.map(({ intent, examples }) => [intent, examples])).toEqual(
      taxonomy.intents.map(({ id }) => [id, 8]),
    );
    expect(accuracy.right).toBe(accuracy.intents.reduce((sum, { right }) => sum + right, 0));
    expect(accuracy.right).toBeGreaterThan(16);
    expect(worse.intents[0]?.right).toBeLessThan(accuracy.intents[0]?.right ?? 0);
    expect(worse.intents[0]?.taken_for[0]?.intent).toBe(second?.id);
  });
  it('refuses too many examples, and a workspace without a taxonomy', async () => {
    expect(await problemOf(await measure())).toEqual([404, expect.stringContaining('Cannot find a taxonomy')]);
    const many = Array.from({ length: 990 }, (_, at) => `Buy pill number ${at}`);
    const examples = (from: string) => Array.from({ length: 500 }, (_, at) => `${from} number ${at}`);
    const intents = Array.from({ length: 7 }, (_, at) => ({
      ...taxonomy.intents[0],
      id: `i${at}`,
      examples: examples(`i${at}`),
    }));
    texts.set('acme', JSON.stringify({ ...taxonomy, intents, out_of_scope_examples: many }));
    expect(await problemOf(await measure())).toEqual([
      400,
      expect.stringContaining('Cannot measure 4490 examples here'),
    ]);
  });
});

describe('PUT /v1/support/taxonomy', () => {
  it('stores a small taxonomy with a model that it trains, and drops the cached one', async () => {
    const response = await send('PUT', { body: { taxonomy } });
    expect(response.status).toBe(200);
    expect(TaxonomyWritten.parse(await response.json())).toEqual({
      ...{ name: 'Small', intents: 4, examples: 32, trained: 'here' },
      ...{ threshold: expect.closeTo(0.4, 5), content_hash: hash },
    });
    expect([[...texts.keys()], [...models.keys()], forgotten]).toEqual([['acme'], [`acme/${hash}`], ['acme']]);
  });
  it('stores the model of the request', async () => {
    const packed = trainClassifier(taxonomy, { threshold: 0.55 });
    const response = await send('PUT', { body: { taxonomy, model: encodeBase64url(packed) } });
    expect(await response.json()).toMatchObject({ trained: 'given', threshold: expect.closeTo(0.55, 5) });
    expect(models.get(`acme/${hash}`)).toEqual(packed);
  });
  it('accepts a large taxonomy only with its model', async () => {
    expect(await problemOf(await send('PUT', { body: { taxonomy: large } }))).toEqual([
      400,
      expect.stringContaining('Cannot train 432 examples here, more than 400: send `model` too'),
    ]);
    const model = encodeBase64url(trainClassifier(large, { effort: 'quick' }));
    expect((await send('PUT', { body: { taxonomy: large, model } })).status).toBe(200);
  });
  it('refuses a model of another taxonomy and changes nothing', async () => {
    const model = encodeBase64url(trainClassifier(large, { effort: 'quick' }));
    expect(await problemOf(await send('PUT', { body: { taxonomy, model } }))).toEqual([
      400,
      expect.stringContaining('it was trained from another taxonomy'),
    ]);
    expect(texts.size + models.size).toBe(0);
  });
  it('names the path of an issue', async () => {
    const [first, ...rest] = taxonomy.intents;
    const facts = [{ id: 'model', question: 'Which?', patterns: ['(a+)+'] }];
    const dangerous = { ...taxonomy, intents: [{ ...first, required_facts: facts }, ...rest] };
    for (const [body, place] of [
      [{ taxonomy: { ...taxonomy, intents: [] } }, 'taxonomy.intents: are none'],
      [{ taxonomy: dangerous }, 'taxonomy.intents.0.required_facts.0.patterns.0: repeats without end'],
      [{ taxonomy, model: 'not+base64url' }, 'model: is not base64url'],
      [{ taxonomy, extra: 1 }, 'extra: is not a known member'],
      [taxonomy, 'taxonomy'],
    ] as const)
      expect(await problemOf(await send('PUT', { body }))).toEqual([400, expect.stringContaining(place)]);
    expect(texts.size).toBe(0);
  });
  it('retires the model of the previous taxonomy', async () => {
    await send('PUT', { body: { taxonomy } });
    await send('PUT', { body: { taxonomy: { ...taxonomy, out_of_scope_examples: ['Spam'] } } });
    expect(models.size).toBe(1);
    expect(models.has(`acme/${hash}`)).toBe(false);
  });
  it('keeps the model when only texts have changed', async () => {
    await send('PUT', { body: { taxonomy } });
    await send('PUT', { body: { taxonomy: { ...taxonomy, signature: 'Yours' } } });
    expect([...models.keys()]).toEqual([`acme/${hash}`]);
    expect(texts.get('acme')).toContain('Yours');
  });
  it('requires support:taxonomy:write', async () => {
    const response = await send('PUT', { body: { taxonomy }, capabilities: ['support:analyze'] });
    expect(response.status).toBe(401);
    expect(texts.size).toBe(0);
  });
  it('refuses a replayed call, which would restore an older taxonomy', async () => {
    const app = await appOf();
    const request = await requestOf('PUT', { body: { taxonomy } });
    expect((await app.fetch(request.clone())).status).toBe(200);
    expect((await app.fetch(request)).status).toBe(401);
  });
  it('refuses a body beyond the size limit', async () => {
    const model = 'A'.repeat(MAX_ARTICLE_BYTES);
    expect((await send('PUT', { body: { taxonomy, model } })).status).toBe(400);
  });
});

describe('GET and DELETE /v1/support/taxonomy', () => {
  it('return the stored taxonomy, only in the workspace of the context', async () => {
    await send('PUT', { body: { taxonomy } });
    expect(await (await send('GET')).json()).toEqual({ taxonomy });
    expect((await send('GET', { workspace: 'other' })).status).toBe(404);
    expect((await send('DELETE', { workspace: 'other' })).status).toBe(404);
    expect((await send('DELETE')).status).toBe(204);
    expect((await send('GET')).status).toBe(404);
    expect(models.size).toBe(0);
    expect(forgotten).toEqual(['acme', 'acme']);
  });
  it('require support:analyze and support:taxonomy:write', async () => {
    expect((await send('GET', { capabilities: ['kb:read'] })).status).toBe(401);
    expect((await send('DELETE', { capabilities: ['support:analyze'] })).status).toBe(401);
  });
  it('delete a taxonomy that is no longer valid', async () => {
    texts.set('acme', '{');
    expect((await send('DELETE')).status).toBe(204);
    expect(texts.size).toBe(0);
  });
});
