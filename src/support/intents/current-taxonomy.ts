import type { KVNamespace } from '@cloudflare/workers-types';
import type { Issue } from '../../contract/issue.ts';
import type { Taxonomy } from '../../contract/taxonomy.ts';
import type { WaitUntil } from '../../runtime/wait-until.ts';
import { emptyClassifier, type IntentClassifier, openClassifier } from './classifier.ts';
import GENERAL from './general-taxonomy.json' with { type: 'json' };
import { contentHash, hashText, ModelRefused } from './packed-model.ts';
import { readTaxonomy } from './read-taxonomy.ts';
import { trainClassifier } from './train-classifier.ts';

/** The intents of a workspace, with what tells them apart. */
export interface TaxonomyAtHand {
  taxonomy: Taxonomy;
  classifier: IntentClassifier;
}

/** The taxonomies that this isolate knows. */
export interface CurrentTaxonomy {
  /** Of a workspace that a verified context names. Never rejects: a desk without intents is the last resort. */
  taxonomyFor(workspace: string, scope?: { waitUntil?: WaitUntil | undefined }): Promise<TaxonomyAtHand>;
  /** Has the next call read it anew. */
  forget(workspace: string): void;
}

export interface CurrentTaxonomyOptions {
  store: TaxonomyStore;
  /** Told what could not be read, never what it said. */
  tell: (where: string, error: unknown) => void;
  now?: (() => number) | undefined;
}

/** The taxonomy that is kept cannot be used. */
class TaxonomyUnusable extends Error {
  override readonly name = 'TaxonomyUnusable';
}

/** Examples that are trained when they are loaded, at most: a quarter of a second. More need a packed model. */
export const MAX_EXAMPLES_AT_LOAD = 400;

/** A taxonomy is used this long without a question. */
const FRESH_MS = 60_000;
/** After a failure, the next try. */
const RETRY_MS = 5000;
/** Workspaces that an isolate keeps; one takes a few megabytes at most. */
const MAX_WORKSPACES = 16;
/** Longer texts are not read, in UTF-16 units. */
const MAX_TEXT = 8_000_000;

/** A workspace without a taxonomy has no intents: every message is `unknown` and gets one polite reply. */
const GENERAL_TAXONOMY: Taxonomy = { version: 1, ...GENERAL };
const NO_TAXONOMY: TaxonomyAtHand = { taxonomy: GENERAL_TAXONOMY, classifier: emptyClassifier };

interface Shelf {
  atHand: TaxonomyAtHand;
  /** What it was read from; undefined when the workspace has none. */
  text: string | undefined;
  /** Milliseconds since 1970. */
  readAgainAt: number;
}

/**
 * Keeps the taxonomies of some workspaces open in this isolate. A packed model is opened; without one, a small taxonomy is
 * trained here and kept for the next isolate. One that cannot be read or used leaves the last one that could, else the built-in.
 */
export const currentTaxonomy = ({ store, tell, now = Date.now }: CurrentTaxonomyOptions): CurrentTaxonomy => {
  // In the order of their last use: a Map lists what was set first.
  const shelves = new Map<string, Shelf>();
  const flights = new Map<string, Promise<Shelf>>();

  const refresh = async (workspace: string, waitUntil: WaitUntil | undefined): Promise<Shelf> => {
    const known = shelves.get(workspace);
    try {
      const text = await store.readTaxonomy(workspace);
      const isSame = known !== undefined && known.text === text;
      const atHand = isSame ? known.atHand : await open(text, { workspace, store, waitUntil, tell });
      return { atHand, text, readAgainAt: now() + FRESH_MS };
    } catch (error) {
      tell('taxonomy', error);
      const isKvFault = !(error instanceof TaxonomyUnusable);
      return {
        ...(known ?? { atHand: NO_TAXONOMY, text: undefined }),
        readAgainAt: now() + (isKvFault ? RETRY_MS : FRESH_MS),
      };
    }
  };

  const keep = (workspace: string, shelf: Shelf): void => {
    shelves.delete(workspace);
    shelves.set(workspace, shelf);
    if (shelves.size > MAX_WORKSPACES) shelves.delete(shelves.keys().next().value ?? '');
  };

  const load = (workspace: string, waitUntil: WaitUntil | undefined): Promise<Shelf> => {
    const underWay = flights.get(workspace);
    if (underWay !== undefined) return underWay;
    const flight = refresh(workspace, waitUntil).then((shelf) => {
      // One that was overtaken by a change is handed to those who wait, and to nobody after them.
      if (flights.get(workspace) !== flight) return shelf;
      flights.delete(workspace);
      keep(workspace, shelf);
      return shelf;
    });
    flights.set(workspace, flight);
    return flight;
  };

  return {
    taxonomyFor: async (workspace, { waitUntil } = {}) => {
      const known = shelves.get(workspace);
      if (known === undefined || now() >= known.readAgainAt) return (await load(workspace, waitUntil)).atHand;
      keep(workspace, known);
      return known.atHand;
    },
    forget: (workspace) => {
      const known = shelves.get(workspace);
      if (known !== undefined) known.readAgainAt = Number.NEGATIVE_INFINITY;
      flights.delete(workspace);
    },
  };
};

/** Where a taxonomy is wrong, by names of ours alone: its own may be anything. */
const toldPlace = ({ path }: Issue): string => PLACE.exec(path)?.[0] ?? 'another member';

const PLACE =
  /^(?:version|name|language|devices|intents|general_template|signature|out_of_scope_examples)(?:\.\d+(?:\.(?:id|title|description|examples|devices|auto_send|required_facts|reply_template|fallback_template|escalation|article_intents))?)?(?=\.|$)/;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable('it is no JSON');
  }
};

interface Opening extends Pick<CurrentTaxonomyOptions, 'store' | 'tell'> {
  workspace: string;
  waitUntil: WaitUntil | undefined;
}

const open = async (text: string | undefined, opening: Opening): Promise<TaxonomyAtHand> => {
  if (text === undefined) return NO_TAXONOMY;
  if (text.length > MAX_TEXT) throw unusable(`it is longer than ${MAX_TEXT} characters`);
  const read = readTaxonomy(parsed(text));
  if (!read.ok) throw unusable(`refused at ${[...new Set(read.issues.map(toldPlace))].join(', ').slice(0, 300)}`);
  return { taxonomy: read.value, classifier: await classifierOf(read.value, opening) };
};

const classifierOf = async (
  taxonomy: Taxonomy,
  { workspace, store, waitUntil, tell }: Opening,
): Promise<IntentClassifier> => {
  const hash = hashText(contentHash(taxonomy));
  const packed = await store.readModel(workspace, hash);
  try {
    if (packed !== undefined) return openClassifier(packed, taxonomy);
  } catch (error) {
    if (!(error instanceof ModelRefused)) throw error;
    tell('taxonomy', error);
  }
  if (countExamples(taxonomy) > MAX_EXAMPLES_AT_LOAD) {
    throw unusable(`it has more than ${MAX_EXAMPLES_AT_LOAD} examples and no trained model that fits it`);
  }
  const trained = trainClassifier(taxonomy, { effort: 'quick' });
  const kept = store
    .writeModel(workspace, hash, { packed: trained, isDerived: true })
    .catch((error: unknown) => tell('taxonomy', error));
  waitUntil?.(kept);
  return openClassifier(trained, taxonomy);
};

/** Of all intents, and of what belongs to none. */
export const countExamples = ({ intents, out_of_scope_examples: outOfScope }: Taxonomy): number =>
  intents.reduce((sum, { examples }) => sum + examples.length, outOfScope.length);

const unusable = (why: string): TaxonomyUnusable =>
  new TaxonomyUnusable(`Cannot use the taxonomy of the workspace: ${why}`);

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
