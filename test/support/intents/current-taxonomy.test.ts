import { randomUUID } from 'node:crypto';
import type { KVNamespace } from '@cloudflare/workers-types';
import type { Miniflare } from 'miniflare';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Taxonomy } from '../../../src/contract/wire/taxonomy.ts';
import {
  currentTaxonomy,
  kvTaxonomies,
  type TaxonomyStore,
} from '../../../src/support/intents/current-taxonomy.ts';
import { contentHash } from '../../../src/support/intents/intent-model.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';
import { oneWorker } from '../../platform/storage/worker-for-test.ts';
import { smallTaxonomy, withFirstIntent } from './small-taxonomy.ts';

let miniflare: Miniflare;
let kv: KVNamespace;
let store: TaxonomyStore;
beforeAll(async () => {
  miniflare = oneWorker('export default {}', { kvNamespaces: ['TAXONOMIES'] });
  // Two packages have types for the same binding.
  kv = (await miniflare.getKVNamespace('TAXONOMIES')) as unknown as KVNamespace;
  store = kvTaxonomies(kv);
});
afterAll(() => miniflare?.dispose());

const MINUTE = 60_000;
const PARCEL = 'Where is my parcel?';
const GENERAL = { name: 'General', examples: undefined, intent: 'unknown' };
const SMALL = { name: 'Small', examples: 8, intent: 'shipping' };
const HASH = contentHash(smallTaxonomy());
const LARGE = withFirstIntent({
  examples: Array.from({ length: 400 }, (_, at) => `parcel number ${at}`),
});
const DANGEROUS = withFirstIntent({
  required_facts: [{ id: 'model', question: 'secret?', patterns: ['(secret+)+'] }],
});

/** An isolate with its own clock and workspace, which has a taxonomy, and a record of its reads and faults. */
const isolate = async ({
  workspace = `w-${randomUUID().slice(0, 8)}`,
  stored = JSON.stringify(smallTaxonomy()),
  ...faults
}: Partial<TaxonomyStore> & { workspace?: string; stored?: string } = {}) => {
  const faultLog: string[] = [];
  const reads: string[] = [];
  const work: Promise<unknown>[] = [];
  let now = 1_000_000;
  const current = currentTaxonomy({
    store: {
      ...store,
      readTaxonomy: (of) => {
        reads.push('taxonomy');
        return store.readTaxonomy(of);
      },
      readModel: (...of) => {
        reads.push('model');
        return store.readModel(...of);
      },
      ...faults,
    },
    onFault: (where, error) =>
      faultLog.push(`${where}: ${error instanceof Error ? error.message : error}`),
    now: () => now,
  });
  const putText = (text: string) => store.writeTaxonomy(workspace, text);
  if (stored !== '') await putText(stored);
  const load = async (of = workspace) => {
    const loaded = await current.taxonomyFor(of, { waitUntil: (each) => work.push(each) });
    await Promise.all(work);
    return loaded;
  };
  return {
    workspace,
    faultLog,
    reads,
    load,
    putText,
    put: (taxonomy: Taxonomy) => putText(JSON.stringify(taxonomy)),
    forget: () => current.forget(workspace),
    /** The taxonomy some time later: its name, the examples of its first intent, and the intent of a message. */
    read: async (waitMs = 0, message = PARCEL) => {
      now += waitMs;
      const { taxonomy, classifier } = await load();
      const intent = classifier.classify(message).primary_intent;
      return { name: taxonomy.name, examples: taxonomy.intents[0]?.examples.length, intent };
    },
  };
};

it('has no intents when the workspace has no taxonomy', async () => {
  const { load, faultLog } = await isolate({ stored: '' });
  const { taxonomy, classifier } = await load();
  expect([taxonomy.intents, classifier.classify(PARCEL).primary_intent, faultLog]).toEqual([
    [],
    'unknown',
    [],
  ]);
  expect(JSON.stringify(taxonomy.general_template)).toContain('{knowledge}');
});
it('trains a small taxonomy on load, and the next isolate opens the stored model', async () => {
  const { read, workspace } = await isolate();
  expect(await read()).toEqual(SMALL);
  expect(await store.readModel(workspace, HASH)).toEqual(trainClassifier(smallTaxonomy()));
  const packed = trainClassifier(smallTaxonomy(), { threshold: 0.75 });
  await store.writeModel(workspace, HASH, { packed, isDerived: true });
  const { load } = await isolate({ workspace });
  expect((await load()).classifier.threshold).toBe(0.75);
});
it('reads KV once a minute', async () => {
  const { read, reads, put } = await isolate();
  await read();
  await put(smallTaxonomy({ name: 'Renamed' }));
  expect((await read(MINUTE - 1000)).name).toBe('Small');
  expect(reads).toEqual(['taxonomy', 'model']);
  expect((await read(1000)).name).toBe('Renamed');
});
it('keeps the open taxonomy while nothing has changed', async () => {
  const { read, load, reads } = await isolate();
  const first = await load();
  await read(MINUTE);
  expect(await load()).toBe(first);
  expect(reads).toEqual(['taxonomy', 'model', 'taxonomy']);
});
it('reads a forgotten taxonomy again', async () => {
  const { read, forget, put } = await isolate({ stored: '' });
  await read();
  await put(smallTaxonomy());
  forget();
  expect(await read()).toEqual(SMALL);
});
it('does not cache a read that began before it was forgotten', async () => {
  const { promise: isPut, resolve: goOn } = Promise.withResolvers<void>();
  const { read, forget, put, workspace } = await isolate({
    stored: '',
    readTaxonomy: async (of) => {
      const text = await store.readTaxonomy(of);
      await isPut;
      return text;
    },
  });
  const early = read();
  // KV is read before the new text is stored.
  await store.readTaxonomy(workspace);
  await put(smallTaxonomy());
  forget();
  goOn();
  expect(await early).toEqual(GENERAL);
  expect(await read()).toEqual(SMALL);
});
it('shares one load among concurrent callers', async () => {
  const { load, reads } = await isolate();
  const [first, second] = await Promise.all([load(), load()]);
  expect(second).toBe(first);
  expect(reads).toEqual(['taxonomy', 'model']);
});
it('separates workspaces and their models', async () => {
  const { load } = await isolate();
  await load();
  expect((await load('someone-else')).taxonomy.intents).toEqual([]);
  expect(await store.readModel('someone-else', HASH)).toBeUndefined();
});
it.each([
  ['is not JSON', 'Where is my secret parcel', 'is no JSON'],
  [
    'is not a taxonomy',
    '{"secret":true}',
    'refused at version, name, intents, general_template, another member',
  ],
  ['has a dangerous pattern', JSON.stringify(DANGEROUS), 'refused at intents.0.required_facts'],
])(
  'uses the general taxonomy when the text %s, and logs the fault without the text',
  async (_, stored, why) => {
    const { read, faultLog } = await isolate({ stored });
    expect(await read()).toEqual(GENERAL);
    expect(faultLog).toEqual([expect.stringContaining(why)]);
    expect(faultLog[0]).not.toContain('secret');
  },
);
it('keeps the last usable taxonomy when the next is invalid', async () => {
  const { read, put, putText, faultLog } = await isolate();
  await read();
  await putText('{');
  expect(await read(MINUTE)).toEqual(SMALL);
  expect(faultLog).toHaveLength(1);
  await put(smallTaxonomy({ name: 'Repaired' }));
  expect((await read(MINUTE)).name).toBe('Repaired');
});
it('keeps the last usable taxonomy while KV is down, and retries soon', async () => {
  let isDown = false;
  const { read, put, faultLog } = await isolate({
    readTaxonomy: (of) =>
      isDown ? Promise.reject(new Error('KV is down')) : store.readTaxonomy(of),
  });
  await read();
  isDown = true;
  expect(await read(MINUTE)).toEqual(SMALL);
  expect(faultLog).toEqual(['taxonomy: KV is down']);
  isDown = false;
  await put(smallTaxonomy({ name: 'Renamed' }));
  expect((await read(5000)).name).toBe('Renamed');
});
it('returns to the general taxonomy when a taxonomy is deleted', async () => {
  const { read, workspace } = await isolate();
  await read();
  await store.removeTaxonomy(workspace);
  expect(await read(MINUTE)).toEqual(GENERAL);
});
it('trains again when the model is damaged or of another version', async () => {
  const { read, workspace, faultLog } = await isolate();
  const packed = trainClassifier(smallTaxonomy()).slice(0, 5000);
  await store.writeModel(workspace, HASH, { packed, isDerived: true });
  expect(await read()).toEqual(SMALL);
  expect(faultLog).toEqual([
    'taxonomy: Cannot open the trained model: it is not as long as it says',
  ]);
  expect(await store.readModel(workspace, HASH)).toEqual(trainClassifier(smallTaxonomy()));
});
it('uses a large taxonomy only with its packed model', async () => {
  const { read, put, workspace, faultLog } = await isolate();
  await read();
  await put(LARGE);
  expect(await read(MINUTE)).toEqual(SMALL);
  expect(faultLog[0]).toContain(
    'more than 400 examples or 60000 characters, and no trained model that fits it',
  );
  await store.writeModel(workspace, contentHash(LARGE), {
    packed: trainClassifier(LARGE),
    isDerived: false,
  });
  expect(await read(MINUTE, 'parcel number 7')).toEqual({ ...SMALL, examples: 400 });
});
it('trains no taxonomy with long texts on load', async () => {
  const { read, faultLog } = await isolate({
    stored: JSON.stringify(withFirstIntent({ examples: Array(61).fill('parcel '.repeat(142)) })),
  });
  expect(await read()).toEqual(GENERAL);
  expect(faultLog[0]).toContain('more than 400 examples or 60000 characters');
});
it('has all models of a workspace but the current one expire within minutes, and none of another', async () => {
  const workspace = `w-${randomUUID().slice(0, 8)}`;
  const packed = new Uint8Array([1, 2]);
  for (const [of, hash] of [
    [workspace, 'old'],
    [workspace, 'new'],
    [`${workspace}x`, 'old'],
  ] as const)
    await store.writeModel(of, hash, { packed, isDerived: false });
  const lifetimes = async () =>
    (await kv.list({ prefix: `model/${workspace}` })).keys.map(({ name, expiration }) => [
      name,
      expiration === undefined ? Number.POSITIVE_INFINITY : expiration - Date.now() / 1000,
    ]);
  const short = expect.closeTo(300, -1.5);
  const unlimited = Number.POSITIVE_INFINITY;
  await store.retireModels(workspace, { except: 'new' });
  expect(await lifetimes()).toEqual([
    [`model/${workspace}/new`, unlimited],
    [`model/${workspace}/old`, short],
    [`model/${workspace}x/old`, unlimited],
  ]);
  expect(await store.readModel(workspace, 'old')).toEqual(packed);
  await store.retireModels(workspace);
  expect(await lifetimes()).toEqual([
    [`model/${workspace}/new`, short],
    [`model/${workspace}/old`, short],
    [`model/${workspace}x/old`, unlimited],
  ]);
});
it('works when the trained model cannot be stored', async () => {
  const { read, faultLog } = await isolate({
    writeModel: () => Promise.reject(new Error('KV is full')),
  });
  expect(await read()).toEqual(SMALL);
  expect(faultLog).toEqual(['taxonomy: KV is full']);
});
it('caches the latest workspaces up to a limit', async () => {
  const { load, reads } = await isolate();
  for (let at = 0; at < 17; at += 1) await load(`bounded-${at}`);
  const before = reads.length;
  await load('bounded-16');
  expect(reads.length).toBe(before);
  await load('bounded-0');
  expect(reads.length).toBe(before + 1);
});
