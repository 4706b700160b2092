import type { Reranker } from '../ai/reranker.ts';
import type { AIClient } from '../contract/librarian.ts';
import type { NavigatorResponse } from '../contract/navigator-response.ts';
import { MAX_TURNS } from '../grounding/answer-prompt.ts';
import { type RemovedStatement, writeCheckedAnswer } from '../grounding/checked-answer.ts';
import { type CallUsage, type ModelCalls, startModelCalls } from '../grounding/model-calls.ts';
import { escapeText } from '../runtime/escape-html.ts';
import type { Turn } from '../search/analyse-query.ts';
import type { Edition } from '../search/open-edition.ts';
import { type SearchHit, type SearchOutcome, searchEdition } from '../search/search-edition.ts';
import { type AnswerOptions, answerFromEdition, HITS } from './answer-from-edition.ts';
import type { NavigatorAnswer } from './assemble-answer.ts';
import { chooseHits } from './choose-hits.ts';
import { composeModelAnswer, problemsOf } from './compose-model-answer.ts';
import { type ModelRefusal, REFUSALS } from './model-refused.ts';
import { promptInjectionScreen } from './screen.ts';
import { isWeakSearch, mergeHits, proposeQueries } from './search-queries.ts';
import { rerankPassages, type ShownPassage, showPassages } from './shown-passages.ts';

export interface ModelAnswerOptions extends Omit<AnswerOptions, 'screen' | 'reading'> {
  ai: AIClient;
  /** What a search for exactly this question found; best with `MODEL_HITS` hits. */
  outcome: SearchOutcome;
  /** Finds passages for another query in the same edition; by words alone when absent. */
  search?: ((query: string) => Promise<SearchOutcome>) | undefined;
  /** Orders the passages; their order in the search stays when absent. */
  reranker?: Reranker | undefined;
  /** Milliseconds left for the whole answer. */
  timeLeftMs: number;
  /** Aborts when no one waits for the answer any more. */
  signal?: AbortSignal | undefined;
  now?: (() => number) | undefined;
}

/** Who answered, and what that took. */
export interface ModelAccount {
  answeredBy: 'model' | 'quotes';
  model: string;
  refused?: ModelRefusal | undefined;
  usage?: CallUsage | undefined;
  /** Milliseconds from the first call to the last. */
  modelMs?: number | undefined;
  /** Statements of the model that did not go out. */
  removed: readonly RemovedStatement[];
  /** Queries that the model proposed. */
  queries: readonly string[];
}

/** An answer with who gave it. */
export interface ModelAnswer extends NavigatorAnswer {
  account: ModelAccount;
}

/** Hits that the passages for a model are chosen from. */
export const MODEL_HITS = 30;
/** The model gets this share of the time left for all of its calls; the quotes are ready before it is asked. */
const TIME_SHARE = 0.8;
/** And no more than this: quotes now are worth more than sentences later. */
const MAX_TIME_MS = 12_000;

/**
 * Answers a question with a model whose every statement is checked (docs/navigator.md). Whatever goes wrong, the quoted answer
 * goes out and says why. The model is asked whenever anything was found, also where the question's words alone would make it
 * out of domain. Never throws.
 */
export const answerWithModel = async (
  edition: Edition,
  question: string,
  options: ModelAnswerOptions,
): Promise<ModelAnswer> => {
  const { ai, signal, timeLeftMs, now = Date.now, ...known } = options;
  const outcome = promptInjectionScreen.outcome(edition, options.outcome);
  const quoted = {
    ...known,
    outcome: { ...outcome, hits: outcome.hits.slice(0, HITS) },
    screen: promptInjectionScreen,
  };
  const fallback = (reading?: 'declines') => answerFromEdition(edition, question, { ...quoted, reading });
  const screened = promptInjectionScreen.told(question);
  const account = { model: ai.model, removed: [], queries: [] };
  if (screened === '') return { ...fallback(), account: { ...account, answeredBy: 'quotes', refused: 'not_asked' } };
  const started = now();
  const calls = startModelCalls({
    ...{ ai, signal },
    timeMs: Math.min(MAX_TIME_MS, Math.floor(timeLeftMs * TIME_SHARE)),
  });
  try {
    const history = (options.history ?? [])
      .slice(-MAX_TURNS)
      .map((turn) => ({ ...turn, text: promptInjectionScreen.told(turn.text) }))
      .filter(({ text }) => text !== '');
    const found = await findPassages(edition, { ...options, question: screened, history, outcome, calls });
    if (found.passages.length === 0)
      return { ...fallback(), account: { ...account, ...found.account, answeredBy: 'quotes', refused: 'not_asked' } };
    const request = { question: screened, history, passages: found.passages };
    const written = await writeCheckedAnswer(request, { calls, isScreened: true });
    const told = { ...account, ...found.account, removed: written.removed };
    const end = (rest: Pick<ModelAccount, 'answeredBy' | 'refused'>): ModelAccount => ({
      ...{ ...told, ...rest, usage: calls.usage() },
      modelMs: Math.max(0, now() - started),
    });
    const answer =
      'failure' in written
        ? written.failure
        : composeModelAnswer({ edition, question: screened, outcome, passages: found.passages, written });
    const refused =
      typeof answer === 'string' ? answer : problemsOf(answer, found.passages).length > 0 ? 'unsupported' : undefined;
    if (typeof answer !== 'string' && refused === undefined)
      return { ...answer, account: end({ answeredBy: 'model' }) };
    const standIn = fallback(refused === 'no_answer' ? 'declines' : undefined);
    return { ...limited(standIn, refused ?? 'unsupported'), account: end({ answeredBy: 'quotes', refused }) };
  } finally {
    calls.end();
  }
};

interface Finding extends Pick<ModelAnswerOptions, 'search' | 'reranker' | 'signal'> {
  question: string;
  history: readonly Turn[];
  outcome: SearchOutcome;
  calls: ModelCalls;
}

/** The passages to show: of the first search, and of a model's queries where that one was weak. */
const findPassages = async (
  edition: Edition,
  { question, history, outcome, calls, search, reranker, signal }: Finding,
): Promise<{ passages: ShownPassage[]; account: Pick<ModelAccount, 'queries'> }> => {
  const first = chooseHits(edition, question, outcome.hits).hits;
  const queries = isWeakSearch(edition, outcome)
    ? await proposeQueries({ question, history, found: first.map(({ source }) => source.title) }, calls)
    : [];
  const byWords = async (query: string) => searchEdition(edition, query, { limit: MODEL_HITS });
  const further = await Promise.all(queries.map((query) => (search ?? byWords)(query).catch(() => undefined)));
  const lists = [
    outcome,
    ...further.flatMap((each) => (each === undefined ? [] : [promptInjectionScreen.outcome(edition, each)])),
  ];
  const hits: readonly SearchHit[] = lists.length > 1 ? mergeHits(lists.map((each) => each.hits)) : outcome.hits;
  const chosen = chooseHits(edition, question, hits).hits;
  const passages = reranker
    ? await rerankPassages(edition, chosen, { question, reranker, signal })
    : showPassages(edition, chosen);
  return { passages, account: { queries } };
};

/** Quotes that stand in for a model's answer, and say so. */
const limited = (quotes: NavigatorAnswer, refused: ModelRefusal): NavigatorAnswer => ({
  ...quotes,
  response: { ...quotes.response, confidenceReason: withRefusal(quotes.response, refused) },
});

const withRefusal = ({ confidenceReason, sources }: NavigatorResponse, refused: ModelRefusal): string => {
  const what = sources.length > 0 ? 'These are quotes' : 'This was decided without a model';
  const sentence = ` ${what}, because ${REFUSALS[refused]}.`;
  return `${escapeText(confidenceReason, 1000 - sentence.length)}${sentence}`;
};
