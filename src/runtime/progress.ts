import type { Context as HonoContext } from 'hono';
import { type Progress, ProgressEvent } from '../contract/ask.ts';
import { readAs } from '../contract/error-info.ts';
import { acceptsEvents, eventStream, type SendEvent, type StreamedEvent } from '../http/event-stream.ts';
import { knownJson } from './json-answer.ts';

export interface Reporting {
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
  /** Absent when the caller wants the response alone. */
  progress?: Progress | undefined;
}

interface ProgressOptions {
  /** The response for an exception of the handler. */
  onFault: (error: Error) => Response | Promise<Response>;
  /**
   * Whether the stream begins with the first report, for handlers that find out themselves what is wrong with a request: a failure before
   * it is answered as it is, with its status. At once when absent.
   */
  beginsWithReport?: boolean | undefined;
}

/** A stream begins after this time at the latest, so that the connection stays open. */
const BEGIN_WITHIN_MS = 10_000;

/**
 * Runs a handler. For a caller that accepts events its progress is sent as it happens, and the body of its response as the last event:
 * `done`, or `error` when its status is one of a failure.
 */
export const withProgress = async (
  c: HonoContext,
  run: (reporting: Reporting) => Promise<Response>,
  { onFault, beginsWithReport = false }: ProgressOptions,
): Promise<Response> => {
  const { signal } = c.req.raw;
  if (!acceptsEvents(c.req.raw.headers)) return run({ signal });
  const left = new AbortController();
  const begun = Promise.withResolvers<void>();
  const waiting: ProgressEvent[] = [];
  let send: SendEvent | undefined;
  const progress = (event: ProgressEvent): void => {
    if (send === undefined) waiting.push(event);
    else send(event.type, JSON.stringify(event));
    begun.resolve();
  };
  const start = () =>
    run({ signal: AbortSignal.any([signal, left.signal]), progress }).catch((error: unknown) =>
      onFault(error instanceof Error ? error : new Error('something else than an error was thrown')),
    );
  const running = beginsWithReport ? start() : undefined;
  if (running !== undefined) {
    const timer = setTimeout(begun.resolve, BEGIN_WITHIN_MS);
    const early = await Promise.race([begun.promise, running]);
    clearTimeout(timer);
    if (early?.ok === false && waiting.length === 0) return early;
  }
  return eventStream(async (sendEvent, gone) => {
    gone.addEventListener('abort', () => left.abort());
    for (const event of waiting) sendEvent(event.type, JSON.stringify(event));
    send = sendEvent;
    const response = await (running ?? start());
    send(response.ok ? 'done' : 'error', knownJson(response)?.text ?? (await response.text()));
  });
};

/** An event of another librarian; undefined when it is none of the contract. */
export const readProgress = ({ name, data }: StreamedEvent): ProgressEvent | undefined => {
  try {
    const read = readAs(ProgressEvent, { ...JSON.parse(data), type: name });
    return read.ok ? read.value : undefined;
  } catch {
    return undefined;
  }
};

/** Passes on where and what is searched, but no statements: those of several librarians are joined first. */
export const withoutStatements = (progress: Progress | undefined): Progress | undefined =>
  progress && ((event) => void (event.type === 'statement' || event.type === 'removed' || progress(event)));

/** Passes on each statement once and in order: one that is asked again, or its fallback, starts again. */
export const inOrder = (progress: Progress | undefined): Progress | undefined => {
  let next = 0;
  return (
    progress &&
    ((event) => {
      if (event.type === 'statement') {
        if (event.index !== next) return;
        next += 1;
      }
      progress(event);
    })
  );
};

/** Names the librarian of its own events; those of others name theirs. */
export const reportedBy = (librarian: string, progress: Progress | undefined): Progress | undefined =>
  progress && ((event) => progress(event.type === 'routing' ? event : { librarian, ...event }));
