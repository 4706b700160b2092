import type { Context as HonoContext } from 'hono';
import { type Progress, ProgressEvent } from '../contract/ask-events.ts';
import { readAs } from '../contract/issue.ts';
import { acceptsEvents, eventStream, type StreamedEvent } from '../http/event-stream.ts';

export interface Reporting {
  /** Aborts when the caller is gone. */
  signal: AbortSignal;
  /** Absent when the caller wants the response alone. */
  progress?: Progress | undefined;
}

/**
 * Runs a handler. For a caller that accepts events its progress is sent as it happens, and the body of its response as the last event:
 * `done`, or `error` when its status is one of a failure.
 *
 * @param options.onFault The response for an exception of the handler.
 */
export const withProgress = async (
  c: HonoContext,
  run: (reporting: Reporting) => Promise<Response>,
  { onFault }: { onFault: (error: Error) => Response | Promise<Response> },
): Promise<Response> => {
  const { signal } = c.req.raw;
  if (!acceptsEvents(c.req.raw.headers)) return run({ signal });
  return eventStream(async (send, gone) => {
    const reporting = {
      signal: AbortSignal.any([signal, gone]),
      progress: (event: ProgressEvent) => void send(event.type, JSON.stringify(event)),
    };
    const response = await run(reporting).catch((error: unknown) =>
      onFault(error instanceof Error ? error : new Error('something else than an error was thrown')),
    );
    send(response.ok ? 'done' : 'error', await response.text());
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
