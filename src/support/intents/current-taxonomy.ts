import type { KVNamespace } from '@cloudflare/workers-types';
import type { Issue, ReadValue } from '../../contract/core/error-info.ts';
import { readRequest } from '../../contract/core/read-request.ts';
import { DeskSettings } from '../../contract/wire/desk-settings.ts';
import { Taxonomy } from '../../contract/wire/taxonomy.ts';
import type { WaitUntil } from '../../platform/concurrency.ts';
import { lruCache } from '../../platform/lru-cache.ts';
import { readStored } from '../../platform/storage/sql.ts';
import { emptyClassifier, type IntentClassifier, openClassifier } from './classifier.ts';
import GENERAL from './general-taxonomy.json' with { type: 'json' };
import { contentHash, InvalidModel } from './intent-model.ts';
import { trainClassifier } from './train-classifier.ts';

/** The taxonomy of a workspace and its classifier. */
export interface OpenTaxonomy {
  taxonomy: Taxonomy;
  classifier: IntentClassifier;
  /** How drafts are written; absent: as the templates are. */
  settings?: DeskSettings | undefined;
}

/** The taxonomies that this isolate has cached. */
interface CurrentTaxonomy {
  /** The taxonomy of a verified workspace. Never rejects: the fallback is a taxonomy without intents. */
  taxonomyFor(
    workspace: string,
    scope?: { waitUntil?: WaitUntil | undefined },
  ): Promise<OpenTaxonomy>;
  /** Has the next call read the taxonomy again. */
  forget(workspace: string): void;
}

interface CurrentTaxonomyOptions {
  store: TaxonomyStore;
  /** Logs what could not be read, without its content. */
  onFault: (where: string, error: unknown) => void;
  now?: (() => number) | undefined;
}

/** The stored taxonomy cannot be used. */
class TaxonomyUnusable extends Error {
  override readonly name = 'TaxonomyUnusable';
}

/** Upper bound of examples that are trained on load. More need a packed model. */
const MAX_EXAMPLES_AT_LOAD = 400;
/** Upper bound of the UTF-16 units of all texts that are trained on load, which takes some 40 MB and half a second. */
const MAX_TEXT_AT_LOAD = 60_000;
/** What is too large to be trained on load, as messages say it. */
export const TOO_LARGE_AT_LOAD = `more than ${MAX_EXAMPLES_AT_LOAD} examples or ${MAX_TEXT_AT_LOAD} characters`;

/** A cached taxonomy is read again after this time. */
const FRESH_MS = 60_000;
/** Delay of a retry after a failure. */
const RETRY_MS = 5000;
/** Workspaces in the cache of an isolate; one takes a few megabytes at most. */
const MAX_WORKSPACES = 16;
/** Upper bound of a stored taxonomy, in UTF-16 units. */
const MAX_TEXT = 8_000_000;

/** A workspace without a taxonomy has no intents: every message is `unknown` and gets one polite reply. */
const GENERAL_TAXONOMY: Taxonomy = { version: 1, ...GENERAL };
const NO_TAXONOMY: OpenTaxonomy = { taxonomy: GENERAL_TAXONOMY, classifier: emptyClassifier };

interface CacheEntry {
  opened: OpenTaxonomy;
  /** The stored text; undefined when the workspace has none. */
  text: string | undefined;
  /** Milliseconds since 1970. */
  readAgainAt: number;
}

/**
 * Caches the taxonomies of some workspaces in this isolate. A packed model is opened; without one, a small taxonomy is trained here and its
 * model stored for the next isolate. When a taxonomy cannot be read or used, the last usable one stays, else the general one.
 */
export function currentTaxonomy({
  store,
  onFault,
  now = Date.now,
}: CurrentTaxonomyOptions): CurrentTaxonomy {
  const cached = lruCache<string, CacheEntry>({ max: MAX_WORKSPACES });
  const pending = new Map<string, Promise<CacheEntry>>();

  const refresh = async (
    workspace: string,
    waitUntil: WaitUntil | undefined,
  ): Promise<CacheEntry> => {
    const known = cached.get(workspace);
    try {
      const [text, settings] = await Promise.all([
        store.readTaxonomy(workspace),
        readSettings(store, workspace),
      ]);
      const isSame = known !== undefined && known.text === text;
      const opened = isSame
        ? known.opened
        : await open(text, { workspace, store, waitUntil, onFault });
      const isUnchanged =
        isSame && JSON.stringify(known.opened.settings) === JSON.stringify(settings);
      return {
        opened: isUnchanged ? opened : { ...opened, settings },
        text,
        readAgainAt: now() + FRESH_MS,
      };
    } catch (error) {
      onFault('taxonomy', error);
      const isKvFault = !(error instanceof TaxonomyUnusable);
      return {
        ...(known ?? { opened: NO_TAXONOMY, text: undefined }),
        readAgainAt: now() + (isKvFault ? RETRY_MS : FRESH_MS),
      };
    }
  };

  const load = (workspace: string, waitUntil: WaitUntil | undefined): Promise<CacheEntry> => {
    const running = pending.get(workspace);
    if (running !== undefined) return running;
    const loading = refresh(workspace, waitUntil).then((entry) => {
      // A result that a change has overtaken is returned to the callers that wait, but not cached.
      if (pending.get(workspace) !== loading) return entry;
      pending.delete(workspace);
      cached.set(workspace, entry);
      return entry;
    });
    pending.set(workspace, loading);
    return loading;
  };

  return {
    taxonomyFor: async (workspace, { waitUntil } = {}) => {
      const known = cached.get(workspace);
      if (known === undefined || now() >= known.readAgainAt)
        return (await load(workspace, waitUntil)).opened;
      cached.set(workspace, known);
      return known.opened;
    },
    forget: (workspace) => {
      const known = cached.get(workspace);
      if (known !== undefined) known.readAgainAt = Number.NEGATIVE_INFINITY;
      pending.delete(workspace);
    },
  };
}

/** The place of an issue by member names of the schema alone: names within the taxonomy may be anything. */
const placeOfIssue = ({ path }: Issue): string => PLACE.exec(path)?.[0] ?? 'another member';

const PLACE =
  /^(?:version|name|language|devices|intents|general_template|signature|out_of_scope_examples)(?:\.\d+(?:\.(?:id|title|description|examples|devices|auto_send|no_reply|required_facts|reply_template|fallback_template|escalation|article_intents))?)?(?=\.|$)/;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable('it is no JSON');
  }
};

interface Opening extends Pick<CurrentTaxonomyOptions, 'store' | 'onFault'> {
  workspace: string;
  waitUntil: WaitUntil | undefined;
}

const open = async (text: string | undefined, opening: Opening): Promise<OpenTaxonomy> => {
  if (text === undefined) return NO_TAXONOMY;
  if (text.length > MAX_TEXT) throw unusable(`it is longer than ${MAX_TEXT} characters`);
  const read = readTaxonomy(parsed(text));
  if (!read.ok)
    throw unusable(
      `refused at ${[...new Set(read.issues.map(placeOfIssue))].join(', ').slice(0, 300)}`,
    );
  return { taxonomy: read.value, classifier: await classifierOf(read.value, opening) };
};

const classifierOf = async (
  taxonomy: Taxonomy,
  { workspace, store, waitUntil, onFault }: Opening,
): Promise<IntentClassifier> => {
  const stored = await storedClassifier(taxonomy, { workspace, store, onFault });
  if (stored !== undefined) return stored;
  if (!isTrainedAtLoad(taxonomy)) throw unusable(NO_MODEL);
  const trained = trainClassifier(taxonomy);
  const writing = store
    .writeModel(workspace, contentHash(taxonomy), { packed: trained, isDerived: true })
    .catch((error: unknown) => onFault('taxonomy', error));
  waitUntil?.(writing);
  return openClassifier(trained, taxonomy);
};

const NO_MODEL = `it has ${TOO_LARGE_AT_LOAD}, and no trained model that fits it. Train it with \`npx constellation taxonomy\` and put both`;

interface StoredModel extends Pick<CurrentTaxonomyOptions, 'store' | 'onFault'> {
  workspace: string;
}

/** Undefined when no model is stored, or one that another version made or that is damaged. */
const storedClassifier = async (
  taxonomy: Taxonomy,
  { workspace, store, onFault }: StoredModel,
): Promise<IntentClassifier | undefined> => {
  const packed = await store.readModel(workspace, contentHash(taxonomy));
  try {
    return packed && openClassifier(packed, taxonomy);
  } catch (error) {
    if (!(error instanceof InvalidModel)) throw error;
    onFault('taxonomy', error);
    return undefined;
  }
};

/** Whether messages can be classified by a stored taxonomy: a large one needs a model of this version. */
export async function isUsable(
  taxonomy: Taxonomy,
  stored: Omit<StoredModel, 'onFault'>,
): Promise<boolean> {
  if (isTrainedAtLoad(taxonomy)) return true;
  const onFault = (): void => {};
  return (await storedClassifier(taxonomy, { ...stored, onFault })) !== undefined;
}

/** Examples of all intents, and of none. */
export function countExamples({ intents, out_of_scope_examples: outOfScope }: Taxonomy): number {
  return intents.reduce((sum, { examples }) => sum + examples.length, outOfScope.length);
}

/** Whether a function trains the classifier of a taxonomy itself; a larger one comes with its model. */
export function isTrainedAtLoad(taxonomy: Taxonomy): boolean {
  const { intents, out_of_scope_examples: outOfScope } = taxonomy;
  const texts = intents.flatMap(({ title, description = '', examples }) => [
    title,
    description,
    ...examples,
  ]);
  const length = [...texts, ...outOfScope].reduce((sum, text) => sum + text.length, 0);
  return countExamples(taxonomy) <= MAX_EXAMPLES_AT_LOAD && length <= MAX_TEXT_AT_LOAD;
}

const unusable = (why: string): TaxonomyUnusable =>
  new TaxonomyUnusable(`Cannot use the taxonomy of the workspace: ${why}`);

/** How the drafts of a workspace are written; the defaults where nothing is stored, or what is stored cannot be read. */
export async function readSettings(
  store: Pick<TaxonomyStore, 'readSettings'>,
  workspace: string,
): Promise<DeskSettings> {
  const text = await store.readSettings(workspace);
  return (
    (text === undefined ? undefined : readStored(DeskSettings, text)) ?? DeskSettings.parse({})
  );
}

/** Storage of taxonomies, their trained models and the settings of drafts, by workspace. Reads may be a minute behind. */
export interface TaxonomyStore {
  /** The text as it was written; undefined when the workspace has none. */
  readTaxonomy(workspace: string): Promise<string | undefined>;
  writeTaxonomy(workspace: string, text: string): Promise<void>;
  removeTaxonomy(workspace: string): Promise<void>;
  readSettings(workspace: string): Promise<string | undefined>;
  writeSettings(workspace: string, text: string): Promise<void>;
  /** The model of this workspace by the hash of its training data. Models are never shared between workspaces, since they decide what is sent. */
  readModel(workspace: string, contentHash: string): Promise<Uint8Array | undefined>;
  /** @param options.isDerived The model can be trained again at any time, so it expires after some weeks. */
  writeModel(
    workspace: string,
    contentHash: string,
    options: { packed: Uint8Array; isDerived: boolean },
  ): Promise<void>;
  /** Has all models of a workspace but one expire, whichever version made them, once every reader has the newer taxonomy. */
  retireModels(workspace: string, options?: { except?: string }): Promise<void>;
}

/** Models that can be trained again expire, so that models of old taxonomies do not pile up. */
const DERIVED_TTL_SECONDS = 30 * 24 * 60 * 60;

/** Readers have the older taxonomy for two minutes: without its model they would train and store another one. */
const RETIRED_TTL_SECONDS = 5 * 60;

/** Taxonomies in Workers KV: `taxonomy/<workspace>` and `settings/<workspace>` as JSON, `model/<workspace>/<content hash>` as bytes. */
export function kvTaxonomies(
  kv: Pick<KVNamespace, 'get' | 'put' | 'delete' | 'list'>,
): TaxonomyStore {
  return {
    readTaxonomy: async (workspace) => (await kv.get(taxonomyKey(workspace))) ?? undefined,
    writeTaxonomy: (workspace, text) => kv.put(taxonomyKey(workspace), text),
    removeTaxonomy: (workspace) => kv.delete(taxonomyKey(workspace)),
    readSettings: async (workspace) => (await kv.get(settingsKey(workspace))) ?? undefined,
    writeSettings: (workspace, text) => kv.put(settingsKey(workspace), text),
    readModel: async (workspace, contentHash) => {
      const bytes = await kv.get(modelKey(workspace, contentHash), 'arrayBuffer');
      return bytes === null ? undefined : new Uint8Array(bytes);
    },
    writeModel: (workspace, contentHash, { packed, isDerived }) =>
      kv.put(
        modelKey(workspace, contentHash),
        packed,
        isDerived ? { expirationTtl: DERIVED_TTL_SECONDS } : {},
      ),
    retireModels: async (workspace, { except } = {}) => {
      const soon = Date.now() / 1000 + RETIRED_TTL_SECONDS;
      for await (const { name, expiration } of keysUnder(kv, modelKey(workspace, ''))) {
        const isRetired = expiration !== undefined && expiration <= soon;
        if (isRetired || (except !== undefined && name === modelKey(workspace, except))) continue;
        const bytes = await kv.get(name, 'arrayBuffer');
        if (bytes !== null) await kv.put(name, bytes, { expirationTtl: RETIRED_TTL_SECONDS });
      }
    },
  };
}

async function* keysUnder(kv: Pick<KVNamespace, 'list'>, prefix: string) {
  let cursor: string | undefined;
  do {
    const page = await kv.list({ prefix, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.keys;
    cursor = page.list_complete ? undefined : page.cursor;
  } while (cursor !== undefined);
}

const settingsKey = (workspace: string): string => `settings/${workspace}`;
const taxonomyKey = (workspace: string): string => `taxonomy/${workspace}`;
const modelKey = (workspace: string, contentHash: string): string =>
  `model/${workspace}/${contentHash}`;

/** Upper bound of reported issues. */
const MAX_ISSUES = 20;

/** Validates a taxonomy from outside: its shape, its regular expressions and its templates. Never throws. */
export function readTaxonomy(value: unknown): ReadValue<Taxonomy> {
  const read = readRequest(Taxonomy, value);
  if (!read.ok) return read;
  const issues = [...templateIssues(read.value), ...patternIssues(read.value)].slice(0, MAX_ISSUES);
  return issues.length > 0 ? { ok: false, issues } : read;
}

const patternIssues = ({ intents }: Taxonomy): Issue[] =>
  intents.flatMap(({ required_facts: facts }, intent) =>
    facts.flatMap(({ patterns = [] }, fact) =>
      patterns.flatMap((pattern, at) =>
        issueOf(`intents.${intent}.required_facts.${fact}.patterns.${at}`, checkPattern(pattern)),
      ),
    ),
  );

type Template = Taxonomy['general_template'];

const templateIssues = ({ intents, general_template: general }: Taxonomy): Issue[] => [
  ...intents.flatMap((intent, at) => [
    ...issuesIn(intent.reply_template ?? {}, `intents.${at}.reply_template`),
    ...issuesIn(intent.fallback_template ?? {}, `intents.${at}.fallback_template`),
    ...issuesIn(intent.auto_send.template ?? {}, `intents.${at}.auto_send.template`),
  ]),
  ...issuesIn(general, 'general_template'),
];

const issuesIn = (template: Template, path: string): Issue[] =>
  typeof template === 'string'
    ? issueOf(path, checkTemplate(template))
    : Object.entries(template).flatMap(([language, text]) =>
        issueOf(`${path}.${language}`, checkTemplate(text)),
      );

const issueOf = (path: string, message: string | undefined): Issue[] =>
  message === undefined ? [] : [{ path, message }];

const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'customer_name',
  'product',
  'subject',
  'knowledge',
  'missing_information',
]);

/** The problem of a reply template, as the end of a sentence; undefined when it is valid. */
const checkTemplate = (template: string): string | undefined => {
  for (const [, name = ''] of template.matchAll(/\{([a-z_]{1,40})\}/g)) {
    if (!PLACEHOLDERS.has(name)) return `holds {${name}}, which is no known placeholder`;
  }
  for (const name of ['{knowledge}', '{missing_information}']) {
    const lines = template.split('\n').filter((line) => line.includes(name));
    if (lines.length > 1) return `holds ${name} more than once`;
    if (lines.some((line) => line.trim() !== name))
      return `holds ${name} beside other words: it needs a line of its own`;
  }
  return undefined;
};

/** Upper bound of the ways to match a pattern at one place of a text. */
const MAX_WAYS = 1000;
/** Upper bound of the characters that a pattern can match. */
const MAX_LENGTH = 1000;

/**
 * Checks that a regular expression of a taxonomy cannot become slow on any message: it must compile with the flags `iu`, bound every
 * repeat, and have neither lookarounds nor back references. Its cost then grows linearly with the length of the text.
 *
 * @returns The problem, as the end of a sentence that begins with the pattern's name; undefined when it is valid.
 */
export function checkPattern(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'iu');
  } catch {
    return 'is no regular expression with the flags iu';
  }
  if (/\\(?:k<|[1-9])/.test(withoutEscapedBackslashes(pattern)))
    return 'refers back to a group, which can be slow';
  if (/\(\?<?[=!]/.test(withoutEscapedBackslashes(pattern)))
    return 'looks ahead or behind, which can be slow';
  const { ways, length } = patternCost(pattern);
  if (ways === Number.POSITIVE_INFINITY)
    return 'repeats without end, which can be slow: give a bound, as in \\d{1,12}';
  if (ways > MAX_WAYS)
    return 'can match in too many ways, which can be slow: give its repeats smaller bounds';
  return length > MAX_LENGTH
    ? `can match more than ${MAX_LENGTH} characters, which can be slow`
    : undefined;
}

const withoutEscapedBackslashes = (pattern: string): string => pattern.replaceAll('\\\\', '');

/** The cost of a regular expression, or of a part of one, at one place of a text. */
interface PatternCost {
  /** Upper bound of the ways to match; `Infinity` when a repeat is unbounded. */
  ways: number;
  /** Upper bound of the characters of a match. */
  length: number;
}

/**
 * Upper bound of the cost of a regular expression at one place of a text: alternatives add up, sequences multiply, a repeat counts each
 * number of repetitions.
 *
 * @param pattern Compiles with the flag `u` and has no lookarounds.
 */
export function patternCost(pattern: string): PatternCost {
  const tokens = pattern.match(TOKEN) ?? [];
  const open = [newGroup()];
  for (const token of tokens) {
    const group = open.at(-1) ?? newGroup();
    if (token.startsWith('(')) open.push(newGroup());
    else if (token === ')') addItem(open.at(-2) ?? newGroup(), closed(open.pop() ?? newGroup()));
    else if (token === '|') Object.assign(group, newGroup(), { before: closed(group) });
    else if (QUANTIFIER.test(token)) group.item = repeated(group.item, token);
    else addItem(group, { ways: 1, length: 1 });
  }
  return closed(open[0] ?? newGroup());
}

/** A character class, an escape, the beginning of a group, a quantifier, or one character. */
const TOKEN =
  /\[(?:\\.|[^\]\\])*\]|\\(?:[pPu]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c.|.)|\((?:\?(?:<[^>]*>|[a-z-]*:))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu;
const QUANTIFIER = /^(?:[*+?]|\{\d)/;

/** A group that is being parsed. */
interface Group {
  /** Cost of the alternatives so far. */
  before: PatternCost;
  /** Cost of the current alternative without its last item. */
  sequence: PatternCost;
  item: PatternCost;
}

const EMPTY: PatternCost = { ways: 1, length: 0 };
const newGroup = (): Group => ({ before: { ways: 0, length: 0 }, sequence: EMPTY, item: EMPTY });

const joined = (left: PatternCost, right: PatternCost): PatternCost => ({
  ways: left.ways * right.ways,
  length: left.length + right.length,
});

const closed = ({ before, sequence, item }: Group): PatternCost => {
  const last = joined(sequence, item);
  return { ways: before.ways + last.ways, length: Math.max(before.length, last.length) };
};

const addItem = (group: Group, item: PatternCost): void => {
  group.sequence = joined(group.sequence, group.item);
  group.item = item;
};

const repeated = ({ ways, length }: PatternCost, quantifier: string): PatternCost => {
  const [least, most] = timesOf(quantifier);
  if (most === Number.POSITIVE_INFINITY) return { ways: most, length: most };
  if (ways === 1) return { ways: most - least + 1, length: length * most };
  let sum = 0;
  for (let times = least; times <= most && sum < Number.MAX_SAFE_INTEGER; times += 1)
    sum += ways ** times;
  return { ways: sum, length: length * most };
};

/** Larger bounds count as unbounded. */
const MAX_TIMES = 999;

const timesOf = (quantifier: string): [least: number, most: number] => {
  if (quantifier.startsWith('?')) return [0, 1];
  if (!quantifier.startsWith('{')) return [0, Number.POSITIVE_INFINITY];
  const [least = '0', most = least] = quantifier.replace(/[{}?]/g, '').split(',');
  const isBounded = most !== '' && Number(most) <= MAX_TIMES;
  return [Number(least), isBounded ? Number(most) : Number.POSITIVE_INFINITY];
};
