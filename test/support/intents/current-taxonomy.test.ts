import { randomUUID } from 'node:crypto';
import type { KVNamespace } from '@cloudflare/workers-types';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Taxonomy } from '../../../src/contract/taxonomy.ts';
import { currentTaxonomy, kvTaxonomies, type TaxonomyStore } from '../../../src/support/intents/current-taxonomy.ts';
import { contentHash, hashText } from '../../../src/support/intents/packed-model.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';
import { smallTaxonomy } from './small-taxonomy.ts';

let miniflare: Miniflare;
let kv: KVNamespace;

beforeAll(async () => {
  const modules = [{ type: 'ESModule' as const, path: 'index.mjs', contents: 'export default {}' }];
  const worker = { name: 'kv', compatibilityDate: '2026-11-01', kvNamespaces: ['TAXONOMIES'], modules };
  miniflare = new Miniflare(convertV4MiniflareOptions({ telemetry: { enabled: false }, workers: [worker] }));
  // Two packages have types for the same binding.
  kv = (await miniflare.getKVNamespace('TAXONOMIES')) as unknown as KVNamespace;
});

afterAll(() => miniflare?.dispose());

const PARCEL = 'Where is my parcel?';
const hashOf = (taxonomy: Taxonomy): string => hashText(contentHash(taxonomy));

/** An isolate with its own clock and workspace, and a record of its reads and faults. */
const isolate = ({
  workspace = `w-${randomUUID().slice(0, 8)}`,
  ...faults
}: Partial<TaxonomyStore> & { workspace?: string } = {}) => {
  const faultLog: string[] = [];
  const reads: string[] = [];
  const work: Promise<unknown>[] = [];
  let now = 1_000_000;
  const real = kvTaxonomies(kv);
  const store: TaxonomyStore = {
    ...real,
    readTaxonomy: (of) => {
      reads.push('taxonomy');
      return real.readTaxonomy(of);
    },
    readModel: (...of) => {
      reads.push('model');
      return real.readModel(...of);
    },
    ...faults,
  };
  const current = currentTaxonomy({
    store,
    onFault: (where, error) => faultLog.push(`${where}: ${error instanceof Error ? error.message : error}`),
    now: () => now,
  });
  return {
    ...{ workspace, faultLog, reads, store: real },
    forget: () => current.forget(workspace),
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
    read: async () => {
      const loaded = await current.taxonomyFor(workspace, { waitUntil: (each) => work.push(each) });
      await Promise.all(work);
      return loaded;
    },
    readOf: (other: string) => current.taxonomyFor(other),
  };
};

const put = (store: TaxonomyStore, workspace: string, taxonomy: unknown) =>
  store.writeTaxonomy(workspace, JSON.stringify(taxonomy));

/** An isolate of a workspace that has the small taxonomy. */
const isolateWithTaxonomy = async (faults: Partial<TaxonomyStore> = {}) => {
  const parts = isolate(faults);
  await put(parts.store, parts.workspace, smallTaxonomy());
  return parts;
};

const large = (): Taxonomy => {
  const taxonomy = smallTaxonomy();
  const [first, ...rest] = taxonomy.intents;
  const examples = Array.from({ length: 400 }, (_, at) => `parcel number ${at}`);
  return { ...taxonomy, intents: [{ ...first, examples } as (typeof rest)[number], ...rest] };
};

describe('currentTaxonomy()', () => {
  it('has no intents when the workspace has no taxonomy', async () => {
    const { read, faultLog } = isolate();
    const { taxonomy, classifier } = await read();
    expect(taxonomy.intents).toEqual([]);
    expect(JSON.stringify(taxonomy.general_template)).toContain('{knowledge}');
    expect(classifier.classify(PARCEL).primary_intent).toBe('unknown');
    expect(faultLog).toEqual([]);
  });
  it('trains a small taxonomy on load, and the next isolate opens the stored model', async () => {
    const first = await isolateWithTaxonomy();
    expect((await first.read()).classifier.classify(PARCEL).primary_intent).toBe('shipping');
    const kept = await first.store.readModel(first.workspace, hashOf(smallTaxonomy()));
    expect(kept).toEqual(trainClassifier(smallTaxonomy(), { effort: 'quick' }));
    const marked = trainClassifier(smallTaxonomy(), { threshold: 0.75 });
    await first.store.writeModel(first.workspace, hashOf(smallTaxonomy()), { packed: marked, isDerived: true });
    const second = isolate({ workspace: first.workspace });
    expect((await second.read()).classifier.threshold).toBe(0.75);
  });
  it('reads KV once a minute', async () => {
    const { read, wait, reads, store, workspace } = await isolateWithTaxonomy();
    await read();
    wait(59_000);
    await read();
    expect(reads).toEqual(['taxonomy', 'model']);
    await put(store, workspace, smallTaxonomy({ name: 'Renamed' }));
    wait(1000);
    expect((await read()).taxonomy.name).toBe('Renamed');
  });
  it('keeps the open taxonomy while nothing has changed', async () => {
    const { read, wait, reads } = await isolateWithTaxonomy();
    const first = await read();
    wait(60_000);
    expect(await read()).toBe(first);
    expect(reads).toEqual(['taxonomy', 'model', 'taxonomy']);
  });
  it('reads a forgotten taxonomy again', async () => {
    const { read, forget, store, workspace } = isolate();
    await read();
    await put(store, workspace, smallTaxonomy());
    forget();
    expect((await read()).taxonomy.name).toBe('Small');
  });
  it('does not cache a read that began before it was forgotten', async () => {
    const real = kvTaxonomies(kv);
    const { promise: isPut, resolve: goOn } = Promise.withResolvers<void>();
    const { read, forget, workspace } = isolate({
      readTaxonomy: async (of) => {
        const text = await real.readTaxonomy(of);
        await isPut;
        return text;
      },
    });
    const early = read();
    // KV is read before the new text is stored.
    await real.readTaxonomy(workspace);
    await put(real, workspace, smallTaxonomy());
    forget();
    goOn();
    expect((await early).taxonomy.name).toBe('General');
    expect((await read()).taxonomy.name).toBe('Small');
  });
  it('shares one load among concurrent callers', async () => {
    const { read, reads } = await isolateWithTaxonomy();
    const [first, second] = await Promise.all([read(), read()]);
    expect(second).toBe(first);
    expect(reads).toEqual(['taxonomy', 'model']);
  });
  it('separates workspaces and their models', async () => {
    const { read, readOf, store } = await isolateWithTaxonomy();
    await read();
    expect((await readOf('someone-else')).taxonomy.intents).toEqual([]);
    expect(await store.readModel('someone-else', hashOf(smallTaxonomy()))).toBeUndefined();
  });
  it.each([
    ['is not JSON', 'Where is my secret parcel', 'is no JSON'],
    ['is not a taxonomy', '{"secret":true}', 'refused at version, name, intents, general_template, another member'],
    ['has a dangerous pattern', JSON.stringify(dangerous()), 'refused at intents.0.required_facts'],
  ])('uses the general taxonomy when the text %s, and logs the fault without the text', async (_, text, why) => {
    const { read, store, workspace, faultLog } = isolate();
    await store.writeTaxonomy(workspace, text);
    expect((await read()).taxonomy.name).toBe('General');
    expect(faultLog).toEqual([expect.stringContaining(why)]);
    expect(faultLog[0]).not.toContain('secret');
  });
  it('keeps the last usable taxonomy when the next is invalid', async () => {
    const { read, wait, store, workspace, faultLog } = await isolateWithTaxonomy();
    await read();
    await store.writeTaxonomy(workspace, '{');
    wait(60_000);
    expect((await read()).classifier.classify(PARCEL).primary_intent).toBe('shipping');
    expect(faultLog).toHaveLength(1);
    await put(store, workspace, smallTaxonomy({ name: 'Repaired' }));
    wait(60_000);
    expect((await read()).taxonomy.name).toBe('Repaired');
  });
  it('keeps the last usable taxonomy while KV is down, and retries soon', async () => {
    let isDown = false;
    const real = kvTaxonomies(kv);
    const { read, wait, workspace, faultLog } = isolate({
      readTaxonomy: (of) => (isDown ? Promise.reject(new Error('KV is down')) : real.readTaxonomy(of)),
    });
    await put(real, workspace, smallTaxonomy());
    await read();
    isDown = true;
    wait(60_000);
    expect((await read()).taxonomy.name).toBe('Small');
    expect(faultLog).toEqual(['taxonomy: KV is down']);
    isDown = false;
    await put(real, workspace, smallTaxonomy({ name: 'Renamed' }));
    wait(5000);
    expect((await read()).taxonomy.name).toBe('Renamed');
  });
  it('returns to the general taxonomy when a taxonomy is deleted', async () => {
    const { read, wait, store, workspace } = await isolateWithTaxonomy();
    await read();
    await store.removeTaxonomy(workspace);
    wait(60_000);
    expect((await read()).taxonomy.name).toBe('General');
  });
  it('trains again when the model is damaged or of another version', async () => {
    const { read, store, workspace, faultLog } = await isolateWithTaxonomy();
    const damaged = trainClassifier(smallTaxonomy());
    damaged[5000] = (damaged[5000] ?? 0) ^ 1;
    await store.writeModel(workspace, hashOf(smallTaxonomy()), { packed: damaged, isDerived: true });
    expect((await read()).classifier.classify(PARCEL).primary_intent).toBe('shipping');
    expect(faultLog).toEqual(['taxonomy: Cannot open the trained model: it is damaged']);
    const retrained = await store.readModel(workspace, hashOf(smallTaxonomy()));
    expect(retrained).toEqual(trainClassifier(smallTaxonomy(), { effort: 'quick' }));
  });
  it('uses a large taxonomy only with its packed model', async () => {
    const { read, wait, store, workspace, faultLog } = await isolateWithTaxonomy();
    await read();
    await put(store, workspace, large());
    wait(60_000);
    expect((await read()).taxonomy.intents[0]?.examples).toHaveLength(8);
    expect(faultLog[0]).toContain('more than 400 examples and no trained model that fits it');
    const packed = trainClassifier(large(), { effort: 'quick' });
    await store.writeModel(workspace, hashOf(large()), { packed, isDerived: false });
    wait(60_000);
    const { taxonomy, classifier } = await read();
    expect(taxonomy.intents[0]?.examples).toHaveLength(400);
    expect(classifier.classify('parcel number 7').primary_intent).toBe('shipping');
  });
  it('works when the trained model cannot be stored', async () => {
    const { read, faultLog } = await isolateWithTaxonomy({
      writeModel: () => Promise.reject(new Error('KV is full')),
    });
    expect((await read()).classifier.classify(PARCEL).primary_intent).toBe('shipping');
    expect(faultLog).toEqual(['taxonomy: KV is full']);
  });
  it('caches the latest workspaces up to a limit', async () => {
    const { readOf, reads } = isolate();
    for (let at = 0; at < 17; at += 1) await readOf(`bounded-${at}`);
    const before = reads.length;
    await readOf('bounded-16');
    expect(reads.length).toBe(before);
    await readOf('bounded-0');
    expect(reads.length).toBe(before + 1);
  });
});

function dangerous(): unknown {
  const taxonomy = smallTaxonomy();
  const [first, ...rest] = taxonomy.intents;
  const facts = [{ id: 'model', question: 'secret?', patterns: ['(secret+)+'] }];
  return { ...taxonomy, intents: [{ ...first, required_facts: facts }, ...rest] };
}
