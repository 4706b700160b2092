import * as z from 'zod';
import type { WordVectors } from '../ai/embeddings/word-vectors.ts';
import type { Reranker } from '../ai/reranker.ts';
import { ASKER_FACTS, AskerFacts } from '../contract/ask.ts';
import { readAs } from '../contract/error-info.ts';
import type { Context, Librarian } from '../contract/librarian.ts';
import { Link, Query } from '../contract/names.ts';
import { isUnsure, type LibrarianResponse, type Source } from '../contract/response.ts';
import { withDeadline } from '../http/deadline.ts';
import type { WaitUntil } from '../runtime/concurrency.ts';
import { errorInfo, errorInfoOf } from '../runtime/error-info-of.ts';
import { type Log, logLine } from '../runtime/log.ts';
import { oncePer } from '../runtime/once-per.ts';
import type { Edition } from '../search/open-edition.ts';
import type { Retriever } from '../search/retrieve.ts';
import { type AnswerMetadata, answerQuestion, type QuestionOptions } from './answer-question.ts';
import type { AnswerViolation, NavigatorAnswer } from './navigator-answer.ts';
import type { OtherLibrarians } from './whom-to-ask.ts';

export interface NavigatorParts {
  /**
   * The current edition of the user's knowledge base, or the one that `metadata.edition` names, if the user may read older ones; throws
   * when there is none.
   */
  readEdition: (named?: string) => Promise<Edition>;
  /** Finds passages; the edition's own search when absent. */
  retrieve?: Retriever | undefined;
  /** Orders the passages for the model. */
  reranker?: Reranker | undefined;
  /** Word vectors; words are compared by form alone when absent. */
  wordVectors?: (() => WordVectors) | undefined;
  waitUntil?: WaitUntil | undefined;
  /** Librarians that may be named as the ones to ask; none when absent. */
  others?: (() => Promise<OtherLibrarians>) | undefined;
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

/**
 * The navigator as a librarian: grounded answers from one knowledge base, with the full response of the navigator contract under
 * `metadata.navigator`.
 *
 * It reads `history` (previous turns), `devices` (that the user has) and `asker_facts` (what is known about the user) from `context.metadata`. If the context has a model, the model
 * answers, with quotes as the fallback (docs/navigator.md).
 */
export const createNavigator =
  ({
    readEdition,
    retrieve,
    reranker,
    wordVectors,
    waitUntil,
    others,
    log = logLine,
    now = Date.now,
  }: NavigatorParts): Librarian =>
  async (query, context) => {
    const untilMs = now() + (context?.timeout ?? UNHURRIED_MS);
    try {
      const question = readAs(Query, query);
      if (!question.ok)
        return {
          error: errorInfo('INVALID_QUERY', {
            librarian: 'navigator',
            message: `Cannot answer: the query ${question.issues[0]?.message}`,
          }),
        };
      const named = readAs(EditionId, context?.metadata?.edition);
      const edition = await withDeadline(() => readEdition(named.ok ? named.value : undefined), {
        signal: context?.signal,
        reason: 'the signal aborted before the edition was read',
      });
      const timeLeftMs = () => untilMs - now();
      const asked = {
        ...optionsOf(context),
        onViolations: violationLog({ log, now, traceId: context?.trace?.traceId }),
        timeLeftMs,
        signal: context?.signal,
        waitUntil,
        progress: context?.progress,
      };
      const { answer, metadata } = await answerQuestion(edition, question.value, {
        ...asked,
        ai: context?.ai,
        reranker,
        retrieve,
        wordVectors,
        others: await others?.(),
      });
      return asLibrarianResponse(answer, metadata);
    } catch (error) {
      return {
        error: errorInfoOf(error, {
          librarian: 'navigator',
          where: 'librarian',
          log,
          now: now(),
          traceId: context?.trace?.traceId,
        }),
      };
    }
  };

/** Logs each rule that an answer broke, which counts it (docs/production.md). */
export const violationLog =
  ({ log = logLine, now = Date.now, traceId }: Pick<NavigatorParts, 'log' | 'now'> & { traceId: string | undefined }) =>
  (violations: readonly AnswerViolation[]): void => {
    for (const { rule, outcome } of violations)
      log({ event: 'violation', time: now(), librarian: 'navigator', rule, outcome, trace_id: traceId });
  };

/** For callers without a limit. */
const UNHURRIED_MS = 30_000;

/** The same answer as a librarian response. A declination counts as partial. */
export const asLibrarianResponse = (answer: NavigatorAnswer, metadata: AnswerMetadata = {}): LibrarianResponse => {
  const { verdict, probability, sources } = answer;
  const { statements, ...response } = answer.response;
  const confidence = Math.round(probability * 1000) / 1000;
  const partial = verdict !== 'answer' || isUnsure(confidence);
  return {
    answer: response.answer,
    sources: mergedOnce(sources).map((source) => ({ ...source })),
    confidence,
    ...(partial ? { partial } : {}),
    metadata: {
      navigator: response,
      ...(statements === undefined ? {} : { statements }),
      ...closestIn(answer),
      ...(verdict === 'underspecified' ? { clarifying: true } : {}),
      ...metadata,
    },
  };
};

/** The closest articles that are not cited. */
export const closestIn = ({ verdict, closest }: NavigatorAnswer): { closest?: NavigatorAnswer['closest'] } =>
  verdict === 'answer' && closest.length === 0 ? {} : { closest: closest.map((article) => ({ ...article })) };

/** Each article once, best first, with its address if that is a valid link. */
const mergeSources = (sources: NavigatorAnswer['sources']): Source[] => {
  const merged = new Map<string, Source>();
  for (const { title, url, relevance } of sources.toSorted((a, b) => b.relevance - a.relevance)) {
    if (merged.has(`${title}\n${url}`)) continue;
    const name = title.slice(0, 500);
    const rounded = Math.round(relevance * 1000) / 1000;
    merged.set(`${title}\n${url}`, {
      name,
      type: 'document',
      relevance: rounded,
      ...(Link.safeParse(url).success ? { url } : {}),
    });
  }
  return [...merged.values()];
};

/** Merged sources of cached answers. */
const mergedOnce = oncePer(mergeSources);

const History = z.array(z.object({ speaker: z.enum(['user', 'assistant']), text: z.string().max(8000) })).max(20);
const EditionId = z.string().max(40).optional();
const Devices = z.array(z.string().min(1).max(100)).max(20);

/** Metadata comes from the caller: invalid members are ignored. */
const optionsOf = (
  context: Context | undefined,
): Pick<QuestionOptions, 'history' | 'devices' | 'facts' | 'explain'> => ({
  explain: context?.metadata?.explain === true,
  facts: readOr(AskerFacts, context?.metadata?.[ASKER_FACTS], []),
  history: readOr(History, context?.metadata?.history, []),
  devices: readOr(Devices, context?.metadata?.devices, []),
});

const readOr = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  otherwise: z.output<Schema>,
): z.output<Schema> => {
  if (value === undefined) return otherwise;
  const read = readAs(schema, value);
  return read.ok ? read.value : otherwise;
};
