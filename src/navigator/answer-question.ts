import { WORD_VECTORS_MODEL, type WordVectors } from '../ai/embeddings/word-vectors.ts';
import type { Reranker } from '../ai/reranker.ts';
import type { Progress } from '../contract/ask.ts';
import type { AIClient, LibrarianInfo } from '../contract/librarian.ts';
import {
  type ExplainedPassage,
  type Explanation,
  MAX_EXPLAINED,
  PARTIAL_BELOW,
} from '../contract/navigator-response.ts';
import { questionWithTurn } from '../grounding/parse-question.ts';
import { type AnswerPhrases, answerPhrases, filled } from '../runtime/answer-phrases.ts';
import type { WaitUntil } from '../runtime/concurrency.ts';
import { escapeText } from '../runtime/escape-html.ts';
import { oncePer } from '../runtime/once-per.ts';
import { answeringModelOf, relevanceOfHits } from '../search/answering-model.ts';
import { readPages } from '../search/chunk-texts.ts';
import { devicesOwned } from '../search/devices-named-in.ts';
import { vectorsOf } from '../search/edition-vectors.ts';
import { candidatesCache, chooseLibrarian } from '../search/librarian-routing.ts';
import { cachedArticle, type Edition } from '../search/open-edition.ts';
import type { Retriever, SemanticUse } from '../search/retrieve.ts';
import { type SearchHit, type SearchOutcome, searchEdition } from '../search/search-edition.ts';
import { completedQuestion } from '../text/complete-question.ts';
import { lastOf, turnsFor } from '../text/refers-back.ts';
import { type AnswerOptions, answerFromEdition, DECLINED_BELOW, HITS, languageOf } from './answer-from-edition.ts';
import { answerWithModel, MODEL_HITS, type ModelAccount } from './answer-with-model.ts';
import { oneLine } from './compose-answer.ts';
import { spokenLanguage } from './decline.ts';
import { type AnswerViolation, chooseHits, type NavigatorAnswer } from './navigator-answer.ts';

export interface QuestionOptions extends Pick<AnswerOptions, 'history' | 'devices' | 'knowledge' | 'language'> {
  /** Librarians that may be named as the ones to ask. */
  others?: OtherLibrarians | undefined;
  /** Gets the rules that the answer broke before it was mended. */
  onViolations?: ((violations: readonly AnswerViolation[]) => void) | undefined;
  /** What is known about the asker, best first. Data of others. */
  facts?: readonly string[] | undefined;
  /** Milliseconds left for the answer at the time of the call. */
  timeLeftMs: () => number;
  signal?: AbortSignal | undefined;
  waitUntil?: WaitUntil | undefined;
  ai?: AIClient | undefined;
  /** Orders the passages for the model; search order when absent. */
  reranker?: Reranker | undefined;
  /** Gets what is searched, found and stated. */
  progress?: Progress | undefined;
  /** The edition's own search when absent. */
  retrieve?: Retriever | undefined;
  /** Word vectors; words are compared by form alone when absent. */
  wordVectors?: (() => WordVectors) | undefined;
  /** Whether `metadata.explain` says why the passages were chosen, which costs a search of its own. */
  explain?: boolean | undefined;
}

/** Metadata of an answer; empty without a model and without failures. */
export interface AnswerMetadata {
  /** Whether the answer to the same question on the same edition was reused. */
  cached?: true;
  answered_by?: ModelAccount['answeredBy'];
  model?: string;
  model_refused?: NonNullable<ModelAccount['refused']>;
  /** Components that failed, so that a later answer may be better. */
  degraded?: ('embeddings' | 'freshness' | 'model' | 'texts')[];
  usage?: { calls: number; input_tokens: number; output_tokens: number; cost_usd?: number };
  /** Milliseconds of all model calls together. */
  model_ms?: number;
  /** Queries that the model proposed because the first search was weak. */
  queries?: readonly string[];
  /** Rules that the answer broke before it was mended, each once. */
  violations?: readonly AnswerViolation[];
  /** Removed statements of the model, each shortened, with the reason. */
  removed?: readonly { text: string; reason: string }[];
  [more: string]: unknown;
}

/**
 * Answers a question, for all routes: finds passages, has the model answer if there is one, and quotes otherwise. Quotes are cached per
 * edition, unless embeddings were late or failed. Answers of a model are not cached, as they depend on the time and budget left.
 */
export const answerQuestion = async (
  edition: Edition,
  question: string,
  options: QuestionOptions,
): Promise<{ answer: NavigatorAnswer; metadata: AnswerMetadata }> => {
  const history = turnsFor(question, options.history ?? []);
  const { answer: found, metadata: reported } = await findAnswer(edition, question, { ...options, history });
  const phrases = answerPhrases(spokenLanguage(edition, question, languageOf(question, options)));
  const answer = options.others === undefined ? found : withWhomToAsk(found, question, options.others, phrases);
  const metadata =
    options.explain === true
      ? { ...reported, explain: await explanationOf(edition, question, answer, { ...options, history }) }
      : reported;
  const { violations = [] } = answer;
  if (violations.length === 0) return { answer, metadata };
  options.onViolations?.(violations);
  const once = new Map(violations.map((violation) => [JSON.stringify(violation), violation]));
  return { answer, metadata: { ...metadata, violations: [...once.values()] } };
};

/** By a search of its own, so that a reused answer is explained, too. */
const explanationOf = async (
  edition: Edition,
  question: string,
  answer: NavigatorAnswer,
  options: QuestionOptions,
): Promise<Explanation> => {
  const { history = [], devices, retrieve, signal, waitUntil, timeLeftMs } = options;
  const about = { history, devices, language: languageOf(question, options), limit: HITS };
  const { outcome, semantic } =
    retrieve === undefined
      ? {
          outcome: (await readPages(edition, () => searchEdition(edition, question, about))).value,
          semantic: 'absent' as const,
        }
      : await retrieve(edition, question, { ...about, signal, waitUntil, timeLeftMs: timeLeftMs() });
  return (await readPages(edition, () => explainAnswer(edition, question, { answer, outcome, semantic }))).value;
};

const findAnswer = async (
  edition: Edition,
  question: string,
  options: QuestionOptions,
): Promise<{ answer: NavigatorAnswer; metadata: AnswerMetadata }> => {
  const {
    ai,
    reranker,
    retrieve,
    knowledge,
    facts = [],
    timeLeftMs,
    signal,
    waitUntil,
    wordVectors,
    progress,
  } = options;
  progress?.({ type: 'searching', edition: edition.id });
  const { history = [] } = options;
  // Without a model, the device that somebody owns is all that a fact tells.
  const devices = options.devices?.length ? options.devices : devicesOwned(facts, edition.devices());
  // What is not about a question of before may still be in its language.
  const asked = { history, devices, language: languageOf(question, options) };
  const vectors = wordVectors?.();
  const atMost = history.length === 0 ? undefined : await surenessInFull(edition, question, options);
  if (ai === undefined && retrieve === undefined)
    return quoted(edition, cacheEntryOf(edition, question, asked), () =>
      answerFromEdition(edition, question, { ...asked, vectors, knowledge, atMost }),
    );
  const entry = ai === undefined ? cacheEntryOf(edition, question, asked, 'retrieved') : undefined;
  if (entry?.cached !== undefined) return { answer: entry.cached, metadata: { cached: true } };
  const limit = ai === undefined ? HITS : MODEL_HITS;
  const find = async (query: string, about: Pick<AnswerOptions, 'history' | 'devices' | 'language'>) =>
    retrieve
      ? retrieve(edition, query, { ...about, limit, signal, waitUntil, timeLeftMs: timeLeftMs() })
      : {
          outcome: (await readPages(edition, () => searchEdition(edition, query, { ...about, limit }))).value,
          semantic: 'absent' as const,
        };
  const { outcome, semantic, ...lack } = await find(question, asked);
  const whole = questionWithTurn(question, history);
  const outcomeWithTurn =
    whole === question ? undefined : (await find(whole, { devices, language: asked.language })).outcome;
  const lacksEmbeddings = semantic === 'late' || semantic === 'failed';
  if (ai === undefined) {
    const lacks: AnswerMetadata['degraded'] = [
      ...(lacksEmbeddings ? (['embeddings'] as const) : []),
      ...('lacksTexts' in lack && lack.lacksTexts === true ? (['texts'] as const) : []),
    ];
    return quoted(
      edition,
      entry,
      () => answerFromEdition(edition, question, { ...asked, outcome, outcomeWithTurn, vectors, knowledge, atMost }),
      lacks,
    );
  }
  const { account, ...answer } = await answerWithModel(edition, question, {
    ...{
      ...asked,
      knowledge,
      atMost,
      outcome,
      outcomeWithTurn,
      vectors,
      ai,
      reranker,
      signal,
      progress,
      facts,
      timeLeftMs: timeLeftMs(),
    },
    // Embedding services cache their inputs, and a model's rewording of a question would outlive the erased conversation.
    search: async (query) =>
      vectorsOf(edition)?.space.model === WORD_VECTORS_MODEL
        ? (await find(query, { devices, language: asked.language })).outcome
        : (await readPages(edition, () => searchEdition(edition, query, { devices, language: asked.language, limit })))
            .value,
  });
  const lacksTexts = 'lacksTexts' in lack && lack.lacksTexts === true;
  return { answer, metadata: metadataOf(account, { lacksEmbeddings, lacksTexts }) };
};

/**
 * Share of the probability that is left to a follow-up: what it stands for is a guess. Of 65 follow-ups whose question in full is written
 * beside them (test/conversation/follow-ups.json) none is surer with it.
 */
const FOLLOW_UP_SHARE = 0.7;

/**
 * How sure a follow-up may be: less than the question completed by rules, than both questions asked as one, and than the previous one, if that
 * was answered at all.
 */
const surenessInFull = async (edition: Edition, question: string, options: QuestionOptions): Promise<number> => {
  const { history = [], devices, facts, retrieve, wordVectors, knowledge, timeLeftMs, signal, waitUntil } = options;
  const turn = lastOf(history);
  if (turn === undefined) return 1;
  const alone = { devices, facts, retrieve, wordVectors, knowledge, timeLeftMs, signal, waitUntil };
  const ask = async (text: string) => (await findAnswer(edition, text.slice(0, MAX_QUESTION), alone)).answer;
  const completed = completedQuestion(question, turn);
  const [before, ...inFull] = await Promise.all([
    ask(turn.question),
    ask(`${turn.question}\n${question}`),
    ...(completed === question ? [] : [ask(completed)]),
  ]);
  const counted = before.verdict === 'answer' ? [before, ...inFull] : inFull;
  return FOLLOW_UP_SHARE * Math.min(...counted.map(({ probability }) => probability));
};

/** In UTF-16 units, as of a query. */
const MAX_QUESTION = 4000;

/** An answer of quotes; cached unless something was missing. */
const quoted = async (
  edition: Edition,
  entry: CacheEntry | undefined,
  answer: () => NavigatorAnswer,
  lacks: readonly NonNullable<AnswerMetadata['degraded']>[number][] = [],
): Promise<{ answer: NavigatorAnswer; metadata: AnswerMetadata }> => {
  if (entry?.cached !== undefined) return { answer: entry.cached, metadata: { cached: true } };
  const { value, isComplete } = await readPages(edition, answer);
  const degraded = isComplete || lacks.includes('texts') ? [...lacks] : [...lacks, 'texts' as const];
  if (degraded.length > 0) return { answer: value, metadata: { degraded } };
  return { answer: entry?.store(value) ?? value, metadata: {} };
};

const MAX_REMOVED = 6;

const metadataOf = (
  { answeredBy, model, refused, usage, modelMs, queries, removed }: ModelAccount,
  { lacksEmbeddings, lacksTexts }: { lacksEmbeddings: boolean; lacksTexts: boolean },
): AnswerMetadata => {
  const degraded: AnswerMetadata['degraded'] = [
    ...(lacksEmbeddings ? (['embeddings'] as const) : []),
    ...(lacksTexts ? (['texts'] as const) : []),
    ...(refused === 'unavailable' || refused === 'timeout' ? (['model'] as const) : []),
  ];
  return {
    answered_by: answeredBy,
    model: model.slice(0, 200),
    ...(refused === undefined ? {} : { model_refused: refused }),
    ...(degraded.length > 0 ? { degraded } : {}),
    ...(usage === undefined
      ? {}
      : {
          usage: {
            calls: usage.calls,
            input_tokens: usage.inputTokens,
            output_tokens: usage.outputTokens,
            ...(usage.costUsd === undefined ? {} : { cost_usd: usage.costUsd }),
          },
        }),
    ...(modelMs === undefined ? {} : { model_ms: modelMs }),
    ...(queries.length > 0 ? { queries } : {}),
    ...(removed.length > 0
      ? {
          removed: removed.slice(0, MAX_REMOVED).map(({ text, reason }) => ({
            text: escapeText(oneLine(text, 120), 160),
            reason: escapeText(oneLine(reason, 160), 200),
          })),
        }
      : {}),
  };
};

/** Cached answers per edition; some 2 kB each. */
const MAX_ANSWERS = 256;
/** In UTF-16 units. Longer questions are rarely repeated. */
const MAX_KEY_LENGTH = 1000;

/** The cache entry of one question. */
interface CacheEntry {
  cached: NavigatorAnswer | undefined;
  /** Freezes and caches an answer: an edition never changes, so the same question with the same options has the same answer. */
  store(answer: NavigatorAnswer): NavigatorAnswer;
}

/** @param by The source of the search results; another one may find other passages. */
const cacheEntryOf = (
  edition: Edition,
  question: string,
  { filter = {}, history = [], devices = [], language }: AnswerOptions,
  by = '',
): CacheEntry => {
  const key = JSON.stringify([question, filter, history, devices, language, by]);
  const answers = answersOf(edition);
  const cached = answers.get(key);
  if (cached !== undefined) {
    answers.delete(key);
    answers.set(key, cached);
  }
  return {
    cached,
    store: (answer) => {
      freeze(answer);
      if (key.length > MAX_KEY_LENGTH) return answer;
      if (answers.size >= MAX_ANSWERS) {
        const [oldest] = answers.keys();
        if (oldest !== undefined) answers.delete(oldest);
      }
      answers.set(key, answer);
      return answer;
    },
  };
};

const answersOf = oncePer((_: Edition) => new Map<string, NavigatorAnswer>());

/** Freezes plain data in place. */
const freeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
};

/** Why an answer quotes what it quotes: the best passages of a search for the question, what ranked each, and what became of it. */
const explainAnswer = (
  edition: Edition,
  question: string,
  { answer, outcome, semantic }: { answer: NavigatorAnswer; outcome: SearchOutcome; semantic: SemanticUse },
): Explanation => {
  const relevances = relevanceOfHits(outcome, answeringModelOf(edition));
  const chosen = new Set(chooseHits(edition, question, outcome.hits).hits.map(({ chunk }) => chunk));
  return {
    ...{ edition: edition.id, semantic, probability: rounded(answer.probability), found: outcome.hits.length },
    thresholds: { declined_below: DECLINED_BELOW, sure_from: PARTIAL_BELOW },
    passages: outcome.hits.slice(0, MAX_EXPLAINED).map((hit, at): ExplainedPassage => {
      const { id: file, title } = cachedArticle(edition, hit.article);
      return {
        ...{
          title: title.slice(0, 500),
          file,
          section: (edition.headingPath(hit.chunk).at(-1) ?? title).slice(0, 500),
        },
        ...{ lexical: rounded(hit.lexical), score: rounded(hit.score), coverage: rounded(hit.coverage) },
        ...(hit.similarity === undefined ? {} : { similarity: rounded(hit.similarity) }),
        ...(hit.fused === undefined ? {} : { fused: rounded(hit.fused) }),
        relevance: rounded(Math.min(1, Math.max(0, relevances[at] ?? 0))),
        outcome: outcomeOf(edition, hit, { file, answer, isChosen: chosen.has(hit.chunk) }),
      };
    }),
  };
};

const outcomeOf = (
  edition: Edition,
  { chunk }: SearchHit,
  { file, answer, isChosen }: { file: string; answer: NavigatorAnswer; isChosen: boolean },
): ExplainedPassage['outcome'] => {
  const { start, end } = edition.chunk(chunk);
  const sources = answer.response.sources.filter((source) => source.file === file);
  const excerpts = sources.flatMap((source) => source.excerpts ?? []);
  if (excerpts.some((excerpt) => excerpt.start < end && excerpt.end > start)) return 'cited';
  if (sources.length > 0) return 'same_article';
  if (!isChosen) return 'other_device';
  return answer.closest.some((article) => article.file === file) ? 'closest' : 'not_chosen';
};

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

/** The other librarians that a question may be for. */
export interface OtherLibrarians {
  /** The navigator's own description, with which theirs are compared. */
  self: LibrarianInfo;
  /** By their latest descriptions; the same array until one changes. */
  all: readonly LibrarianInfo[];
  /** Librarians that the question passed through. */
  chain: readonly string[];
}

const MAX_TOPICS = 20;

/**
 * Names the librarian whose description and examples clearly match the question as the first related topic, and in the answer to a question
 * that is out of domain. Whether the caller may ask it is
 * decided when it is asked: a navigator is handed no more rights than it needs, so it does not know the caller's others.
 */
export const withWhomToAsk = (
  answer: NavigatorAnswer,
  question: string,
  others: OtherLibrarians,
  phrases: AnswerPhrases = answerPhrases('en'),
): NavigatorAnswer => {
  const { self, all, chain } = others;
  const asked = all.filter(({ id }) => id !== self.id && !chain.includes(id));
  if (asked.length === 0) return answer;
  const { to } = chooseLibrarian(question, indexesOf(all)(self)([self, ...asked]).index, self.id);
  const claiming = asked.find(({ id }) => id === to);
  if (claiming === undefined) return answer;
  // A partner chooses its name, which must not become a link.
  const name = oneLine(claiming.name, 100).replace(/[[\]]/g, '');
  const topic = escapeText(filled(phrases.ask, { name }), 200);
  const { response } = answer;
  const relatedTopics = [topic, ...(response.relatedTopics ?? [])].slice(0, MAX_TOPICS);
  const text = response.outOfDomain
    ? `${response.answer}\n\n${escapeText(filled(phrases.askOther, { name }), 200)}`
    : response.answer;
  return { ...answer, response: { ...response, answer: text, relatedTopics } };
};

/** Rebuilt when a description changes. */
const indexesOf = oncePer((_: readonly LibrarianInfo[]) => oncePer(({ id }: LibrarianInfo) => candidatesCache(id)));
