import { readFileSync } from 'node:fs';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { KVNamespace } from '@cloudflare/workers-types';
import type { Miniflare } from 'miniflare';
import { describeIssues } from '../../src/contract/core/error-info.ts';
import type { Taxonomy } from '../../src/contract/wire/taxonomy.ts';
import { openClassifier } from '../../src/support/intents/classifier.ts';
import {
  isTrainedAtLoad,
  kvTaxonomies,
  readTaxonomy,
  type TaxonomyStore,
} from '../../src/support/intents/current-taxonomy.ts';
import { contentHash, InvalidModel } from '../../src/support/intents/intent-model.ts';
import { keptModel } from '../release/kept-models.ts';

const WORKSPACE = 'default';

/**
 * Gives the default workspace the intents of a file. What is too much to be trained in an isolate is trained here; so is what is kept,
 * when its model is missing or of another version of the product.
 *
 * @param file Replaces what is kept; with `unlessKept` only where nothing is.
 */
export async function seedTaxonomy(
  miniflare: Miniflare,
  file: string | { unlessKept: string | undefined },
): Promise<void> {
  const kv = await miniflare.getKVNamespace('TAXONOMIES', 'constellation-support');
  // Two packages describe the same binding.
  const store = kvTaxonomies(kv as unknown as KVNamespace);
  const kept = await store.readTaxonomy(WORKSPACE);
  const chosen = typeof file === 'string' ? file : kept === undefined ? file.unlessKept : undefined;
  const text = chosen === undefined ? kept : readFileSync(chosen, 'utf8');
  if (text === undefined) return;
  const read = readTaxonomy(parsed(text));
  if (!read.ok && chosen !== undefined)
    throw new Error(`Cannot use ${chosen}: ${describeIssues(read.issues)}`);
  if (read.ok) await putModel(read.value, store);
  if (chosen !== undefined) await store.writeTaxonomy(WORKSPACE, text);
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const putModel = async (taxonomy: Taxonomy, store: TaxonomyStore): Promise<void> => {
  if (isTrainedAtLoad(taxonomy)) return;
  const hash = contentHash(taxonomy);
  const kept = await store.readModel(WORKSPACE, hash);
  if (kept !== undefined && opens(() => openClassifier(kept, taxonomy))) return;
  const packed = keptModel(taxonomy);
  // Training blocks for seconds, in which the runtime may close the idle connection: a whole turn of the event loop notices it.
  await setTimeout(1);
  await setImmediate();
  await store.writeModel(WORKSPACE, hash, { packed, isDerived: false });
};

const opens = (open: () => unknown): boolean => {
  try {
    open();
    return true;
  } catch (error) {
    if (error instanceof InvalidModel) return false;
    throw error;
  }
};
