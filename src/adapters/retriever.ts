import { createRetriever, type Retriever } from '../knowledge/search/retrieve.ts';
import { describeCause, type Log, logLine } from '../runtime/log.ts';
import { queryEmbeddingsOf } from './query-embeddings.ts';
import type { AdapterSettings } from './settings.ts';
import { vectorIndexesOf } from './vector-indexes.ts';

/**
 * Search by words and meanings, as far as an embedding model is configured. One for an isolate.
 *
 * @returns Undefined without one: words alone then, at no further cost.
 */
export const retrieverOf = (
  settings: AdapterSettings,
  { librarian, kv, log = logLine }: Parameters<typeof queryEmbeddingsOf>[1],
): Retriever | undefined => {
  const embeddingsFor = queryEmbeddingsOf(settings, { librarian, kv, log });
  if (embeddingsFor === undefined) return undefined;
  const indexOf = vectorIndexesOf(settings, 'kb');
  const onFault = (where: string, error: unknown) => logFault(log, { librarian, where, error });
  return (edition, question, options = {}) => {
    const { waitUntil = goOn } = options;
    return createRetriever({ embeddings: embeddingsFor({ waitUntil }), indexOf, onFault })(edition, question, options);
  };
};

/** Outside of a request nothing has to be kept alive. */
const goOn = (work: Promise<unknown>): void => void work.catch(() => undefined);

const logFault = (log: Log, { librarian, where, error }: { librarian: string; where: string; error: unknown }): void =>
  log({ event: 'fault', time: Date.now(), librarian, where, code: 'DATA_SOURCE_ERROR', cause: describeCause(error) });
