import { Redis } from '@upstash/redis';
import { Index } from '@upstash/vector';
import type {
  AdapterChoice,
  AdapterVariables,
  ModelChoice,
} from '../../src/ai/adapters/settings.ts';
import { EmbeddingFailed } from '../../src/ai/embeddings/base.ts';
import { OpenAIEmbeddingProvider } from '../../src/ai/embeddings/openai.ts';
import { ModelUnavailable, openaiChat } from '../../src/ai/openai-chat.ts';
import { priceOf } from '../../src/ai/prices.ts';
import { parseJson } from '../../src/contract/core/json-object.ts';
import type {
  AIClient,
  AICompletion,
  AICompletionOptions,
} from '../../src/contract/core/librarian.ts';
import { readSources, type SourceVariables } from '../../src/knowledge/sources/source-settings.ts';
import { LOCAL_LIBRARIANS } from '../../src/platform/context/internal-librarians.ts';
import type { DirectoryClaims } from '../../src/platform/context/key-directory.ts';
import { EXPIRY_WARNING_MS } from '../../src/platform/context/limits.ts';
import { type HelpdeskVariables, readConnections } from '../../src/support/tools/connections.ts';
import { helpdeskTools } from '../../src/support/tools/helpdesk-tools.ts';

/** The result of one check. */
export interface Finding {
  what: string;
  state: 'well' | 'not configured' | 'worth knowing' | 'wrong';
  /** The finding, and for a problem what to do. Never contains a secret. */
  reported: string;
}

/** Timeout of one service. */
const TIMEOUT_MS = 20_000;
/** Everything that is written has this name, and is deleted again. */
const PROBE = 'constellation-doctor';

/** An account whose Workers AI can be asked from here: its REST address for OpenAI's protocol, and a token. */
export interface CloudflareAI {
  url: string;
  token: string;
}

/** The models of a configuration alone. @param options.texts In one call for embeddings. */
export async function examineModels(
  settings: ModelChoice,
  { texts = 256 } = {},
): Promise<Finding[]> {
  return (await Promise.all([examineEmbeddings(settings, texts), examineChat(settings)])).flat();
}

/** The models are the same behind the binding and behind the account's REST address; only the second can be reached from here. */
export async function examineWorkersAI(
  settings: ModelChoice,
  cloudflare: CloudflareAI | undefined,
): Promise<Finding[]> {
  const { chat, embedding } = settings;
  const names = [chat?.model, embedding?.model].filter((name) => name !== undefined).join(' and ');
  const what = 'Workers AI';
  if (cloudflare === undefined)
    return [
      {
        what,
        state: 'worth knowing',
        reported: `${names} by the binding AI, which npm run setup adds. It is asked from here when CLOUDFLARE_API_TOKEN and CLOUDFLARE_ACCOUNT_ID are set`,
      },
    ];
  const findings = await examineModels({ ...settings, openai: cloudflare });
  const ofAccount = (text: string): string =>
    text
      .replaceAll('OPENAI_API_KEY', 'CLOUDFLARE_API_TOKEN')
      .replaceAll('OPENAI_BASE_URL', 'CLOUDFLARE_ACCOUNT_ID');
  return [
    { what, state: 'well', reported: `${names} by the binding AI; the account bills them by use` },
    ...findings.map((finding) => ({ ...finding, reported: ofAccount(finding.reported) })),
  ];
}

/** What is set and has no effect. */
export function unusedFindings(
  { OPENAI_API_KEY: key, OPENAI_BASE_URL: address, WORKERS_AI: workersAI }: AdapterVariables,
  { isOff, openai }: ModelChoice,
): Finding[] {
  const names = [
    ...(key || address ? ['OPENAI_API_KEY and OPENAI_BASE_URL'] : []),
    ...(workersAI === 'yes' ? ['WORKERS_AI'] : []),
  ];
  if (isOff && names.length > 0)
    return [
      {
        what: 'models',
        state: 'worth knowing',
        reported: `MODELS=none turns off ${names.join(' and ')}`,
      },
    ];
  if (openai === undefined || workersAI !== 'yes') return [];
  const reported =
    'WORKERS_AI has no effect: OPENAI_API_KEY or OPENAI_BASE_URL name a service, which comes first';
  return [{ what: 'Workers AI', state: 'worth knowing', reported }];
}

/** As many texts as a sync embeds at once, so that a limit shows, and one as long as a section may be. */
const examineEmbeddings = async (
  { openai, embedding }: ModelChoice,
  texts: number,
): Promise<Finding[]> => {
  const what = 'embeddings';
  if (openai === undefined || embedding === undefined)
    return [
      {
        what,
        state: 'not configured',
        reported: 'words carry the search alone (OPENAI_API_KEY, EMBEDDING_MODEL)',
      },
    ];
  const config = { apiKey: openai.token, baseURL: openai.url, ...embedding, timeoutMs: TIMEOUT_MS };
  const provider = new OpenAIEmbeddingProvider(config);
  const startedAt = performance.now();
  const findings = await reported(what, 'EMBEDDING_MODEL', async () => {
    await provider.embedBatch(
      Array.from({ length: texts }, (_, at) => `Is anybody there, number ${at}?`),
    );
    await provider.embed('Is anybody there? '.repeat(400));
    const ms = Math.round(performance.now() - startedAt);
    return `${embedding.model} gives ${embedding.dimensions} numbers, for ${texts} texts in ${ms} ms`;
  });
  return [...findings, ...refusalFinding(what, embedding.model, provider.refusals())];
};

const examineChat = async ({ openai, chat }: ModelChoice): Promise<Finding[]> => {
  const what = 'answers by a model';
  if (openai === undefined || chat === undefined)
    return [
      {
        what,
        state: 'not configured',
        reported: 'answers are quotes (OPENAI_API_KEY, CHAT_MODEL)',
      },
    ];
  const client = openaiChat({
    model: chat.model,
    apiKey: openai.token,
    baseURL: openai.url,
    prices: chat.prices,
    timeoutMs: TIMEOUT_MS,
  });
  const findings = await reported(what, 'CHAT_MODEL', async () => {
    // As the product asks, at once and as a stream: what is refused shows.
    const options = { maxTokens: 1000, temperature: 0, schema: PROBE_SCHEMA };
    const { usage } = await askForObject(client, options);
    await askForObject(client, { ...options, onText: () => {} });
    return `${chat.model} replies with the object that is asked for, and ${usage === undefined ? 'does not tell' : 'tells'} the tokens it spent`;
  });
  if (findings[0]?.state !== 'well') return findings;
  const refused = refusalFinding(what, chat.model, client.refusals());
  if (chat.prices !== undefined && priceOf(chat.model, chat.prices))
    return [...findings, ...refused];
  const noPrice = `costs are not reported: MODEL_PRICES has no entry for ${chat.model}`;
  return [...findings, ...refused, { what: 'prices', state: 'worth knowing', reported: noPrice }];
};

/** What a model refuses is left out from then on: nothing is to be done about it. */
const refusalFinding = (what: string, model: string, refusals: readonly string[]): Finding[] =>
  refusals.length === 0
    ? []
    : [
        {
          what,
          state: 'worth knowing',
          reported: `${model} refuses ${refusals.join(', ')}: it is asked without`,
        },
      ];

const askForObject = async (
  client: AIClient,
  options: AICompletionOptions,
): Promise<AICompletion> => {
  const completion = await client.complete(
    [
      { role: 'system', content: 'Reply with JSON: {"word": "ready"}.' },
      { role: 'user', content: 'Are you ready?' },
    ],
    options,
  );
  const { text, finish } = completion;
  if (finish === 'length')
    throw new Wrong(
      `${client.model} spent its tokens before it answered: choose one that thinks less, or none that reasons`,
    );
  if (finish !== 'stop' && finish !== undefined)
    throw new Wrong(`${client.model} did not answer a plain request: ${finish}`);
  if (parseJson(text) === undefined)
    throw new Wrong(
      `${client.model} does not reply with JSON when it is asked to: choose a larger model`,
    );
  return completion;
};

const PROBE_SCHEMA = {
  name: 'probe',
  schema: {
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: false,
  },
};

export async function examineVector({
  vector,
  embedding,
}: Pick<AdapterChoice, 'vector' | 'embedding'>): Promise<Finding[]> {
  const what = 'Upstash Vector';
  if (vector === undefined || embedding === undefined)
    return [
      { what, state: 'not configured', reported: 'vectors stay in editions and Durable Objects' },
    ];
  const { dimensions } = embedding;
  const index = new Index({
    ...vector,
    enableTelemetry: false,
    retry: { retries: 1 },
    signal: inTime,
  });
  return reported(what, ADVICE.vector, async () => {
    // The SDK's type lacks what the service sends.
    const info: Awaited<ReturnType<typeof index.info>> & { indexType?: string } =
      await index.info();
    if (info.dimension !== dimensions)
      throw new Wrong(
        `the index takes ${info.dimension} numbers, ${embedding.model} gives ${dimensions}: make an index of ${dimensions}, or set EMBEDDING_DIMENSIONS`,
      );
    if (info.similarityFunction !== 'COSINE')
      throw new Wrong(
        `the index compares by ${info.similarityFunction}: make one that compares by COSINE`,
      );
    if (info.indexType !== undefined && info.indexType !== 'DENSE')
      throw new Wrong(
        `the index is ${info.indexType}: make a DENSE one, words are searched in the edition`,
      );
    const probe = {
      id: PROBE,
      vector: Array.from({ length: dimensions }, (_, at) => (at === 0 ? 1 : 0)),
    };
    await index.namespace(PROBE).upsert(probe);
    await index.deleteNamespace(PROBE);
    return `${info.vectorCount} vectors in ${Object.keys(info.namespaces ?? {}).length} namespaces, and it lets us write`;
  });
}

/** Namespaces of passages begin like this: `passages_default-1`, or with a hash. */
const PASSAGES = /^passages[_-]/;

/** A hybrid index: whether it fits and can be written, and what each of its namespaces of passages lacks. */
export async function examineHybridIndex({
  hybrid,
  embedding,
}: Pick<AdapterChoice, 'hybrid' | 'embedding'>): Promise<Finding[]> {
  if (hybrid === undefined) return [];
  const dimensions = embedding?.dimensions ?? WORD_VECTOR_DIMENSIONS;
  const { url, token, fromPassages } = hybrid;
  const what = 'hybrid index';
  const index = new Index({
    url,
    token,
    enableTelemetry: false,
    retry: { retries: 1 },
    signal: inTime,
  });
  const lacks: Finding[] = [];
  const findings = await reported(what, ADVICE.vector, async () => {
    // The SDK's type lacks what the service sends.
    const info: Awaited<ReturnType<typeof index.info>> & { indexType?: string } =
      await index.info();
    if (info.dimension !== dimensions)
      throw new Wrong(
        `the index takes ${info.dimension} numbers, ${embedding?.model ?? 'word vectors'} give ${dimensions}: make an index of ${dimensions}`,
      );
    if (info.similarityFunction !== 'COSINE')
      throw new Wrong(
        `the index compares by ${info.similarityFunction}: make one that compares by COSINE`,
      );
    if (info.indexType !== undefined && info.indexType !== 'HYBRID')
      throw new Wrong(
        `the index is ${info.indexType}: make a HYBRID one, or set UPSTASH_VECTOR_INDEX=dense`,
      );
    await index.namespace(PROBE).upsert({
      id: PROBE,
      vector: Array.from({ length: dimensions }, (_, at) => (at === 0 ? 1 : 0)),
      sparseVector: { indices: [1], values: [1] },
    });
    await index.deleteNamespace(PROBE);
    for (const [name, counts] of Object.entries(info.namespaces ?? {}))
      if (PASSAGES.test(name)) lacks.push(...namespaceFindings(name, counts));
    return `it lets us write; passages are there from ${fromPassages} on`;
  });
  return [...findings, ...lacks];
}

const WORD_VECTOR_DIMENSIONS = 96;

const namespaceFindings = (
  name: string,
  { vectorCount, pendingVectorCount }: { vectorCount: number; pendingVectorCount: number },
): Finding[] => {
  if (vectorCount + pendingVectorCount === 0)
    return [
      {
        what: 'hybrid index',
        state: 'wrong',
        reported: `${name} is empty: send POST /v1/sync with {"full": true}, which fills another namespace`,
      },
    ];
  if (pendingVectorCount === 0) return [];
  const reported = `${pendingVectorCount} of ${vectorCount} passages in ${name} are not found by queries yet; an edition waits for them`;
  return [{ what: 'hybrid index', state: 'worth knowing', reported }];
};

export async function examineRedis({ redis }: Pick<AdapterChoice, 'redis'>): Promise<Finding[]> {
  const what = 'Upstash Redis';
  if (redis === undefined)
    return [{ what, state: 'not configured', reported: 'embeddings are kept in KV' }];
  const client = new Redis({
    ...redis,
    enableTelemetry: false,
    retry: { retries: 1 },
    signal: inTime,
  });
  return reported(what, ADVICE.redis, async () => {
    await client.set(PROBE, PROBE, { ex: 60 });
    const value = await client.get(PROBE);
    await client.del(PROBE);
    if (value !== PROBE)
      throw new Wrong('it does not give back what was set: is it a database of its own?');
    return 'it keeps, gives back and deletes';
  });
}

/**
 * Checks the key directory that is to be deployed: when it expires every call between functions is refused.
 *
 * @param inUse Sequence number of the deployed one, as `GET /healthz` reports it.
 */
export function examineDirectory(
  { seq, exp, librarians }: Pick<DirectoryClaims, 'seq' | 'exp' | 'librarians'>,
  { now, inUse }: { now: number; inUse?: number | undefined },
): Finding {
  const what = 'key directory';
  const left = exp * 1000 - now;
  const until = new Date(exp * 1000).toISOString().slice(0, 10);
  const renew = 'npx constellation keys renew signs it for another year, then deploy';
  if (inUse !== undefined && seq < inUse)
    return {
      what,
      state: 'wrong',
      reported: `the key directory is number ${seq}, older than number ${inUse}, which is in use: what was removed since would be trusted again`,
    };
  const outdated = Object.entries(LOCAL_LIBRARIANS).flatMap(([id, { cap }]) => {
    const entry = librarians[id];
    return entry === undefined || String(entry.cap) === String(cap) ? [] : [id];
  });
  if (outdated.length > 0)
    return {
      what,
      state: 'wrong',
      reported: `the key directory gives ${outdated.join(', ')} other rights than this version needs: ${renew}`,
    };
  if (left <= 0)
    return { what, state: 'wrong', reported: `the key directory expired on ${until}: ${renew}` };
  if (left < EXPIRY_WARNING_MS)
    return {
      what,
      state: 'worth knowing',
      reported: `the key directory expires on ${until}: ${renew}`,
    };
  return { what, state: 'well', reported: `number ${seq}, valid until ${until}` };
}

/** Checks the connections to helpdesks, without calling them. */
export function examineHelpdesks(variables: HelpdeskVariables): Finding[] {
  return readConnections(variables)
    .list(helpdeskTools)
    .map(({ workspace, helpdesk, problem }): Finding => {
      const what = `${helpdesk} (${workspace})`;
      if (problem !== undefined) return { what, state: 'wrong', reported: problem };
      return {
        what,
        state: 'well',
        reported: 'its entry in HELPDESKS can be used, and its secrets are set',
      };
    });
}

/** Checks the article sources, without calling them. */
export function examineSources(variables: SourceVariables): Finding[] {
  return readSources(variables, { fetch, now: Date.now })
    .problems()
    .map(({ workspace, problem }) => ({
      what: `articles (${workspace})`,
      state: 'wrong',
      reported: problem,
    }));
}

const inTime = (): AbortSignal => AbortSignal.timeout(TIMEOUT_MS);

/** Our own findings; other errors are reported by kind only, since services may echo secrets. */
class Wrong extends Error {
  override readonly name = 'Wrong';
}

const ADVICE = {
  vector:
    'check UPSTASH_VECTOR_REST_URL, and that UPSTASH_VECTOR_REST_TOKEN is the one that may write',
  redis:
    'check UPSTASH_REDIS_REST_URL, and that UPSTASH_REDIS_REST_TOKEN is the one that may write',
};

type ModelVariable = 'EMBEDDING_MODEL' | 'CHAT_MODEL';

/** What to do about a model that failed: each reason has its own variable, and some have none. */
const adviceOnModel = (
  error: EmbeddingFailed | ModelUnavailable,
  variable: ModelVariable,
): string => {
  if (error instanceof EmbeddingFailed && error.dimensions !== undefined)
    return `set EMBEDDING_DIMENSIONS to ${error.dimensions}`;
  switch (error.why) {
    case 'key':
      return `check OPENAI_API_KEY, and that it may use the model of ${variable}`;
    case 'quota':
      return 'the account of OPENAI_API_KEY needs credit';
    case 'model':
      return `check ${variable}; some services have to load a model first`;
    case 'address':
      return 'check OPENAI_BASE_URL: it ends with the version, such as https://host.example/v1';
    case 'length':
    case 'content':
    case 'parameters':
      return `address, key and name are right; choose another model in ${variable}`;
    default:
  }
  switch (error.reason) {
    case 'rate_limited':
      return 'address and key are right; try again later, or raise the limit of the account';
    case 'unavailable':
      return 'check OPENAI_BASE_URL, and that the service runs';
    case 'malformed':
      return `check OPENAI_BASE_URL: what answers there does not speak OpenAI's protocol for ${variable}`;
    default:
      return `it does not say why: check OPENAI_BASE_URL, OPENAI_API_KEY and ${variable}`;
  }
};

const reported = async (
  what: string,
  advice: string,
  look: () => Promise<string>,
): Promise<Finding[]> => {
  try {
    return [{ what, state: 'well', reported: await look() }];
  } catch (error) {
    return [
      {
        what,
        state: 'wrong',
        reported: error instanceof Wrong ? error.message : problemOf(error, advice),
      },
    ];
  }
};

const problemOf = (error: unknown, advice: string): string => {
  // Messages of src/ai are our own; for other errors only the kind is safe to print.
  if (error instanceof EmbeddingFailed || error instanceof ModelUnavailable)
    return `${error.message}: ${adviceOnModel(error, advice === 'CHAT_MODEL' ? advice : 'EMBEDDING_MODEL')}`;
  return `${kindOf(error)}: ${advice}`;
};

const kindOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'it did not answer as it should';
  if (/Unauthorized|WRONGPASS|NOPERM|read-only|not allowed/i.test(error.message))
    return 'the token is not accepted for this';
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  return `it did not answer as it should (${error.name})`;
};
