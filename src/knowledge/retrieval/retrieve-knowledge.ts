import {
  RETRIEVAL_MAX_SOURCES,
  RETRIEVAL_MIN_SCORE,
  unavailableRetrieval,
} from '../../contract/knowledge-retrieval.ts';
import { UNKNOWN_INTENT } from '../../contract/taxonomy.ts';
import type { OriginContext, VerifiedContext } from '../../runtime/request-context.ts';
import { articleAtHand } from '../../search/chunks-at-hand.ts';
import { vectorsOf } from '../../search/edition-vectors.ts';
import type { Edition } from '../../search/open-edition.ts';
import type { Retriever, SemanticUse } from '../../search/retrieve.ts';
import { type SearchOutcome, searchEdition } from '../../search/search-edition.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { cutText } from './cut-text.ts';
import { excerptOf } from './excerpt.ts';
import { findGaps, isForeignTo, knowsWord, languageOfArticles } from './find-gaps.ts';
import type { Knowledge, KnowledgeQuestion } from './knowledge.ts';
import { coverageOf } from './knowledge.ts';
import { type NamedProducts, namedProducts } from './named-products.ts';
import { peopleNamedIn } from './people-named-in.ts';
import { preferCurrent } from './prefer-current.ts';
import { type ProblemText, problemText, withoutOwnData } from './problem-text.ts';
import { askSentences, type RankedSource, rankSources } from './rank-sources.ts';
import { isCommonWord } from './topic-words.ts';
import { withinTime } from './within-time.ts';

export interface RetrievalOptions {
  /** The current edition of the workspace; may take its time, and fail. */
  edition: Edition | (() => Promise<Edition>);
  /** Searches words and, as far as they come in time, meanings: `createRetriever`. */
  retrieve: Retriever;
  /** Takes personal data out of what is searched and embedded. */
  mask?: ((text: string) => string) | undefined;
  /** Products by name, beside those that articles are labelled with. */
  products?: readonly string[] | undefined;
  /** Intents of articles that answer the question's intent too: `article_intents` of the taxonomy. */
  articleIntents?: readonly string[] | undefined;
  /** In whose name meanings are asked for. */
  context?: OriginContext | VerifiedContext | undefined;
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
  /** Nobody waits any more: what is at hand is given back at once. */
  signal?: AbortSignal | undefined;
  /** 1 to 100; 100 when absent (seed 001, Latency Budget). */
  timeoutMs?: number | undefined;
  /** The edition may take so long before that time begins, at most 2,000: whoever can wait has it opened. Absent: it is part of it. */
  editionMs?: number | undefined;
  /** Milliseconds of a clock. */
  now?: (() => number) | undefined;
  /** Told of what failed. */
  onFault?: ((where: string, error: unknown) => void) | undefined;
}

const TIMEOUT_MS = 100;
/** Kept for what is done behind the search, and for the clock of a busy isolate. */
const RESERVE_MS = 15;
/** Hits that are looked at; as many again where meanings may add their own. */
const DEPTH = 20;

/**
 * The articles that answer a customer's message, how well they cover it, and what is missing (seed 001, contract 2; design 7.1).
 * Never rejects, whatever it is given. What is late is left out: meanings are, and words alone are compared; without an edition in time,
 * and when something fails, it is the documented block without sources.
 */
export const retrieveKnowledge = async (question: KnowledgeQuestion, options: RetrievalOptions): Promise<Knowledge> => {
  try {
    const { now = Date.now } = options;
    const edition = await editionAhead(options);
    const startedAt = now();
    const found = await find(readQuestion(question), { ...options, edition, now, startedAt });
    return { ...found, retrieval_time_ms: Math.max(1, Math.round(now() - startedAt)) };
  } catch (error) {
    tell(options, error);
    return unavailableRetrieval();
  }
};

/** An isolate that has just begun opens the edition first. */
const editionAhead = async ({ edition, editionMs, signal }: RetrievalOptions): Promise<RetrievalOptions['edition']> =>
  typeof edition === 'function' && editionMs !== undefined
    ? withinTime(edition(), { ms: Math.min(MAX_EDITION_MS, Math.max(1, editionMs)), signal })
    : edition;
const MAX_EDITION_MS = 2000;

const tell = (options: Partial<RetrievalOptions> | undefined, error: unknown): void => {
  try {
    options?.onFault?.('retrieve knowledge', error);
  } catch {
    // Whoever writes it down may fail as well, and the answer goes out all the same.
  }
};

/** A question in the form that the types tell, whatever came. */
interface ReadQuestion {
  intent: string | undefined;
  message: string;
  subject: string;
  product: string | undefined;
  people: readonly string[];
  isWeakShown: boolean;
}

const readQuestion = (question: KnowledgeQuestion): ReadQuestion => {
  // What calls from outside of the types may bring anything, which is read as if nothing was told.
  const given: { [Member in keyof KnowledgeQuestion]?: unknown } = question ?? {};
  const metadata = given.metadata as { product?: unknown } | null | undefined;
  const told = textOf(given.intent).trim().slice(0, 100);
  const product = textOf(metadata?.product).trim().slice(0, 100);
  const name = textOf(given.customer_name).slice(0, 200);
  return {
    intent: told === '' || told === UNKNOWN_INTENT ? undefined : told,
    message: textOf(given.message),
    subject: textOf(given.subject),
    product: product === '' ? undefined : product,
    people: name === '' ? [] : [name],
    isWeakShown: given.include_weak === true,
  };
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

type Timed = RetrievalOptions & { now: () => number; startedAt: number };

const find = async (question: ReadQuestion, options: Timed): Promise<Omit<Knowledge, 'retrieval_time_ms'>> => {
  const { edition: given, mask = (text) => text, products, articleIntents = [], signal } = options;
  const limitMs = Math.min(TIMEOUT_MS, Math.max(1, options.timeoutMs ?? TIMEOUT_MS));
  const leftMs = () => Math.max(0, limitMs - RESERVE_MS - (options.now() - options.startedAt));
  const loading = typeof given === 'function' ? withinTime(given(), { ms: leftMs(), signal }) : given;
  const edition = await loading;
  const problem = withoutOwnData(problemText(mask(question.message), mask(question.subject)));
  const named = namedProducts(problem.text, { product: question.product, devices: edition.devices(), products });
  const { outcome, semantic } = await ask(edition, problem, { ...options, named, leftMs });
  const asked = [{ text: problem.text, outcome }, ...askSentences(edition, problem.sentences, named)];
  const { intent } = question;
  const people = [...question.people, ...peopleNamedIn(problem.text, (word) => isWordOf(edition, word))];
  const intents = intent === undefined ? [] : [intent, ...articleIntents];
  const ranked = preferCurrent(edition, rankSources(edition, { asked, intents, named }), {
    text: problem.text,
    intents,
  });
  const coverage = coverageOf(Math.max(0, ...ranked.map(({ relevance }) => relevance)));
  const foundGaps = findGaps(edition, { asked, ranked, coverage, intent, intents, named, people });
  const shown = ranked
    .filter(({ relevance }) => question.isWeakShown || relevance >= RETRIEVAL_MIN_SCORE)
    .slice(0, RETRIEVAL_MAX_SOURCES);
  return {
    sources_consulted: shown.map((source) => sourceOf(edition, source)),
    coverage,
    gaps: foundGaps.map(({ gap }) => gap),
    ...(semantic === 'late' || semantic === 'failed' ? { degraded: ['embeddings'] } : {}),
    evidence: {
      ...{ edition, text: problem.text, search: outcome, intents, language: languageOfArticles(edition) },
      articles: shown.map(({ article }) => article),
      relevance: new Map(
        ranked.flatMap(({ article, relevance, isOfOtherProduct }) => (isOfOtherProduct ? [] : [[article, relevance]])),
      ),
    },
    foundGaps,
    people,
    language: languageOfArticles(edition),
    isForeign: isForeignTo(edition, problem.text),
    edition: edition.id,
  };
};

/** One that articles have too, or every request: no name of somebody who writes to us. */
const isWordOf = (edition: Edition, word: string): boolean =>
  wordsOf(word).every((each) => isCommonWord(each) || knowsWord(edition, each));

interface AskOptions extends Timed {
  named: NamedProducts;
  leftMs: () => number;
}

/** Words and meanings; words alone where the other is not at hand in time, or nobody waits any more. */
const ask = async (
  edition: Edition,
  { text }: ProblemText,
  { retrieve, named, leftMs, signal, waitUntil, onFault }: AskOptions,
): Promise<{ outcome: SearchOutcome; semantic: SemanticUse }> => {
  const devices = named.known;
  const byWords = () => searchEdition(edition, text, { limit: DEPTH, devices });
  const ms = leftMs();
  if (ms === 0 || signal?.aborted === true) return { outcome: byWords(), semantic: 'late' };
  try {
    // It takes half of the time that it is told of.
    const timeLeftMs = 2 * ms;
    const asked = retrieve(edition, text, {
      limit: vectorsOf(edition) === undefined ? DEPTH : 2 * DEPTH,
      devices,
      timeLeftMs,
      signal,
      waitUntil,
    });
    return await withinTime(asked, { ms: ms + RESERVE_MS / 3, signal });
  } catch (error) {
    onFault?.('compare meanings', error);
    return { outcome: byWords(), semantic: 'late' };
  }
};

const MAX_TITLE = 200;
const MAX_URL = 500;

const sourceOf = (edition: Edition, source: RankedSource): Knowledge['sources_consulted'][number] => {
  const { id, title, url, lastUpdated } = articleAtHand(edition, source.article);
  return {
    title: cutText(title, MAX_TITLE) || cutText(id, MAX_TITLE),
    url: cutText(url, MAX_URL) || cutText(id, MAX_URL),
    relevance_score: Math.floor(source.relevance * 1000) / 1000,
    excerpt: excerptOf(edition, source),
    last_updated: lastUpdated,
  };
};
