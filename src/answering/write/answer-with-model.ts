import type { Progress } from '../../contract/core/ask.ts';
import { PARTIAL_BELOW } from '../../contract/core/confidence-level.ts';
import type { AIClient } from '../../contract/core/librarian.ts';
import type { NavigatorResponse } from '../../contract/core/navigator-response.ts';
import { escapeText } from '../../documents/markdown/escape-html.ts';
import { readPages } from '../../knowledge/edition/chunk-texts.ts';
import type { Edition } from '../../knowledge/edition/open-edition.ts';
import type { SearchOutcome } from '../../knowledge/search/search-edition.ts';
import type { FailedAnswer } from '../check/checked-answer.ts';
import type { RemovedStatement } from '../check/decide-statements.ts';
import { aboutAsker, MAX_TURNS } from '../model/answer-prompt.ts';
import { type CallUsage, startModelCalls } from '../model/model-calls.ts';
import { beforeInjection } from '../model/prompt-injection.ts';
import type { ShownPassage } from '../passages/shown-passages.ts';
import type { ProposedSearch } from '../understand/search-queries.ts';
import {
  type AnswerOptions,
  answerFromEdition,
  languageOf,
  withoutInjections,
} from './answer-from-edition.ts';
import { type AnswerPhrases, answerPhrases } from './answer-phrases.ts';
import { type Finding, findPassages } from './choose-passages.ts';
import { composeModelAnswer, linksToPassages } from './compose-model-answer.ts';
import { spokenLanguage } from './decline.ts';
import type { NavigatorAnswer } from './navigator-answer.ts';
import { startWriting } from './write-in-rounds.ts';

export interface ModelAnswerOptions
  extends Omit<AnswerOptions, 'isScreened' | 'reading'>,
    Pick<Finding, 'search' | 'reranker' | 'signal'> {
  ai: AIClient;
  /** Result of a search for this question, as `inFull` writes it; best with `HITS` hits. */
  outcome: SearchOutcome;
  /** Gets the passages that the model reads, and each statement as soon as it is checked. */
  progress?: Progress | undefined;
  /** What is known about the asker, best first. Data of others. */
  facts?: readonly string[] | undefined;
  /** Milliseconds left for the whole answer. */
  timeLeftMs: number;
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
interface ModelAnswer extends NavigatorAnswer {
  account: ModelAccount;
}

/** Share of the time left for all calls of the model; the quotes are ready before. */
const TIME_SHARE = 0.8;
/** Maximum time of the model: an early quote is better than a late answer. */
const MAX_TIME_MS = 11_000;

/**
 * Answers a question with a model, and checks each of its statements (docs/navigator.md). On any failure the quoted answer is returned with
 * the reason. What is off topic costs one short call at most. Never throws.
 */
export async function answerWithModel(
  edition: Edition,
  question: string,
  options: ModelAnswerOptions,
): Promise<ModelAnswer> {
  const { ai, signal, timeLeftMs, progress, facts = [], now = Date.now, ...about } = options;
  const { history: turns = [] } = options;
  const read = async <T>(work: () => T): Promise<T> =>
    (await readPages(edition, work, { signal })).value;
  const outcome = await read(() => withoutInjections(edition, options.outcome));
  const quotes = (reading?: AnswerOptions['reading']) =>
    read(() =>
      answerFromEdition(edition, question, { ...about, outcome, isScreened: true, reading }),
    );
  const screened = beforeInjection(question);
  const none = { model: ai.model, removed: [], queries: [] };
  const notAsked = { ...none, answeredBy: 'quotes', refused: 'not_asked' } as const;
  if (screened === '') return { ...(await quotes()), account: notAsked };
  const started = now();
  const calls = startModelCalls({
    ai,
    signal,
    timeMs: Math.min(MAX_TIME_MS, Math.floor(timeLeftMs * TIME_SHARE)),
  });
  try {
    const history = turns
      .slice(-MAX_TURNS)
      .map((turn) => ({ ...turn, text: beforeInjection(turn.text) }))
      .filter(({ text }) => text !== '');
    const finding = { ...options, question: screened, history, outcome, calls };
    const first = await findPassages(edition, finding);
    if (first.passages.length === 0 || first.isOffTopic) {
      const account = { ...notAsked, queries: queriesOf(first.search), usage: calls.usage() };
      return { ...(await quotes(first.isOffTopic ? 'off_topic' : undefined)), account };
    }
    const writing = startWriting(edition, {
      finding,
      progress,
      task: aboutAsker(facts),
      now: new Date(now()),
    });
    const { written, passages, search } = await writing.write(first);
    const account = {
      ...none,
      queries: queriesOf(search),
      removed: written.removed,
      usage: calls.usage(),
      modelMs: Math.max(0, now() - started),
    };
    const language = spokenLanguage(edition, question, languageOf(question, options));
    const phrases = answerPhrases(language);
    if ('failure' in written) {
      const answer = await inPlaceOf(written, quotes);
      return {
        ...limited(answer, written.failure, phrases),
        account: { ...account, answeredBy: 'quotes', refused: written.failure },
      };
    }
    const { answer, violations } = await read(() =>
      composeModelAnswer({
        edition,
        question: screened,
        outcome,
        passages,
        written,
        phrases,
        isFollowUp: turns.length > 0,
        now: new Date(now()),
      }),
    );
    if (answer !== undefined) return { ...answer, account: { ...account, answeredBy: 'model' } };
    const reason = 'the answer breaks a rule of the navigator contract';
    for (const [index, { text }] of writing.statementsSoFar.entries())
      progress?.({ type: 'removed', index, text: text.slice(0, 1000), reason });
    const fallback = await quotes();
    return {
      ...limited(fallback, 'unsupported', phrases),
      violations: [...violations, ...(fallback.violations ?? [])],
      account: { ...account, answeredBy: 'quotes', refused: 'unsupported' },
    };
  } finally {
    calls.end();
  }
}

/** The quotes in place of a model that gave no answer. */
const inPlaceOf = async (
  { failure, related = [], isJudged = false }: FailedAnswer<ShownPassage>,
  quotes: (reading?: AnswerOptions['reading']) => Promise<NavigatorAnswer>,
): Promise<NavigatorAnswer> => {
  // What only shares words with the question was read, and does not answer it.
  const declined = () => quotes({ related: linksToPassages(related) });
  if (failure === 'no_answer') return declined();
  const quoted = await quotes();
  // What a judge has refused as a whole is not replaced by quotes that are not sure either.
  return isJudged && quoted.probability < PARTIAL_BELOW ? declined() : quoted;
};

const queriesOf = (search: ProposedSearch | undefined): string[] =>
  search?.parts.flatMap(({ queries }) => queries) ?? [];

/** Quotes in place of a model's answer, with the reason. */
const limited = (
  quotes: NavigatorAnswer,
  refused: ModelRefusal,
  phrases: AnswerPhrases,
): NavigatorAnswer => ({
  ...quotes,
  response: {
    ...quotes.response,
    confidenceReason: withRefusal(quotes.response, refused, phrases),
  },
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
  unsupported:
    "the model's answer made statements that its sources do not support, and was discarded",
  no_answer: 'the model found no answer in the passages',
  /** No passage was found, or the question is out of domain: the model was not called. */
  not_asked: '',
} as const;
type ModelRefusal = keyof typeof REFUSALS;
