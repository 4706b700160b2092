import type { Context as HonoContext } from 'hono';
import * as z from 'zod';
import {
  type Progress,
  ProgressEvent,
  type Statement,
  Statements,
} from '../../contract/core/ask.ts';
import { readAs } from '../../contract/core/error-info.ts';
import { LibrarianId } from '../../contract/core/names.ts';
import { Source } from '../../contract/core/response.ts';
import { acceptsEvents, eventStream, type SendEvent, type StreamedEvent } from './event-stream.ts';
import { knownJson } from './json-http.ts';

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
export async function withProgress(
  c: HonoContext,
  run: (reporting: Reporting) => Promise<Response>,
  { onFault, beginsWithReport = false }: ProgressOptions,
): Promise<Response> {
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
      onFault(
        error instanceof Error ? error : new Error('something else than an error was thrown'),
      ),
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
}

/** An event of another librarian; undefined when it is none of the contract. */
export function readProgress({ name, data }: StreamedEvent): ProgressEvent | undefined {
  try {
    const read = readAs(ProgressEvent, { ...JSON.parse(data), type: name });
    return read.ok ? read.value : undefined;
  } catch {
    return undefined;
  }
}

/** Passes on where and what is searched, but no statements: those of several librarians are joined first. */
export function withoutStatements(progress: Progress | undefined): Progress | undefined {
  return (
    progress &&
    ((event) => void (event.type === 'statement' || event.type === 'removed' || progress(event)))
  );
}

/** Passes on each statement once and in order: one that is asked again, or its fallback, starts again. */
export function inOrder(progress: Progress | undefined): Progress | undefined {
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
}

/** Names the librarian of its own events; those of others name theirs. */
export function reportedBy(
  librarian: string,
  progress: Progress | undefined,
): Progress | undefined {
  return (
    progress && ((event) => progress(event.type === 'routing' ? event : { librarian, ...event }))
  );
}

/** What is read of an answer, whichever librarian gave it: a faulty member counts as absent. */
const Answered = z.object({
  answer: z.string().max(32_000).optional().catch(undefined),
  sources: z.array(Source).optional().catch(undefined),
  confidence: z.number().min(0).max(1).optional().catch(undefined),
  partial: z.boolean().optional().catch(undefined),
  statements: Statements.optional().catch(undefined),
  metadata: z
    .object({
      statements: Statements.optional().catch(undefined),
      closest: z.array(z.unknown()).max(50).optional(),
      reported_by: LibrarianId.optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/**
 * Reports the statements of a whole answer that were not reported while it was made, and withdraws those that it does not contain.
 *
 * @param sent Texts of the statements that were reported, in their order.
 */
export function reportStatements(
  progress: Progress,
  answered: unknown,
  sent: readonly string[] = [],
): void {
  const read = readAs(Answered, answered);
  if (!read.ok || read.value.answer === undefined) return;
  const { answer, confidence, partial, metadata } = read.value;
  const statements = read.value.statements ??
    metadata?.statements ?? [wholeAnswer(read.value, answer)];
  const differs = statements.findIndex(({ text }, at) => text !== sent[at]);
  const same = Math.min(sent.length, differs === -1 ? statements.length : differs);
  for (const [at, text] of sent.entries()) {
    if (at >= same)
      progress({ type: 'removed', index: at, text: text.slice(0, 1000), reason: WITHDRAWN });
  }
  for (const [at, statement] of statements.slice(same).entries()) {
    progress({ type: 'statement', index: sent.length + at, ...statement });
  }
  progress({ type: 'metadata', metadata: { confidence, partial, closest: metadata?.closest } });
}

/** The answer of a librarian that names no statements. What an external one states is not checked. */
const wholeAnswer = (
  { sources = [], confidence = 0, metadata }: z.infer<typeof Answered>,
  text: string,
): Statement => {
  const reporter = metadata?.reported_by;
  return {
    text,
    sources: sources.slice(0, 20).map(({ name, url, reported_by }) => ({ name, url, reported_by })),
    support: reporter === undefined ? confidence : 0,
    check: 'reported',
    ...(reporter === undefined ? {} : { reported_by: reporter }),
  };
};

const WITHDRAWN = 'the whole answer does not contain it';

/** Reports what a run reports, and then the rest of the statements of what it returns. */
export async function withStatements<T>(
  progress: Progress,
  run: (recorded: Progress) => Promise<T>,
): Promise<T> {
  const sent: string[] = [];
  const response = await run((event) => {
    if (event.type === 'statement') sent.push(event.text);
    progress(event);
  });
  reportStatements(progress, response, sent);
  return response;
}
