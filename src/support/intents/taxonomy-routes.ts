import type { Context, Hono } from 'hono';
import * as z from 'zod';
import { describeIssues, type Issue } from '../../contract/core/error-info.ts';
import { parseJson } from '../../contract/core/json-object.ts';
import { MAX_ARTICLE_BYTES } from '../../contract/routes/http-route.ts';
import { SUPPORT_ROUTES } from '../../contract/routes/support.ts';
import { DeskSettings } from '../../contract/wire/desk-settings.ts';
import { type Taxonomy, TaxonomyPut, type TaxonomyWritten } from '../../contract/wire/taxonomy.ts';
import {
  type GuardedEnv,
  type GuardOptions,
  refuse,
} from '../../platform/context/context-guard.ts';
import { memoryReplayStore } from '../../platform/context/verify-context.ts';
import { decodeBase64url } from '../../platform/encoding.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { jsonAnswer } from '../../platform/http/json-http.ts';
import { mountRoutes } from '../../platform/serve/mount-routes.ts';
import { readStored } from '../../platform/storage/sql.ts';
import { openClassifier } from './classifier.ts';
import {
  countExamples,
  isTrainedAtLoad,
  isUsable,
  readSettings,
  readTaxonomy,
  type TaxonomyStore,
  TOO_LARGE_AT_LOAD,
} from './current-taxonomy.ts';
import { accuracyOf } from './hold-out.ts';
import { contentHash, InvalidModel } from './intent-model.ts';
import { trainClassifier } from './train-classifier.ts';

interface TaxonomyRouteParts {
  /** The guard of the function that mounts the routes. */
  guard: GuardOptions;
  store: TaxonomyStore;
  /** Drops the cached taxonomy of a workspace. */
  forget: (workspace: string) => void;
}

/**
 * The taxonomy of the workspace that the verified context names, its accuracy, and how drafts are written. Other isolates see a change within
 * two minutes: one minute of KV, one of their own cache.
 */
export function taxonomyRoutes(
  app: Hono<GuardedEnv>,
  { guard, store, forget }: TaxonomyRouteParts,
): void {
  const settings = { ...guard, maxBodyBytes: MAX_ARTICLE_BYTES };
  const read = mountRoutes(app, SUPPORT_ROUTES, settings);
  // A replayed call would restore an older taxonomy.
  const change = mountRoutes(app, SUPPORT_ROUTES, { ...settings, replay: memoryReplayStore() });

  read('GET /v1/support/taxonomy', {}, async (c) => {
    const { workspace } = c.get('context');
    const text = await store.readTaxonomy(workspace);
    if (text === undefined) return refused(c, 'NOT_FOUND', NO_TAXONOMY);
    const taxonomy = readStored(z.record(z.string(), z.unknown()), text);
    if (taxonomy === undefined)
      throw new CodedError('DATA_SOURCE_ERROR', DAMAGED.message, { reported: DAMAGED });
    // With the defaults of what it leaves open. One that cannot be used is shown as it is stored, so that it can be mended.
    const checked = readTaxonomy(taxonomy);
    if (!checked.ok) return jsonAnswer({ taxonomy, in_use: false });
    const isInUse = await isUsable(checked.value, { workspace, store });
    return jsonAnswer({ taxonomy: checked.value, in_use: isInUse });
  });

  read('GET /v1/support/taxonomy/accuracy', {}, async (c) => {
    const text = await store.readTaxonomy(c.get('context').workspace);
    if (text === undefined) return refused(c, 'NOT_FOUND', NO_TAXONOMY);
    const stored = readTaxonomy(parseJson(text));
    if (!stored.ok)
      throw new CodedError('DATA_SOURCE_ERROR', DAMAGED.message, { reported: DAMAGED });
    const examples = countExamples(stored.value);
    return examples > MAX_EXAMPLES_TO_MEASURE
      ? refused(c, 'INVALID_QUERY', tooManyToMeasure(examples))
      : jsonAnswer(accuracyOf(stored.value));
  });

  change('PUT /v1/support/taxonomy', { body: TaxonomyPut }, async (c, { body }) => {
    const { workspace } = c.get('context');
    const checked = readTaxonomy(body.taxonomy);
    if (!checked.ok) return refused(c, 'INVALID_QUERY', problemOf(checked.issues));
    const trained = modelOf(checked.value, body.model);
    if ('problem' in trained) return refused(c, 'INVALID_QUERY', trained.problem);
    const hash = contentHash(checked.value);
    // The model first, so that every reader of the new taxonomy finds it.
    await store.writeModel(workspace, hash, {
      packed: trained.packed,
      isDerived: trained.by === 'here',
    });
    await store.writeTaxonomy(workspace, JSON.stringify(checked.value));
    forget(workspace);
    await store.retireModels(workspace, { except: hash });
    return jsonAnswer({
      name: checked.value.name,
      intents: checked.value.intents.length,
      examples: countExamples(checked.value),
      trained: trained.by,
      threshold: trained.threshold,
      content_hash: hash,
    } satisfies TaxonomyWritten);
  });

  read('GET /v1/support/settings', {}, async (c) =>
    jsonAnswer(await readSettings(store, c.get('context').workspace)),
  );

  change('PUT /v1/support/settings', { body: DeskSettings }, async (c, { body }) => {
    const { workspace } = c.get('context');
    await store.writeSettings(workspace, JSON.stringify(body));
    forget(workspace);
    return jsonAnswer(body);
  });

  change('DELETE /v1/support/taxonomy', {}, async (c) => {
    const { workspace } = c.get('context');
    if ((await store.readTaxonomy(workspace)) === undefined)
      return refused(c, 'NOT_FOUND', NO_TAXONOMY);
    await store.removeTaxonomy(workspace);
    forget(workspace);
    await store.retireModels(workspace);
    return c.body(null, 204);
  });
}

const DAMAGED = {
  message: 'Cannot read the stored taxonomy: it is damaged',
  suggestion: 'Write it again with PUT, or remove it with DELETE',
  recoverable: false,
};

/** Five trainings with as many take some seconds. */
const MAX_EXAMPLES_TO_MEASURE = 4000;

const tooManyToMeasure = (examples: number): string =>
  `Cannot measure ${examples} examples here, more than ${MAX_EXAMPLES_TO_MEASURE}: \`npx constellation taxonomy\` does`;

const NO_TAXONOMY = 'Cannot find a taxonomy: this workspace has none, so no message has an intent';

const refused = (
  c: Context<GuardedEnv>,
  code: 'NOT_FOUND' | 'INVALID_QUERY',
  message: string,
): Response => refuse(c, code, { message });

const problemOf = (issues: readonly Issue[]): string =>
  `Cannot read the request: ${describeIssues(issues.map(({ path, message }) => ({ path: `taxonomy.${path}`, message })))}`;

type Trained =
  | { packed: Uint8Array; by: TaxonomyWritten['trained']; threshold: number }
  | { problem: string };

/** The model of the request, if it fits; without one, a model trained here if there are few examples. */
const modelOf = (taxonomy: Taxonomy, given: string | undefined): Trained => {
  if (given === undefined && !isTrainedAtLoad(taxonomy)) {
    return {
      problem: `Cannot train the taxonomy here, it has ${TOO_LARGE_AT_LOAD}: send \`model\` too, made by \`npx constellation taxonomy\``,
    };
  }
  const packed = given === undefined ? trainClassifier(taxonomy) : decodeBase64url(given);
  if (packed === undefined) return { problem: 'Cannot read the request: model: is not base64url' };
  try {
    const { threshold } = openClassifier(packed, taxonomy);
    return { packed, by: given === undefined ? 'here' : 'given', threshold };
  } catch (error) {
    if (!(error instanceof InvalidModel)) throw error;
    return { problem: `Cannot read the request: model: ${error.message}` };
  }
};
