import * as z from 'zod';
import type { Context, Librarian } from '../contract/librarian.ts';
import { Link } from '../contract/link.ts';
import { Query } from '../contract/query.ts';
import { isUnsure, type LibrarianResponse } from '../contract/response.ts';
import type { Source } from '../contract/source.ts';
import type { Edition } from '../knowledge/open-edition.ts';
import { CodedError, errorInfo, errorInfoOf } from '../runtime/error-info-of.ts';
import { type Log, logLine } from '../runtime/log.ts';
import { type AnswerOptions, answerFromEdition, type NavigatorAnswer } from './answer-from-edition.ts';

export interface NavigatorParts {
  /** The current edition of the asker's knowledge base; throws when there is none. */
  readEdition: () => Promise<Edition>;
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

/**
 * The navigator as a librarian: grounded answers from one knowledge base, in the shape of seed 000, with the full
 * response of seed 004 under `metadata.navigator` (design 7.3).
 *
 * What it reads of `context.metadata`: `history` (turns before the question) and `devices` (that the asker has).
 */
export const createNavigator =
  ({ readEdition, log = logLine, now = Date.now }: NavigatorParts): Librarian =>
  async (query, context) => {
    try {
      const question = Query.safeParse(query);
      if (!question.success)
        return {
          error: errorInfo('INVALID_QUERY', {
            librarian: 'navigator',
            message: `Cannot answer: the query ${question.error.issues[0]?.message}`,
          }),
        };
      const edition = await orAborted(readEdition, context?.signal);
      return asLibrarianResponse(answerFromEdition(edition, question.data, optionsOf(context)));
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

/**
 * The same answer in the shape of seed 000. A declination counts as partial: it is honest, but no answer.
 */
export const asLibrarianResponse = ({
  response,
  verdict,
  probability,
  sources,
}: NavigatorAnswer): LibrarianResponse => {
  const confidence = Math.round(probability * 1000) / 1000;
  const partial = verdict !== 'answer' || isUnsure(confidence);
  return {
    answer: response.answer,
    sources: mergeSources(sources),
    confidence,
    ...(partial ? { partial } : {}),
    metadata: { navigator: response },
  };
};

/** Each article once, best first, with a link only where it is one. */
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

const History = z
  .array(z.object({ speaker: z.enum(['user', 'assistant']), text: z.string().max(8000) }))
  .max(20)
  .catch([]);
const Devices = z.array(z.string().min(1).max(100)).max(20).catch([]);

/** Metadata comes from the caller: what does not fit is left out, never an error. */
const optionsOf = (context: Context | undefined): AnswerOptions => ({
  history: History.parse(context?.metadata?.history ?? []),
  devices: Devices.parse(context?.metadata?.devices ?? []),
});

const orAborted = async <T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (!signal) return work();
  const timeout = () => new CodedError('TIMEOUT', 'the signal aborted before the edition was read');
  if (signal.aborted) throw timeout();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(timeout());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};
