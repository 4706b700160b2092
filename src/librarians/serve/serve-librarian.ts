import type { Context as HonoContext } from 'hono';
import { Hono } from 'hono/tiny';
import { shortenAnswer } from '../../answering/write/shorten-answer.ts';
import { LibrarianAskRequest, type Progress } from '../../contract/core/ask.ts';
import { describeIssues, HTTP_STATUS } from '../../contract/core/error-info.ts';
import type {
  AIClient,
  Context,
  Delegate,
  Librarian,
  LibrarianDescription,
  LibrarianInfo,
} from '../../contract/core/librarian.ts';
import { type LibrarianResponse, withPartial } from '../../contract/core/response.ts';
import { readResponse } from '../../contract/core/validate-response.ts';
import {
  contextGuard,
  faultHandler,
  type GuardedEnv,
  type GuardOptions,
  requireCapability,
} from '../../platform/context/context-guard.ts';
import { type ErrorScene, errorInfo, errorInfoOf } from '../../platform/context/error-info-of.ts';
import { NOTHING_SPENT } from '../../platform/context/limits.ts';
import type { RequestContext } from '../../platform/context/request-context.ts';
import {
  type RequestScope,
  requestScopes,
  type ScopeOptions,
} from '../../platform/context/request-scope.ts';
import { CodedError } from '../../platform/http/coded-error.ts';
import { type Deadline, startDeadline, timeToAnswer } from '../../platform/http/deadline.ts';
import { jsonAnswer, readJson } from '../../platform/http/json-http.ts';
import { type Reporting, reportedBy, withProgress } from '../../platform/http/progress.ts';
import { logLine } from '../../platform/log.ts';

/** A librarian, or a factory that creates one per request. */
type ServedLibrarian = Librarian | { forRequest(scope: RequestScope): Librarian };

export interface ServeOptions
  extends Omit<GuardOptions, 'self' | 'access'>,
    Pick<ScopeOptions, 'targets' | 'ai' | 'aiPrice'> {
  /** `signed` when absent. */
  access?: GuardOptions['access'] | undefined;
  /** Why the librarian cannot answer at all, such as a missing data source; read for each description request. */
  unavailable?: (() => Promise<string | undefined>) | undefined;
}

/**
 * Serves a librarian over HTTP: `POST /librarians/{id}/ask` and `GET /librarians/{id}`. Adds the signed context, the capabilities that
 * `info` requires, validation of request and response, the deadline, delegation, errors as values, the receipt and the log line.
 *
 * @example
 * import type { Librarian } from '@constellation/contract';
 * import type { Identity } from '../../platform/context/identity.ts';
 *
 * const sources = [{ name: 'Shop hours' }];
 * const hours: Librarian = async () => ({ answer: 'From 9 to 18.', sources, confidence: 0.9 });
 * const info = { id: 'opening-hours', name: 'Opening hours' };
 * const app = (identity: Identity) => serveLibrarian(hours, info, identity);
 */
export function serveLibrarian(
  librarian: ServedLibrarian,
  info: LibrarianInfo,
  options: ServeOptions,
) {
  const settings: GuardOptions = { ...options, access: options.access ?? 'signed', self: info.id };
  const app = new Hono<GuardedEnv>();
  app.onError(faultHandler(settings));
  app.notFound((c) => c.json({ error: errorInfo('NOT_FOUND', { librarian: info.id }) }, 404));
  app.get(`/librarians/${info.id}`, async (c) =>
    c.json(await describe(info, { ...settings, ...options })),
  );
  app.post(
    `/librarians/${info.id}/ask`,
    contextGuard(settings),
    ...(info.capabilities ?? []).map(requireCapability),
    asking(librarian, { info, options }),
  );
  return app;
}

/** The public description of a librarian. */
const describe = async (
  info: LibrarianInfo,
  {
    access = 'signed',
    directory,
    unavailable,
  }: Pick<ServeOptions, 'access' | 'directory' | 'unavailable'>,
): Promise<LibrarianDescription> => {
  const lacks = await unavailable?.();
  return {
    ...info,
    capabilities: info.capabilities ?? [],
    access,
    keys: [...(directory.librarian(info.id)?.keys ?? [])],
    ...(lacks === undefined ? {} : { unavailable: lacks }),
  };
};

const asking = (
  librarian: ServedLibrarian,
  { info, options }: { info: LibrarianInfo; options: ServeOptions },
) => {
  const { now = Date.now, log = logLine } = options;
  const scopes = requestScopes({ ...options, self: info.id });
  const known = structuredClone(info);
  return async (c: HonoContext<GuardedEnv>): Promise<Response> => {
    const context = c.get('context');
    c.set('usage', NOTHING_SPENT);
    const scene: ErrorScene = {
      librarian: info.id,
      where: 'librarian',
      log,
      now: now(),
      traceId: context.traceId,
    };
    const request = readJson(c.get('body'), LibrarianAskRequest);
    if (!request.ok) {
      return reply(c, {
        error: errorInfo('INVALID_QUERY', {
          librarian: info.id,
          message: request.problem,
          suggestion: request.suggestion,
        }),
      });
    }
    return withProgress(c, (reporting) => answering(c, request.value, { ...reporting, scene }), {
      onFault: (error) => reply(c, { error: errorInfoOf(error, scene) }, request.value.query),
    });
  };

  /** Asks the librarian, and those that it delegates to. */
  async function answering(
    c: HonoContext<GuardedEnv>,
    { query, metadata }: LibrarianAskRequest,
    { scene, progress, ...caller }: Reporting & { scene: ErrorScene },
  ): Promise<Response> {
    const context = c.get('context');
    const timeoutMs = timeToAnswer(context.deadlineMs - now());
    const deadline = startDeadline({ timeoutMs, signal: caller.signal });
    const { signal } = deadline;
    try {
      const scope = scopes.open(c, { query, metadata, signal });
      const callContext = librarianContext(context, {
        info: known,
        timeoutMs,
        signal,
        metadata,
        delegates: await scopes.delegates(c, { timeoutMs, signal }),
        ai: scope.model?.ai,
        progress: reportedBy(info.id, progress),
      });
      const ask = typeof librarian === 'function' ? librarian : librarian.forRequest(scope);
      const response = await answerOf(() => ask(query, callContext), { deadline, scene });
      const branches =
        response.delegate === undefined
          ? []
          : await scope.delegates.ask([response.delegate].flat(), { progress });
      const combined = scope.delegates.combine(response, branches);
      scopes.settle(c, scope);
      return reply(c, combined, query);
    } finally {
      deadline.end();
    }
  }
};

/** The librarian's response, or the error for an exception, a timeout or an invalid response. */
const answerOf = async (
  ask: () => Promise<unknown>,
  { deadline, scene }: { deadline: Deadline; scene: ErrorScene },
): Promise<LibrarianResponse> => {
  try {
    const response = readResponse(await deadline.race(Promise.resolve().then(ask)));
    if (response.ok) return withPartial(response.value);
    throw new CodedError(
      'INTERNAL_ERROR',
      `the librarian returned no Response: ${describeIssues(response.issues)}`,
    );
  } catch (error) {
    return { error: errorInfoOf(error, scene) };
  }
};

/** @param query As received; undefined when it cannot be read. */
const reply = (
  c: HonoContext<GuardedEnv>,
  { answer, error, ...rest }: LibrarianResponse,
  query?: string,
): Response => {
  const response = {
    ...(answer === undefined ? {} : { answer: shortenAnswer(answer, rest.sources) }),
    ...rest,
    ...(error === undefined
      ? {}
      : { error: { ...(query === undefined ? {} : { query }), ...error } }),
  };
  // An error next to an answer names a gap; the request itself succeeded.
  if (error === undefined || answer !== undefined) return jsonAnswer(response);
  c.set('outcome', error.code);
  return jsonAnswer(response, { status: HTTP_STATUS[error.code] });
};

/** What a librarian gets beyond the signed context. The values are frozen. */
interface LibrarianCall {
  info: LibrarianInfo;
  /** Milliseconds left. */
  timeoutMs: number;
  signal: AbortSignal;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  delegates?: readonly Delegate[] | undefined;
  ai?: AIClient | undefined;
  progress?: Progress | undefined;
}

/** The signed context as a librarian sees it: no token, no signer, and deeply frozen, since librarians must not change it. */
const librarianContext = (context: RequestContext, call: LibrarianCall): Context => {
  const { info, timeoutMs, signal, metadata, delegates = [], ai, progress } = call;
  const { subject, workspace, capabilities, authentication, traceId, spanId, sampled, chain } =
    context;
  return Object.freeze({
    librarian: frozen(info),
    user: frozen({
      id: subject,
      workspaceId: workspace,
      capabilities: [...capabilities],
      authentication,
    }),
    trace: frozen({ traceId, spanId, ...(sampled === undefined ? {} : { sampled }) }),
    delegationChain: frozen([...chain]),
    availableDelegates: frozen(
      delegates.filter(({ id }) => !chain.includes(id)).map((delegate) => ({ ...delegate })),
    ),
    ...(metadata === undefined ? {} : { metadata: frozen(metadata) }),
    ...(ai === undefined ? {} : { ai }),
    ...(progress === undefined ? {} : { progress }),
    timeout: timeoutMs,
    signal,
  });
};

/** Freezes plain data deeply. */
const frozen = <T extends object>(value: T): T => {
  // A frozen value was deeply frozen here for an earlier request.
  if (Object.isFrozen(value)) return value;
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) frozen(member);
  return Object.freeze(value);
};
