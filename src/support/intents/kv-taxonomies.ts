import type { KVNamespace } from '@cloudflare/workers-types';

/** The taxonomies of all workspaces and what was trained from them. Reads may be a minute behind. */
export interface TaxonomyStore {
  /** As it was written; undefined where the workspace has none. */
  readTaxonomy(workspace: string): Promise<string | undefined>;
  writeTaxonomy(workspace: string, text: string): Promise<void>;
  removeTaxonomy(workspace: string): Promise<void>;
  /** What was trained in this workspace from what has this hash. Never of another one: a model decides what is sent. */
  readModel(workspace: string, contentHash: string): Promise<Uint8Array | undefined>;
  /** @param options.isDerived It may be trained again at any time, so that it goes after some weeks. */
  writeModel(
    workspace: string,
    contentHash: string,
    options: { packed: Uint8Array; isDerived: boolean },
  ): Promise<void>;
  /** Lets a model go that no current taxonomy needs, once every reader has seen that. */
  retireModel(workspace: string, contentHash: string): Promise<void>;
}

/** What can be trained again goes after this, so that models of old taxonomies do not pile up. */
const DERIVED_TTL_SECONDS = 30 * 24 * 60 * 60;

/** Long enough for readers that still have the older taxonomy. */
const RETIRED_TTL_SECONDS = 60 * 60;

/** Taxonomies in Workers KV: `taxonomy/<workspace>` as JSON, `model/<workspace>/<content hash>` as bytes. */
export const kvTaxonomies = (kv: Pick<KVNamespace, 'get' | 'put' | 'delete'>): TaxonomyStore => ({
  readTaxonomy: async (workspace) => (await kv.get(taxonomyKey(workspace))) ?? undefined,
  writeTaxonomy: (workspace, text) => kv.put(taxonomyKey(workspace), text),
  removeTaxonomy: (workspace) => kv.delete(taxonomyKey(workspace)),
  readModel: async (workspace, contentHash) => {
    const bytes = await kv.get(modelKey(workspace, contentHash), 'arrayBuffer');
    return bytes === null ? undefined : new Uint8Array(bytes);
  },
  writeModel: (workspace, contentHash, { packed, isDerived }) =>
    kv.put(modelKey(workspace, contentHash), packed, isDerived ? { expirationTtl: DERIVED_TTL_SECONDS } : {}),
  retireModel: async (workspace, contentHash) => {
    const key = modelKey(workspace, contentHash);
    const bytes = await kv.get(key, 'arrayBuffer');
    if (bytes !== null) await kv.put(key, bytes, { expirationTtl: RETIRED_TTL_SECONDS });
  },
});

const taxonomyKey = (workspace: string): string => `taxonomy/${workspace}`;
const modelKey = (workspace: string, contentHash: string): string => `model/${workspace}/${contentHash}`;
