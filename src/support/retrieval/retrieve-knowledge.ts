import type { Hono } from 'hono';
import type { EmbeddingStatistics } from '../../ai/embeddings/cached-embeddings.ts';
import { embeddingStats } from '../../ai/embeddings/embedding-stats.ts';
import { KNOWLEDGE_ROUTES } from '../../contract/routes/knowledge.ts';
import {
  ARTICLE_URL_MAX_LENGTH,
  RETRIEVAL_MAX_SOURCES,
  RETRIEVAL_MIN_SCORE,
  RetrievalRequest,
  unavailableRetrieval,
} from '../../contract/wire/knowledge.ts';
import { UNKNOWN_INTENT } from '../../contract/wire/taxonomy.ts';
import { readPages } from '../../knowledge/edition/chunk-texts.ts';
import type { EditionScope, SearchToDo } from '../../knowledge/edition/current-edition.ts';
import { vectorsOf } from '../../knowledge/edition/edition-vectors.ts';
import { cachedArticle, type Edition } from '../../knowledge/edition/open-edition.ts';
import type { Retriever, SemanticUse } from '../../knowledge/search/retrieve.ts';
import { type SearchOutcome, searchEdition } from '../../knowledge/search/search-edition.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { waitUntilOf } from '../../platform/concurrency.ts';
import { covers } from '../../platform/context/capabilities.ts';
import type { GuardedEnv, GuardOptions } from '../../platform/context/context-guard.ts';
import type { OriginContext, VerifiedContext } from '../../platform/context/request-context.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { withDeadline } from '../../platform/http/deadline.ts';
import { jsonAnswer, readJson } from '../../platform/http/json-http.ts';
import { mountRoutes } from '../../platform/serve/mount-routes.ts';
import { excerptOf } from './excerpt.ts';
import { findGaps, isForeignTo, knowsWord, languageOfArticles } from './find-gaps.ts';
import {
  coverageOf,
  cutText,
  type Knowledge,
  type KnowledgeQuestion,
  type KnowledgeScope,
  knowledgeBlock,
} from './knowledge.ts';
import { type NamedProducts, namedProducts } from './named-products.ts';
import {
  isCommonWord,
  type ProblemText,
  peopleNamedIn,
  problemText,
  withoutOwnData,
} from './problem-text.ts';
import { askSentences, preferCurrent, type RankedSource, rankSources } from './rank-sources.ts';

interface RetrievalOptions {
  /** The current edition of the workspace, for what is going to be searched; may be slow, and may fail. */
  edition: Edition | ((searches: readonly SearchToDo[]) => Promise<Edition>);
  /** Searches by words and, when they arrive in time, by vectors: `createRetriever`. */
  retrieve: Retriever;
  /** Masks personal data in what is searched and embedded. */
  mask?: ((text: string) => string) | undefined;
  /** Products by name, besides those that articles are labelled with. */
  products?: readonly string[] | undefined;
  /** Article intents that also answer the query's intent: `article_intents` of the taxonomy. */
  articleIntents?: readonly string[] | undefined;
  /** On whose behalf the query is embedded. */
  context?: OriginContext | VerifiedContext | undefined;
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Aborted: the results available so far are returned at once. */
  signal?: AbortSignal | undefined;
  /** 1 to 100; 100 when absent (docs/contract.md#knowledge-retrieval). */
  timeoutMs?: number | undefined;
  /** Clock, in milliseconds. */
  now?: (() => number) | undefined;
  /** Receives failures. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
  /** Called as each step ends, for measurements. */
  onStep?: ((step: RetrievalStep) => void) | undefined;
}

/** Formation of the query, search, ranking and filtering, gaps, formatting of the reply. */
type RetrievalStep = 'query' | 'search' | 'filter' | 'gaps' | 'format';

/** Hard: later than that no source leaves. */
export const TIMEOUT_MS = 100;
/** The part of that which may be spent on asking the host what it has changed. */
const FRESH_MS = 50;
/** Reserve for the work after the search, and for timers of a busy isolate. */
const RESERVE_MS = 20;
/** Reserve for the last step; after that nothing more is searched. */
const LAST_MS = 5;
/** Hits considered; twice as many when vectors add their own. */
const DEPTH = 20;

/**
 * The articles that answer a customer's message, its coverage, and what is missing. Never rejects. Without vectors in time only words
 * are compared; when the time is almost up between the steps, sentences and gaps are omitted; when it is up before the sources leave,
 * without an edition in time, or after a failure, the result is the documented block without sources.
 */
export async function retrieveKnowledge(
  question: KnowledgeQuestion,
  options: RetrievalOptions,
): Promise<Knowledge> {
  try {
    const { now = Date.now } = options;
    const startedAt = now();
    const limitMs = Math.min(TIMEOUT_MS, Math.max(1, options.timeoutMs ?? TIMEOUT_MS));
    const found = await find(readQuestion(question), { ...options, now, startedAt, limitMs });
    const took = (await found.clock()) - startedAt;
    if (took > limitMs)
      throw new CodedError('TIMEOUT', `retrieval took ${Math.round(took)} ms of ${limitMs}`);
    return { ...found.knowledge, retrieval_time_ms: Math.max(1, Math.round(took)) };
  } catch (error) {
    tell(options, error);
    return unavailableRetrieval(
      error instanceof CodedError && error.code === 'TIMEOUT' ? 'timeout' : 'unavailable',
    );
  }
}

/**
 * The time, by a clock that on Cloudflare stands still while code runs and advances with the next event: if it has not moved since the last
 * reading, a timer is awaited first. Elsewhere that would only queue behind other requests.
 *
 * @param isFetching Whether pages may have been fetched since the last reading: the clock has moved then, but not past the work after it.
 */
const trueClock = (now: () => number, isFetching: boolean): (() => Promise<number>) => {
  let last = now();
  return async () => {
    if (isFetching || now() === last) await new Promise((resolve) => void setTimeout(resolve, 0));
    last = now();
    return last;
  };
};

const tell = (options: Partial<RetrievalOptions> | undefined, error: unknown): void => {
  try {
    options?.onFault?.('retrieve knowledge', error);
  } catch {
    // The logger may fail too; the response is sent all the same.
  }
};

/** Normalises a query of any form to its type. */
interface ReadQuestion {
  intent: string | undefined;
  message: string;
  subject: string;
  product: string | undefined;
  people: readonly string[];
  isWeakShown: boolean;
}

const readQuestion = (question: KnowledgeQuestion): ReadQuestion => {
  // Untyped callers may pass anything; malformed members are treated as absent.
  const given: { [Member in keyof KnowledgeQuestion]?: unknown } = question ?? {};
  const metadata = given.metadata as { product?: unknown } | null | undefined;
  const namedIntent = textOf(given.intent).trim().slice(0, 100);
  const product = textOf(metadata?.product).trim().slice(0, 100);
  const name = textOf(given.customer_name).slice(0, 200);
  return {
    intent: namedIntent === '' || namedIntent === UNKNOWN_INTENT ? undefined : namedIntent,
    message: textOf(given.message),
    subject: textOf(given.subject),
    product: product === '' ? undefined : product,
    people: name === '' ? [] : [name],
    isWeakShown: given.include_weak === true,
  };
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

type Timed = RetrievalOptions & { now: () => number; startedAt: number; limitMs: number };

const find = async (
  question: ReadQuestion,
  options: Timed,
): Promise<{ knowledge: Omit<Knowledge, 'retrieval_time_ms'>; clock: () => Promise<number> }> => {
  const {
    edition: given,
    mask = (text) => text,
    products,
    articleIntents = [],
    signal,
    onStep,
    limitMs,
  } = options;
  const leftMs = () => Math.max(0, limitMs - RESERVE_MS - (options.now() - options.startedAt));
  const problem = withoutOwnData(problemText(mask(question.message), mask(question.subject)));
  const searches = [problem.text, ...problem.sentences].map((text) => ({ question: text }));
  const loading =
    typeof given === 'function'
      ? withDeadline(() => given(searches), { timeoutMs: leftMs(), signal })
      : given;
  const edition = await loading;
  const isWord = (word: string) => isWordOf(edition, word);
  const named = namedProducts(problem.text, {
    product: question.product,
    devices: edition.devices(),
    products,
    isWord,
  });
  onStep?.('query');
  const { outcome, semantic, lacksTexts } = await ask(edition, problem, {
    ...options,
    named,
    leftMs,
  });
  const clock = trueClock(options.now, edition.texts.paged !== undefined);
  const isLateAt = (time: number) => time - options.startedAt > limitMs - LAST_MS;
  // The search has just waited, or taken a millisecond at most.
  const isLate = isLateAt(options.now());
  const pageOptions = { timeoutMs: Math.max(1, leftMs()), signal };
  const inSentences = await readPages(
    edition,
    () => (isLate ? [] : askSentences(edition, problem.sentences, named)),
    pageOptions,
  );
  onStep?.('search');
  const asked = [{ text: problem.text, outcome }, ...inSentences.value];
  const { intent } = question;
  const people = [...question.people, ...peopleNamedIn(problem.text, isWord)];
  const intents = intent === undefined ? [] : [intent, ...articleIntents];
  const { value: ranked } = await readPages(
    edition,
    () =>
      preferCurrent(edition, rankSources(edition, { asked, intents, named }), {
        text: problem.text,
        intents,
      }),
    pageOptions,
  );
  const coverage = coverageOf(Math.max(0, ...ranked.map(({ relevance }) => relevance)));
  const shown = ranked
    .filter(({ relevance }) => question.isWeakShown || relevance >= RETRIEVAL_MIN_SCORE)
    .slice(0, RETRIEVAL_MAX_SOURCES);
  onStep?.('filter');
  const isTooLate = isLate || isLateAt(await clock());
  const { value: foundGaps } = await readPages(
    edition,
    () =>
      isTooLate
        ? []
        : findGaps(edition, { asked, ranked, coverage, intent, intents, named, people }),
    pageOptions,
  );
  onStep?.('gaps');
  const { value: sources } = await readPages(
    edition,
    () => shown.map((source) => sourceOf(edition, source)),
    pageOptions,
  );
  onStep?.('format');
  const degraded = [
    ...(semantic === 'late' || semantic === 'failed' ? (['embeddings'] as const) : []),
    ...(isTooLate || lacksTexts === true || !inSentences.isComplete ? (['timeout'] as const) : []),
  ];
  const knowledge = {
    sources_consulted: sources,
    coverage,
    gaps: foundGaps.map(({ gap }) => gap),
    ...(degraded.length > 0 ? { degraded } : {}),
    evidence: {
      edition,
      text: problem.text,
      search: outcome,
      intents,
      language: languageOfArticles(edition, problem.text),
      articles: shown.map(({ article }) => article),
      sentences: inSentences.value,
      relevance: new Map(
        ranked.flatMap(({ article, relevance, isOfOtherProduct }) =>
          isOfOtherProduct ? [] : [[article, relevance]],
        ),
      ),
    },
    foundGaps,
    people,
    language: languageOfArticles(edition, problem.text),
    isForeign: isForeignTo(edition, problem.text),
    edition: edition.id,
  };
  return { knowledge, clock };
};

/** A word of articles or of ordinary requests is not a name. */
const isWordOf = (edition: Edition, word: string): boolean =>
  wordsOf(word).every((each) => isCommonWord(each) || knowsWord(edition, each));

/** Names of people in a message, as written: capitalised words that neither the articles nor ordinary requests have. */
export function peopleIn(edition: Edition, message: string): string[] {
  const { text } = withoutOwnData(problemText(message, ''));
  return peopleNamedIn(text, (word) => isWordOf(edition, word));
}

interface AskOptions extends Timed {
  named: NamedProducts;
  leftMs: () => number;
}

/** Hybrid search; words alone when vectors are late or the request is aborted. */
const ask = async (
  edition: Edition,
  { text }: ProblemText,
  { retrieve, named, leftMs, signal, waitUntil, onFault }: AskOptions,
): Promise<{ outcome: SearchOutcome; semantic: SemanticUse; lacksTexts?: boolean | undefined }> => {
  const devices = named.known;
  const ms = leftMs();
  const byWords = async () => {
    const work = () => searchEdition(edition, text, { limit: DEPTH, devices });
    const { value: outcome, isComplete } = await readPages(edition, work, {
      timeoutMs: Math.max(1, leftMs()),
    });
    return { outcome, semantic: 'late' as const, lacksTexts: isComplete ? undefined : true };
  };
  if (ms === 0 || signal?.aborted === true) return byWords();
  try {
    // It uses half of the time that it is given.
    const timeLeftMs = 2 * ms;
    const asked = retrieve(edition, text, {
      limit: vectorsOf(edition) === undefined ? DEPTH : 2 * DEPTH,
      devices,
      timeLeftMs,
      signal,
      waitUntil,
    });
    return await withDeadline(() => asked, { timeoutMs: ms + RESERVE_MS / 4, signal });
  } catch (error) {
    onFault?.('compare meanings', error);
    return byWords();
  }
};

const MAX_TITLE = 200;

const sourceOf = (
  edition: Edition,
  source: RankedSource,
): Knowledge['sources_consulted'][number] => {
  const { id, title, url, lastUpdated } = cachedArticle(edition, source.article);
  return {
    title: cutText(title, MAX_TITLE) || cutText(id, MAX_TITLE),
    url: url !== '' && url.length <= ARTICLE_URL_MAX_LENGTH ? url : id,
    relevance_score: Math.floor(source.relevance * 1000) / 1000,
    excerpt: excerptOf(edition, source),
    last_updated: lastUpdated,
  };
};

interface RetrievalRouteParts {
  /** Id of the function that serves the routes. */
  guard: GuardOptions;
  retriever: KnowledgeRetriever;
  /** How the cache of query embeddings of a workspace did. */
  statistics?: ((workspace: string) => EmbeddingStatistics) | undefined;
}

/**
 * `POST /v1/knowledge/retrieve` and `GET /v1/knowledge/stats`. A malformed request gets the documented block with status 200, as does every failure of retrieval
 * (docs/contract.md#knowledge-retrieval).
 */
export function retrievalRoutes(
  app: Hono<GuardedEnv>,
  { guard, retriever, statistics }: RetrievalRouteParts,
): void {
  const read = mountRoutes(app, KNOWLEDGE_ROUTES, guard);
  read('GET /v1/knowledge/stats', {}, (c) =>
    jsonAnswer(embeddingStats(statistics?.(c.get('context').workspace))),
  );
  read('POST /v1/knowledge/retrieve', {}, async (c) => {
    const request = readJson(c.get('body'), RetrievalRequest);
    if (!request.ok) {
      c.set('outcome', 'INVALID_QUERY');
      return jsonAnswer(unavailableRetrieval('invalid_query', request.problem));
    }
    const scope = {
      context: c.get('context'),
      waitUntil: waitUntilOf(c),
      signal: c.req.raw.signal,
    };
    const { metadata, ...question } = request.value;
    return jsonAnswer(
      knowledgeBlock(await retriever({ ...question, metadata: metadata ?? undefined }, scope)),
    );
  });
}

/** Records what the knowledge base could not answer. */
export interface GapRecorder {
  /** Called after a response: records its gaps, and compares open gaps with an edition that is new to this isolate. Never rejects. */
  met(
    question: KnowledgeQuestion,
    found: { knowledge: Knowledge; edition: Edition | undefined },
    scope: KnowledgeScope,
  ): Promise<void>;
}

interface KnowledgeRetrieverParts {
  /** The current edition of the workspace that a verified context names: `currentEdition`. */
  editionFor: (
    scope: KnowledgeScope & Pick<EditionScope, 'fresh' | 'searches'>,
  ) => Promise<Edition>;
  /** `createRetriever`. */
  retrieve: Retriever;
  /** Masks personal data in what is searched and embedded. */
  mask: (text: string) => string;
  /** Without it, gaps are reported but not recorded. */
  gaps?: GapRecorder | undefined;
  now?: (() => number) | undefined;
  /** Receives failures; responses are sent all the same. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

interface KnowledgeCall
  extends KnowledgeScope,
    Pick<RetrievalOptions, 'signal' | 'timeoutMs' | 'products' | 'articleIntents'> {}

/**
 * Retrieves for one request. After the response, gaps are recorded for callers that may analyse tickets: a key that only reads stores
 * nothing. Never rejects.
 */
export type KnowledgeRetriever = (
  question: KnowledgeQuestion,
  call: KnowledgeCall,
) => Promise<Knowledge>;

/** One per isolate. */
export function createKnowledgeRetriever({
  editionFor,
  gaps,
  ...parts
}: KnowledgeRetrieverParts): KnowledgeRetriever {
  return async (question, call) => {
    const scope = { context: call.context, waitUntil: call.waitUntil };
    let edition: Edition | undefined;
    const lacks: 'freshness'[] = [];
    const fresh = { withinMs: FRESH_MS, onStale: () => void lacks.push('freshness') };
    const load = async (searches: readonly SearchToDo[]): Promise<Edition> => {
      edition = await editionFor({ ...scope, fresh, searches: () => searches });
      return edition;
    };
    const found = await retrieveKnowledge(question, { ...parts, ...call, edition: load });
    const isMarked = lacks.length > 0 && found.edition !== undefined;
    const knowledge: Knowledge = isMarked
      ? { ...found, degraded: [...(found.degraded ?? []), ...lacks] }
      : found;
    if (gaps !== undefined && covers(call.context.capabilities, 'support:analyze')) {
      call.waitUntil(gaps.met(question, { knowledge, edition }, scope));
    }
    return knowledge;
  };
}
