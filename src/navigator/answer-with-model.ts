import type { Reranker } from '../ai/reranker.ts';
import type { Progress } from '../contract/ask.ts';
import type { AIClient } from '../contract/librarian.ts';
import { Link } from '../contract/names.ts';
import type { NavigatorResponse } from '../contract/navigator-response.ts';
import { aboutAsker, MAX_TURNS } from '../grounding/answer-prompt.ts';
import { type CheckedStatement, type RemovedStatement, writeCheckedAnswer } from '../grounding/checked-answer.ts';
import { type FoundAnswer, findAnswer } from '../grounding/find-answer.ts';
import { type CallUsage, type ModelCalls, startModelCalls } from '../grounding/model-calls.ts';
import type { TextVectors } from '../grounding/parse-question.ts';
import { excerptsOf } from '../grounding/render-passage.ts';
import { isWeakSearch, mergeHits, proposeQueries } from '../grounding/search-queries.ts';
import { isNamedByInjection, rerankPassages, type ShownPassage, showPassages } from '../grounding/shown-passages.ts';
import { type AnswerPhrases, answerPhrases } from '../runtime/answer-phrases.ts';
import { escapeText } from '../runtime/escape-html.ts';
import type { Turn } from '../search/analyse-query.ts';
import { readPages } from '../search/chunk-texts.ts';
import type { Edition } from '../search/open-edition.ts';
import { type SearchHit, type SearchOutcome, searchEdition } from '../search/search-edition.ts';
import {
  type AnswerOptions,
  answerFromEdition,
  HITS,
  languageOf,
  promptInjectionScreen,
} from './answer-from-edition.ts';
import { composeValidAnswer, statementOf } from './compose-model-answer.ts';
import { spokenLanguage } from './decline.ts';
import { chooseHits, type NavigatorAnswer } from './navigator-answer.ts';

export interface ModelAnswerOptions extends Omit<AnswerOptions, 'screen' | 'reading'> {
  ai: AIClient;
  /** Result of a search for this exact question; best with `MODEL_HITS` hits. */
  outcome: SearchOutcome;
  /** The same for the question together with the previous turn (`questionWithTurn`). */
  outcomeWithTurn?: SearchOutcome | undefined;
  /** Word vectors; words are compared by form alone when absent. */
  vectors?: TextVectors | undefined;
  /** Searches the same edition for another query; by words alone when absent. */
  search?: ((query: string) => Promise<SearchOutcome>) | undefined;
  /** Orders the passages; search order when absent. */
  reranker?: Reranker | undefined;
  /** Gets the passages that the model reads, and each statement as soon as it is checked. */
  progress?: Progress | undefined;
  /** What is known about the asker, best first. Data of others. */
  facts?: readonly string[] | undefined;
  /** Milliseconds left for the whole answer. */
  timeLeftMs: number;
  /** Aborts when the caller is gone. */
  signal?: AbortSignal | undefined;
  now?: (() => number) | undefined;
}

/** Which component answered, with its usage. */
export interface ModelAccount {
  answeredBy: 'model' | 'quotes';
  model: string;
  refused?: ModelRefusal | undefined;
  usage?: CallUsage | undefined;
  /** Milliseconds from the first call to the last. */
  modelMs?: number | undefined;
  /** Statements of the model that were removed. */
  removed: readonly RemovedStatement[];
  /** Queries that the model proposed. */
  queries: readonly string[];
}

/** An answer with its account. */
export interface ModelAnswer extends NavigatorAnswer {
  account: ModelAccount;
}

/** Hits from which the passages for a model are chosen. */
export const MODEL_HITS = 50;
/** Share of the time left for all calls of the model; the quotes are ready before. */
const TIME_SHARE = 0.8;
/** Maximum time of the model: an early quote is better than a late answer. */
const MAX_TIME_MS = 12_000;

/**
 * Answers a question with a model, and checks each of its statements (docs/navigator.md). On any failure the quoted answer is returned with
 * the reason. The model is called whenever a passage was found, even if the words alone look out of domain. Never throws.
 */
export const answerWithModel = async (
  edition: Edition,
  question: string,
  options: ModelAnswerOptions,
): Promise<ModelAnswer> => {
  const { ai, signal, timeLeftMs, progress, facts = [], now = Date.now, ...known } = options;
  const read = async <T>(work: () => T): Promise<T> => (await readPages(edition, work, { signal })).value;
  const outcome = await read(() => promptInjectionScreen.outcome(edition, options.outcome));
  const quoted = {
    ...known,
    outcome: { ...outcome, hits: outcome.hits.slice(0, HITS) },
    screen: promptInjectionScreen,
  };
  const fallback = (reading?: 'declines') => read(() => answerFromEdition(edition, question, { ...quoted, reading }));
  const screened = promptInjectionScreen.repeatable(question);
  const account = { model: ai.model, removed: [], queries: [] };
  if (screened === '')
    return { ...(await fallback()), account: { ...account, answeredBy: 'quotes', refused: 'not_asked' } };
  const started = now();
  const calls = startModelCalls({
    ...{ ai, signal },
    timeMs: Math.min(MAX_TIME_MS, Math.floor(timeLeftMs * TIME_SHARE)),
  });
  try {
    const history = (options.history ?? [])
      .slice(-MAX_TURNS)
      .map((turn) => ({ ...turn, text: promptInjectionScreen.repeatable(turn.text) }))
      .filter(({ text }) => text !== '');
    const found = await findPassages(edition, { ...options, question: screened, history, outcome, calls });
    if (found.passages.length === 0)
      return {
        ...(await fallback()),
        account: { ...account, ...found.account, answeredBy: 'quotes', refused: 'not_asked' },
      };
    const request = { question: screened, history, passages: found.passages, task: aboutAsker(facts) };
    progress?.({ type: 'passages', passages: found.passages.map(placeOf) });
    const sent: CheckedStatement<ShownPassage>[] = [];
    const onStatement = (statement: CheckedStatement<ShownPassage>): void =>
      progress?.({ type: 'statement', index: sent.push(statement) - 1, ...statementOf(statement) });
    const written = await writeCheckedAnswer(request, {
      ...{ calls, isScreened: true },
      onStatement: progress && onStatement,
      onRemoved: ({ text, reason }) => progress?.({ type: 'removed', text: text.slice(0, 1000), reason }),
    });
    const metadata = { ...account, ...found.account, removed: written.removed };
    const end = (rest: Pick<ModelAccount, 'answeredBy' | 'refused'>): ModelAccount => ({
      ...{ ...metadata, ...rest, usage: calls.usage() },
      modelMs: Math.max(0, now() - started),
    });
    const { knowledge, atMost } = options;
    const phrases = answerPhrases(spokenLanguage(edition, question, languageOf(question, options)));
    const { passages } = found;
    const composed =
      'failure' in written
        ? { answer: undefined, violations: [], dropped: [] }
        : await read(() =>
            composeValidAnswer({ edition, question: screened, outcome, passages, written, knowledge, phrases, atMost }),
          );
    withdraw(composed.dropped, { sent, progress });
    if (composed.answer !== undefined) return { ...composed.answer, account: end({ answeredBy: 'model' }) };
    const refused = 'failure' in written ? written.failure : 'unsupported';
    const standIn = await fallback(refused === 'no_answer' ? 'declines' : undefined);
    const violations = [...composed.violations, ...(standIn.violations ?? [])];
    return {
      ...limited(standIn, refused, phrases),
      ...(violations.length === 0 ? {} : { violations }),
      account: end({ answeredBy: 'quotes', refused }),
    };
  } finally {
    calls.end();
  }
};

/** Takes back statements that were sent and break a rule of the contract. */
const withdraw = (
  dropped: readonly CheckedStatement<ShownPassage>[],
  { sent, progress }: { sent: readonly CheckedStatement<ShownPassage>[]; progress: Progress | undefined },
): void => {
  for (const statement of dropped) {
    const index = sent.indexOf(statement);
    const reason = 'it breaks a rule of the navigator contract';
    if (index >= 0) progress?.({ type: 'removed', index, text: statement.text.slice(0, 1000), reason });
  }
};

const placeOf = ({ source, headings }: ShownPassage) => ({
  name: (source.title || source.id).slice(0, 500),
  ...(Link.safeParse(source.url).success ? { url: source.url } : {}),
  ...(headings.length === 0 ? {} : { section: headings.join(' > ').slice(0, 500) }),
});

interface Finding
  extends Pick<ModelAnswerOptions, 'search' | 'reranker' | 'signal' | 'devices' | 'vectors' | 'outcomeWithTurn'> {
  question: string;
  history: readonly Turn[];
  outcome: SearchOutcome;
  calls: ModelCalls;
}

/** Units ranked for the order of passages, and their length in UTF-16 units. */
const RANKED = { limit: 24, room: 30_000 };

/** The passages to show: from the first search, and from the model's queries when that is weak. */
const findPassages = async (
  edition: Edition,
  { question, history, outcome, outcomeWithTurn, calls, search, reranker, signal, devices, vectors }: Finding,
): Promise<{ passages: ShownPassage[]; account: Pick<ModelAccount, 'queries'> }> => {
  const read = async <T>(work: () => T): Promise<T> => (await readPages(edition, work, { signal })).value;
  const { found, first, titles } = await read(() => {
    const withTurn = outcomeWithTurn && promptInjectionScreen.outcome(edition, outcomeWithTurn);
    const searches = withTurn === undefined ? [outcome] : [outcome, withTurn];
    const answer = findAnswer(edition, question, { ...{ history, devices, vectors, searches }, ...RANKED });
    const hits = [...hitsOf(edition, answer, searches), ...outcome.hits];
    return {
      found: answer,
      first: hits,
      titles: chooseHits(edition, question, hits).hits.map(({ source }) => source.title),
    };
  });
  const queries = isWeakSearch(found) ? await proposeQueries({ question, history, found: titles }, calls) : [];
  const byWords = (query: string) => read(() => searchEdition(edition, query, { limit: MODEL_HITS }));
  const outcomes = await Promise.all(queries.map((query) => (search ?? byWords)(query).catch(() => undefined)));
  const { chosen, shown } = await read(() => {
    const further = outcomes.flatMap((each) =>
      each === undefined ? [] : [promptInjectionScreen.outcome(edition, each).hits],
    );
    const hits = further.length > 0 ? mergeHits([eachOnce(first), ...further]) : eachOnce(first);
    const best = chooseHits(edition, question, hits).hits;
    return { chosen: best, shown: showPassages(edition, best) };
  });
  const passages = reranker ? await rerankPassages(edition, chosen, { question, reranker, signal }) : shown;
  return { passages, account: { queries } };
};

/** The chunks that contain the start of the ranked units, best first. */
const hitsOf = (edition: Edition, { passages }: FoundAnswer, searches: readonly SearchOutcome[]): SearchHit[] =>
  passages
    .toSorted((one, other) => other.share - one.share)
    .flatMap(({ unit }) => excerptsOf(edition, unit).slice(0, 1))
    .filter(({ chunk }) => !isNamedByInjection(chunk))
    .map(({ chunk: { index: chunk, article } }) => {
      const known = searches.flatMap(({ hits }) => hits.find((hit) => hit.chunk === chunk) ?? [])[0];
      return known ?? { ...NO_EVIDENCE, chunk, article };
    });

/** For a chunk that no search found; only its rank counts. */
const NO_EVIDENCE = {
  ...{ matched: [], matchedIdf: 0, exactIdf: 0, pairIdf: 0, titleIdf: 0, tightness: 0 },
  ...{ lexical: 0, score: 0, coverage: 0 },
} satisfies Partial<SearchHit>;

const eachOnce = (hits: readonly SearchHit[]): SearchHit[] =>
  [...new Map(hits.toReversed().map((hit) => [hit.chunk, hit])).values()].reverse();

/** Quotes in place of a model's answer, with the reason. */
const limited = (quotes: NavigatorAnswer, refused: ModelRefusal, phrases: AnswerPhrases): NavigatorAnswer => ({
  ...quotes,
  response: { ...quotes.response, confidenceReason: withRefusal(quotes.response, refused, phrases) },
});

/** Why the model's answer is not used is said in English alone; other languages say that it is not. */
const withRefusal = (
  { confidenceReason, sources }: NavigatorResponse,
  refused: ModelRefusal,
  { noModel }: AnswerPhrases,
): string => {
  const what = sources.length > 0 ? 'These are quotes' : 'This was decided without a model';
  const isEnglish = noModel === answerPhrases('en').noModel;
  const sentence = isEnglish ? ` ${what}, because ${REFUSALS[refused]}.` : ` ${noModel}.`;
  return `${escapeText(confidenceReason, 1000 - sentence.length)}${sentence}`;
};

/** Why a model's answer is replaced by quotes (`metadata.model_refused`), as worded in the confidence reason. */
export const REFUSALS = {
  unavailable: 'the model could not be reached or failed',
  timeout: 'the model did not answer in the time that was left for it',
  over_budget: 'the budget of the request does not pay for the model',
  refused: 'the model declined to answer',
  filtered: "the model's answer was withheld by its provider",
  cut: "the model's answer was cut off before its end",
  empty: 'the model gave an empty answer',
  malformed: "the model's answer did not have the form that was asked for",
  unsupported: "the model's answer made statements that its sources do not support, and was discarded",
  no_answer: 'the model found no answer in the passages',
  /** No passage was found, or the question is out of domain: the model was not called. */
  not_asked: '',
} as const;
export type ModelRefusal = keyof typeof REFUSALS;
