import type { Context as HonoContext } from 'hono';
import { ASKER_LANGUAGE, languageOfAsker } from '../../answering/write/answer-phrases.ts';
import {
  ASKER_FACTS,
  AskerFacts,
  QUESTION_ORIGIN,
  QuestionOrigin,
} from '../../contract/core/ask.ts';
import { HTTP_STATUS, readAs } from '../../contract/core/error-info.ts';
import type { Context, Librarian } from '../../contract/core/librarian.ts';
import { readRequest } from '../../contract/core/read-request.ts';
import type { DelegationTrace } from '../../contract/core/response.ts';
import {
  AgentFormat,
  AgentMetadata,
  AgentRequest,
  type AgentResponse,
} from '../../contract/wire/agent-response.ts';
import {
  contextGuard,
  faultHandler,
  type GuardedEnv,
  refuse,
  requireCapability,
} from '../../platform/context/context-guard.ts';
import type { ErrorScene } from '../../platform/context/error-info-of.ts';
import { type RequestScope, requestScopes } from '../../platform/context/request-scope.ts';
import { startDeadline, timeToAnswer } from '../../platform/http/deadline.ts';
import { jsonAnswer, readJson } from '../../platform/http/json-http.ts';
import { type Reporting, reportedBy, withProgress } from '../../platform/http/progress.ts';
import { logLine } from '../../platform/log.ts';
import { type ServeOptions, serveLibrarian } from '../serve/serve-librarian.ts';
import { type Agent, type AgentProfile, answerParts, failureInfoOf, runAgent } from './agent.ts';
import { resultFormatter } from './format/result-formatter.ts';
import { asLibrarianResponse, wholeStatement } from './librarian-response.ts';

export interface AgentServeOptions extends ServeOptions {
  /** The ids that the host gives to languages, by their tag (`en`), for `metadata.language_id`. */
  languageIds?: Readonly<Record<string, number>> | undefined;
}

/**
 * Turns an agent into a function: `POST /librarians/{id}/ask` and `GET /librarians/{id}` as a librarian, and
 * `POST /v1/agents/{type}` in the agent envelope, both behind the capabilities that its info names.
 *
 * To a caller that accepts events it reports what it finds, and each part of the answer as it is finished (docs/streaming.md).
 *
 * `?format=markdown|text|display` gives the answer as `resultFormatter` writes it; failures stay JSON. As a librarian it
 * reads its options from `metadata.options`.
 */
export function serveAgent(agent: Agent, profile: AgentProfile, options: AgentServeOptions) {
  const { type, info } = profile;
  const settings = { ...options, access: options.access ?? ('signed' as const), self: info.id };
  const librarian = {
    forRequest: (scope: RequestScope) => asLibrarian(agent, { profile, scope, options }),
  };
  const app = serveLibrarian(librarian, info, options);
  app.post(
    `/v1/agents/${type}`,
    contextGuard(settings),
    ...(info.capabilities ?? []).map(requireCapability),
    answering(agent, profile, { ...options, onFault: faultHandler(settings) }),
  );
  return app;
}

interface LibrarianParts {
  profile: AgentProfile;
  scope: RequestScope;
  options: AgentServeOptions;
}

const asLibrarian =
  (agent: Agent, { profile, scope, options }: LibrarianParts): Librarian =>
  async (query, context) => {
    const { now = Date.now, languageIds } = options;
    const givenMs = context?.timeout ?? timeToAnswer(scope.context.deadlineMs - now());
    // The agent's timeout ends before the librarian's, and after those of the branches that it waits for.
    const timeoutMs = givenMs - Math.min(RESPONSE_RESERVE_MS, givenMs / 40);
    const signal = context?.signal ?? new AbortController().signal;
    const { options: own, origin, facts, language } = givenIn(query, context);
    const call = {
      options: own,
      language,
      origin,
      facts,
      signal,
      timeoutMs,
      ai: context?.ai,
      scope,
      progress: context?.progress,
    };
    const scene = sceneOf(profile, { scope, options });
    return asLibrarianResponse(
      await runAgent(agent, query, { profile, call, scene, now, languageIds }),
    );
  };

/** Reserved for building the Response from the agent's result. */
const RESPONSE_RESERVE_MS = 5;

interface Answering extends AgentServeOptions {
  onFault: ReturnType<typeof faultHandler>;
}

const answering = (agent: Agent, profile: AgentProfile, { onFault, ...options }: Answering) => {
  const { now = Date.now, languageIds } = options;
  const { id } = profile.info;
  const scopes = requestScopes({ ...options, self: id });
  return async (c: HonoContext<GuardedEnv>): Promise<Response> => {
    const request = readJson(c.get('body'), AgentRequest);
    if (!request.ok) {
      const { problem: message, suggestion } = request;
      return refuse(c, 'INVALID_QUERY', { message, suggestion });
    }
    const format = formatIn(c);
    if (!format.ok) return refuse(c, 'INVALID_QUERY', { message: UNKNOWN_FORMAT });
    const run = async (reporting: Reporting): Promise<Response> =>
      reply(c, await answered(c, request.value, reporting), format.value);
    // An agent reads its own options, and reports nothing before.
    return withProgress(c, run, { onFault: (error) => onFault(error, c), beginsWithReport: true });
  };

  async function answered(
    c: HonoContext<GuardedEnv>,
    { query, options: own = {}, metadata }: AgentRequest,
    { progress: reported, ...caller }: Reporting,
  ): Promise<AgentResponse> {
    const timeoutMs = timeToAnswer(c.get('context').deadlineMs - now());
    const deadline = startDeadline({ timeoutMs, signal: caller.signal });
    try {
      const { signal } = deadline;
      const scope = scopes.open(c, { query, signal });
      const { facts, language } = givenIn(query, { metadata });
      // There is no conversation here that could complete a question.
      const origin = { memory_context_used: facts.length > 0 };
      const progress = reportedBy(id, reported);
      const parts = progress && answerParts(progress);
      const { ai } = scope.model ?? {};
      const call = {
        options: own,
        origin,
        facts,
        language,
        signal,
        timeoutMs,
        ai,
        scope,
        progress,
        parts,
      };
      const scene = sceneOf(profile, { scope, options });
      const response = await runAgent(agent, query, { profile, call, scene, now, languageIds });
      if (response.success && parts?.isEmpty()) parts.add(wholeStatement(response));
      scopes.settle(c, scope);
      return withTrace(response, scope.delegates.trace());
    } finally {
      deadline.end();
    }
  }
};

const UNKNOWN_FORMAT = `Cannot read the address: format is given once, as one of ${AgentFormat.options.join(', ')}`;

const formatIn = (c: HonoContext<GuardedEnv>) => {
  const [format, ...more] = c.req.queries('format') ?? [];
  return readAs(AgentFormat.optional(), more.length > 0 ? null : format);
};

const reply = (
  c: HonoContext<GuardedEnv>,
  response: AgentResponse,
  format: AgentFormat | undefined,
): Response => {
  if (response.success) return FORMATTED[format ?? 'envelope'](response);
  const { code } = failureInfoOf(response);
  c.set('outcome', code);
  return jsonAnswer(response, { status: HTTP_STATUS[code] });
};

const FORMATTED = {
  envelope: (response: AgentResponse): Response => jsonAnswer(response),
  markdown: (response: AgentResponse): Response =>
    textAnswer(resultFormatter.toMarkdown(response), 'text/markdown'),
  text: (response: AgentResponse): Response =>
    textAnswer(resultFormatter.toText(response), 'text/plain'),
  display: (response: AgentResponse): Response => jsonAnswer(resultFormatter.toDisplay(response)),
};

const textAnswer = (text: string, type: string): Response =>
  new Response(text, { headers: { 'Content-Type': `${type}; charset=utf-8` } });

/** Adds the trace of the delegation under `metadata.trace`: without receipts if it is too large, or not at all. */
const withTrace = (response: AgentResponse, trace: DelegationTrace): AgentResponse => {
  if (trace.hops.length === 0) return response;
  const bare = {
    ...trace,
    hops: trace.hops.map(({ receipt: _receipt, link: _link, ...hop }) => hop),
  };
  const traced = [trace, bare].map((each) => ({ ...response.metadata, trace: each }));
  const metadata = traced.find((each) => readAs(AgentMetadata, each).ok);
  return metadata === undefined ? response : { ...response, metadata };
};

/** Metadata comes from the caller: what does not fit is dropped, never an error. */
const givenIn = (question: string, { metadata = {} }: Pick<Context, 'metadata'> = {}) => {
  const options = readRequest(AgentRequest.shape.options, metadata.options);
  const origin = readRequest(QuestionOrigin, metadata[QUESTION_ORIGIN]);
  const facts = readAs(AskerFacts, metadata[ASKER_FACTS]);
  return {
    options: (options.ok && options.value) || {},
    origin: origin.ok ? origin.value : undefined,
    facts: facts.ok ? facts.value : [],
    language: languageOfAsker({ question, known: metadata[ASKER_LANGUAGE] }),
  };
};

const sceneOf = (
  profile: AgentProfile,
  { scope, options }: Omit<LibrarianParts, 'profile'>,
): ErrorScene => {
  const { now = Date.now, log = logLine } = options;
  return {
    librarian: profile.info.id,
    where: 'agent',
    log,
    now: now(),
    traceId: scope.context.traceId,
  };
};
