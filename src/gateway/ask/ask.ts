import type { Context } from 'hono';
import {
  ASKER_LANGUAGE,
  answerPhrases,
  languageOfAsker,
} from '../../answering/write/answer-phrases.ts';
import { shortenAnswer } from '../../answering/write/shorten-answer.ts';
import {
  AskRequest,
  QUESTION_ORIGIN,
  QuestionOrigin,
  Statements,
} from '../../contract/core/ask.ts';
import { ErrorInfo, HTTP_STATUS, readAs } from '../../contract/core/error-info.ts';
import type { AIClient, Librarian, LibrarianInfo } from '../../contract/core/librarian.ts';
import {
  type DelegateRequest,
  type LibrarianResponse,
  withPartial,
} from '../../contract/core/response.ts';
import { completedQuestion } from '../../language/complete-question.ts';
import { idAsWords } from '../../language/id-as-words.ts';
import { hasOnlyWordsOf } from '../../language/keeps-question.ts';
import { withoutContinuation } from '../../language/refers-back.ts';
import { type SmallTalk, unansweredSmallTalk } from '../../language/small-talk.ts';
import { createConcierge } from '../../librarians/concierge/concierge.ts';
import { turnBefore } from '../../librarians/concierge/follow-up.ts';
import { isDeclined, nothingFound } from '../../librarians/delegation/abstention.ts';
import type { NameOf } from '../../librarians/delegation/aggregate.ts';
import { readingCapabilities } from '../../librarians/delegation/call.ts';
import { createCircuitBreakers } from '../../librarians/delegation/circuit-breaker.ts';
import { inertLine } from '../../librarians/delegation/contain-markdown.ts';
import { createDelegates } from '../../librarians/delegation/delegates.ts';
import type { Librarians } from '../../librarians/delegation/librarian-directory.ts';
import { withMetadata } from '../../librarians/delegation/trace.ts';
import { waitUntilOf } from '../../platform/concurrency.ts';
import type { ModelUse } from '../../platform/context/context-guard.ts';
import { isExternal, type KeyDirectory } from '../../platform/context/key-directory.ts';
import { type Amounts, DEFAULT_CALLS, requestBudget } from '../../platform/context/limits.ts';
import { budgetedModel, type TokenPrice } from '../../platform/context/model-budget.ts';
import { type OriginContext, originate } from '../../platform/context/request-context.ts';
import type { SignedClient } from '../../platform/context/signed-client.ts';
import { errorHeaders, jsonAnswer, knownJson, readJson } from '../../platform/http/json-http.ts';
import {
  type Reporting,
  reportStatements,
  withProgress,
  withStatements,
} from '../../platform/http/progress.ts';
import type { Log } from '../../platform/log.ts';
import { demand, workspaceOf } from '../access/authenticate.ts';
import { jsonBytes } from '../access/forward.ts';
import { faultResponse, GatewayError } from '../access/gateway-error.ts';
import type { GatewayEnv } from '../access/request-log.ts';
import { interfaceOf, type KeepAnswers } from '../history/keep-answers.ts';
import { leanResponse } from './lean-response.ts';
import { fixedReply, type PersonWays, replyTo, type WaysToPerson } from './small-talk.ts';
import { createTalk } from './talk.ts';
import { withMembers } from './understand-question.ts';

interface AskParts {
  client: SignedClient;
  directory: KeyDirectory;
  librarians: Librarians;
  /** The default librarian, used without clear evidence for another; `navigator` when absent. */
  defaultLibrarian?: string | undefined;
  ai?: AIClient | undefined;
  aiPrice?: TokenPrice | undefined;
  /** Upper bounds for all model calls of one question: `tokens`, `cost_micros`. Absent members are unlimited. */
  budgets?: Amounts | undefined;
  /** Tokens of stored facts that a question takes along; none when 0 or absent. */
  factTokens?: number | undefined;
  /** How a person is reached, by workspace; unknown when absent. */
  personWays?: PersonWays | undefined;
  /** Keeps the answers; none when absent. */
  keepAnswers?: KeepAnswers | undefined;
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

/** Checks a request, and returns the function that asks the question. */
export type Asking = (
  c: Context<GatewayEnv>,
  request: AskRequest,
  options?: AskingOptions,
) => (reporting: Reporting) => Promise<LibrarianResponse>;

interface AskingOptions {
  /** Rights that the question takes along; when absent, those rights of the key that only read. */
  capabilities?: readonly string[] | undefined;
  /** Take the place of the configured ones. */
  budgets?: Amounts | undefined;
  /** Whether the answer may be kept; true when absent. */
  isKept?: boolean | undefined;
}

/** The librarian that chooses the others. */
export const CONCIERGE = 'concierge';
const DEFAULT_LIBRARIAN = 'navigator';
const TIMEOUT_MS = 30_000;

/**
 * `POST /v1/ask`: sends the question to the named librarian, or to those that the concierge chooses, in the
 * user's name. The reply is the answer with its sources; `include` names what else it has (`leanResponse`). Finding nothing is a response that abstains, with the closest
 * articles under `metadata.closest`, not an error. A question in a conversation is read with the previous turns and stored;
 * `metadata.conversation` holds how it was understood. `metadata.usage` is the model usage of all hops.
 */
export function createAsk(asking: Asking): (c: Context<GatewayEnv>) => Promise<Response> {
  return async (c) => {
    const request = readRequest(await jsonBytes(c));
    const ask = asking(c, request);
    const include = isExplained(request)
      ? [...(request.include ?? []), 'why' as const]
      : request.include;
    return withProgress(
      c,
      async ({ signal, progress }) => {
        const response =
          progress === undefined
            ? await ask({ signal })
            : await withStatements(progress, (recorded) => ask({ signal, progress: recorded }));
        return answerWith(c, leanResponse(response, { include, librarian: c.get('answeredBy') }));
      },
      { onFault: (error) => faultResponse(c, error) },
    );
  };
}

/**
 * Checks what a request may ask before anything is asked, for every interface.
 *
 * @returns The function that asks; it never throws.
 */
export function createAsking(parts: AskParts): Asking {
  const { librarians, now = Date.now } = parts;
  const circuitBreakers = createCircuitBreakers();
  const askConcierge = conciergeFor(parts);
  const talk = createTalk(parts);
  return (c, sent, options = {}) => {
    const startedAtMs = now();
    const isExplaining = isExplained(sent);
    if (isExplaining) demand(c.get('apiKey'), 'kb:read');
    const request = isExplaining
      ? { ...sent, metadata: { ...sent.metadata, explain: true } }
      : sent;
    const { librarian = CONCIERGE, timeout_ms: timeoutMs = TIMEOUT_MS } = request;
    if (librarian !== CONCIERGE && !librarians.ids.includes(librarian))
      throw unknownLibrarian(librarians.ids);
    const key = c.get('apiKey');
    const origin = originate({
      self: 'gateway',
      subject: `user:${key.id}`,
      workspace: workspaceOf(key, request.workspace_id, c.req.query('workspace_id')),
      authentication: key.authentication ?? 'key',
      // A question is untrusted text: write rights are not delegated with it (docs/contract.md#calls-between-librarians).
      capabilities:
        options.capabilities ?? readingCapabilities(key.capabilities) ?? key.capabilities,
      audiences: key.audiences,
      budgets: { calls: DEFAULT_CALLS, ...parts.budgets, ...options.budgets },
      timeoutMs,
      now: startedAtMs,
      traceId: c.get('traceId'),
    });
    c.set('answeredBy', librarian);
    // The conversation is read and written in the name of the key, which must hold the rights itself.
    if (request.conversation_id !== undefined)
      for (const right of ['memory:read', 'memory:write']) demand(key, right);
    return async ({ signal, progress: reported }) => {
      const isStream = reported !== undefined;
      const kept =
        options.isKept === false
          ? undefined
          : parts.keepAnswers?.(c, { request, context: origin, startedAtMs, isStream });
      const progress = (reported && kept?.watched(reported)) ?? reported;
      const budget = requestBudget(origin);
      const model = parts.ai && budgetedModel(parts.ai, { budget, price: parts.aiPrice });
      const ai = model?.ai;
      const talked = await talk({
        request,
        context: origin,
        signal,
        waitUntil: waitUntilOf(c),
        ai,
      });
      const { query, said, metadata, store } = talked;
      kept?.ended('understanding');
      const ways = parts.personWays?.(origin.workspace) ?? NO_WAYS;
      const form = { hasForm: interfaceOf(c, isStream) === 'widget' };
      const reply = (to: SmallTalk): LibrarianResponse => replyTo(to, ways, form);
      const fixed = fixedReply(request.query, ways, { before: said.at(-1), ...form });
      if (fixed !== undefined) {
        c.set('answeredBy', CONCIERGE);
        const replied = await store(fixed.response, { isTurn: false });
        return kept?.keep(replied, { budget: requestBudget(origin), librarians: [] }) ?? replied;
      }
      // A follow-up question may have been completed with words of an answer, which quotes articles.
      const isTainted = !hasOnlyWordsOf(query, said);
      const capabilities =
        readingCapabilities(origin.capabilities, { isTainted }) ?? origin.capabilities;
      const context = { ...origin, capabilities };
      const nameOf = (id: string): string | undefined => librarians.infoOf(id)?.name;
      const known = { ...parts, context, budget, query, said, metadata, signal, nameOf };
      const delegates = createDelegates({ ...known, circuitBreakers });
      const chosen =
        librarian === CONCIERGE
          ? await askConcierge(c, { query, metadata, context, ai, signal })
          : named(librarians.infoOf(librarian) ?? { id: librarian }, { query, metadata });
      const isRewritten = query !== request.query;
      const asked = [chosen.delegate ?? []]
        .flat()
        .map((each) => withOrigin(each, { metadata, isRewritten }));
      kept?.ended('routing');
      const routed = asked.map(({ to: id, query: own }) => {
        const name = isExternal(parts.directory, id) ? reporterName(id, nameOf) : undefined;
        return { id, ...(name !== undefined && { name }), query: own };
      });
      progress?.({ type: 'routing', librarians: routed, ...(kept && { answer_id: kept.id }) });
      if (isStream) await untilSent();
      const combined = delegates.combine(
        chosen,
        asked.length === 0 ? [] : await delegates.ask(asked, { progress }),
      );
      kept?.ended('answering');
      const answering = delegates.trace().hops.findLast(({ from }) => from === context.self)?.to;
      c.set('answeredBy', answering ?? CONCIERGE);
      c.set('modelUse', model?.use());
      const language = languageOfAsker({ question: query, known: metadata?.[ASKER_LANGUAGE] });
      const abstained = normaliseAbstention(combined, language);
      // Articles may say how a person is reached; when they do not, that is no gap in them.
      const smallTalk = isDeclined(abstained) ? unansweredSmallTalk(request.query) : undefined;
      const response = await store(smallTalk === undefined ? abstained : reply(smallTalk), {
        librarian: answering,
        query: asked.length === 1 ? asked[0]?.query : undefined,
      });
      const { answer, error, ...rest } = withUsage(withPartial(response), {
        own: model?.use(),
        below: delegates.verifiedUsage(),
      });
      const final = {
        ...(answer === undefined
          ? {}
          : { answer: shortenAnswer(answer, rest.sources, { phrases: answerPhrases(language) }) }),
        ...withReporters(rest, nameOf),
        ...(error === undefined ? {} : { error: { query: request.query, ...error } }),
      };
      if (kept === undefined) return final;
      const delegated = asked.length === 1 ? (asked[0]?.query ?? query) : query;
      // A librarian that reads the conversation gets the question as typed.
      const completed =
        delegated === query ? completedQuestion(query, turnBefore({ metadata })) : delegated;
      const standalone = completed === query ? query : withoutContinuation(completed);
      const understoodAs = standalone === request.query ? undefined : standalone;
      return kept.keep(final, { budget, understoodAs });
    };
  };
}

const reporterName = (id: string, nameOf: NameOf): string =>
  inertLine(nameOf(id) ?? idAsWords(id), 100);

/** Names the external librarians whose claims a response holds, under `metadata.reporters`: readers know them by name. */
const withReporters = <T extends LibrarianResponse>(response: T, nameOf: NameOf): T => {
  const { sources = [], metadata } = response;
  const read = readAs(Statements, metadata?.statements ?? []);
  const claims = [...sources, ...(read.ok ? read.value : [])].flatMap(
    (each) => each.reported_by ?? [],
  );
  const ids = [
    ...new Set([
      ...claims,
      ...(typeof metadata?.reported_by === 'string' ? [metadata.reported_by] : []),
    ]),
  ];
  if (ids.length === 0) return response;
  const reporters = Object.fromEntries(ids.map((id) => [id, reporterName(id, nameOf)]));
  return { ...response, metadata: { ...metadata, reporters } };
};

const isExplained = ({ explain, include = [] }: AskRequest): boolean =>
  explain === true || include.includes('why');

const NO_WAYS: WaysToPerson = { handsOver: false };

/** Lets reported events be sent before more is computed: librarians may run on the same thread. */
const untilSent = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0));

interface Asked {
  query: string;
  /** Contains the previous turns. */
  metadata: Readonly<Record<string, unknown>> | undefined;
}

/** A named librarian gets a standalone follow-up question, unless it reads the history itself. */
const named = (
  { id, readsHistory = false }: Pick<LibrarianInfo, 'id' | 'readsHistory'>,
  { query, metadata }: Asked,
): LibrarianResponse => {
  const text = readsHistory ? query : completedQuestion(query, turnBefore({ metadata }));
  const context = readsHistory
    ? {}
    : { context: { [QUESTION_ORIGIN]: { memory_context_used: text !== query } } };
  return { delegate: { to: id, ...context, ...(text === query ? {} : { query: text }) } };
};

/** Says that the conversation completed the question. How a question came about is omitted when the metadata would be too large. */
const withOrigin = (
  { context, ...request }: DelegateRequest,
  { metadata, isRewritten }: Pick<Asked, 'metadata'> & { isRewritten: boolean },
): DelegateRequest => {
  const read = readAs(QuestionOrigin, context?.[QUESTION_ORIGIN]);
  const origin = {
    ...(read.ok ? read.value : {}),
    ...(isRewritten ? { memory_context_used: true } : {}),
  };
  const member = { [QUESTION_ORIGIN]: origin };
  const isEmpty = Object.keys(origin).length === 0;
  return isEmpty || withMembers(metadata, member) === metadata
    ? request
    : { ...request, context: member };
};

/** Share of the request's time that may be spent on descriptions of librarians that are not in the directory yet. */
const SHARE_OF_DESCRIPTIONS = 0.25;

/** Routes by the concierge among the librarians that are available now. */
const conciergeFor = ({
  librarians,
  defaultLibrarian = DEFAULT_LIBRARIAN,
  now = Date.now,
}: AskParts) => {
  const conciergeOf = conciergeCache(defaultLibrarian);
  return async (
    c: Context<GatewayEnv>,
    {
      query,
      metadata,
      context,
      ai,
      signal,
    }: Asked & { context: OriginContext; ai: AIClient | undefined; signal: AbortSignal },
  ): Promise<LibrarianResponse> => {
    const { capabilities, subject: id, workspace: workspaceId } = context;
    const withinMs = (context.deadlineMs - now()) * SHARE_OF_DESCRIPTIONS;
    const known = await librarians.routable({ waitUntil: waitUntilOf(c), withinMs, signal });
    const user = { id, workspaceId, capabilities: [...capabilities] };
    return conciergeOf(known)(query, {
      user,
      metadata,
      ai,
      timeout: context.deadlineMs - now(),
      signal,
    });
  };
};

/** The concierge for a set of descriptions; rebuilt only when they have changed. */
const conciergeCache = (defaultLibrarian: string) => {
  let current: { of: readonly LibrarianInfo[]; concierge: Librarian } | undefined;
  return (librarians: readonly LibrarianInfo[]): Librarian => {
    if (current?.of !== librarians) {
      current = { of: librarians, concierge: createConcierge({ librarians, defaultLibrarian }) };
    }
    return current.concierge;
  };
};

/**
 * Gives every abstention the same shape. When only the fallback of a failed librarian found nothing, the error of the failed
 * librarian is the answer.
 */
const normaliseAbstention = (
  response: LibrarianResponse,
  language: string | undefined,
): LibrarianResponse => {
  const { metadata = {}, error, answer } = response;
  if (answer === undefined)
    return error?.code === 'NOT_FOUND'
      ? nothingFound(withSuggestion(metadata, error), language)
      : response;
  if (!isDeclined(response)) return response;
  const failure = realFailure(metadata.delegationError);
  if (failure !== undefined)
    return {
      error: failure,
      ...(metadata.trace === undefined ? {} : { metadata: { trace: metadata.trace } }),
    };
  return { ...response, sources: [], partial: true, metadata: { closest: [], ...metadata } };
};

/** Librarians to suggest when one found nothing. */
const withSuggestion = (metadata: Readonly<Record<string, unknown>>, { suggestion }: ErrorInfo) =>
  suggestion === undefined ? metadata : { suggestion, ...metadata };

/** The error of the chosen librarian, unless it is that it cannot answer this question. */
const realFailure = (failure: unknown): ErrorInfo | undefined => {
  const read = readAs(ErrorInfo, failure);
  return read.ok && !['NOT_FOUND', 'INVALID_QUERY'].includes(read.value.code)
    ? read.value
    : undefined;
};

const answerWith = (c: Context<GatewayEnv>, response: LibrarianResponse): Response => {
  const { answer, error } = response;
  // Beside an answer, the error describes a gap; the request itself has succeeded.
  if (error === undefined || answer !== undefined) return jsonAnswer(response);
  c.set('outcome', error.code);
  return jsonAnswer(response, { status: HTTP_STATUS[error.code], headers: errorHeaders(error) });
};

const unknownLibrarian = (ids: readonly string[]): GatewayError =>
  new GatewayError('NOT_FOUND', {
    message: 'Cannot ask this librarian: there is none of that id',
    suggestion: `Ask one of: ${[CONCIERGE, ...ids].join(', ').slice(0, 900)}`,
  });

const readRequest = (bytes: Uint8Array): AskRequest => {
  const read = readJson(bytes, AskRequest);
  if (read.ok) return read.value;
  throw new GatewayError('INVALID_QUERY', {
    message: read.problem,
    suggestion: read.suggestion ?? 'Send {"query": "..."} with a question of 1 to 4,000 characters',
    details: { issues: read.issues },
  });
};

/**
 * Adds the model usage of the whole question under `metadata.usage`: tokens, and US dollars where the model has prices. Only
 * signed receipts count; a librarian's own report stays as `usage.librarian`. Unchanged when no model was used.
 */
export function withUsage(
  response: LibrarianResponse,
  { own, below }: { own: ModelUse | undefined; below: Amounts },
): LibrarianResponse {
  const said = response.metadata?.usage;
  const tokens = (own === undefined ? 0 : own.inputTokens + own.outputTokens) + (below.tokens ?? 0);
  if (tokens === 0 && said === undefined) return response;
  const micros = Math.round((own?.costUsd ?? 0) * MICROS) + (below.cost_micros ?? 0);
  const usage = {
    tokens,
    ...(micros > 0 ? { cost_usd: micros / MICROS } : {}),
    ...(said === undefined ? {} : { librarian: said }),
  };
  return withMetadata(response, { usage }) ?? response;
}

const MICROS = 1_000_000;

/**
 * Answers as JSON, or with events for a caller that accepts them. The statements of the stream are in the end those of the response: one
 * that it does not contain is withdrawn, and those that were not sent yet follow before `done`.
 */
export function answerOrStream(
  c: Context<GatewayEnv>,
  run: (reporting: Reporting) => Promise<Response>,
): Promise<Response> {
  return withProgress(
    c,
    async ({ signal, progress }) => {
      if (progress === undefined) return run({ signal });
      const sent: string[] = [];
      const response = await run({
        signal,
        progress: (event) => {
          if (event.type === 'statement') sent.push(event.text);
          progress(event);
        },
      });
      if (response.ok) {
        const known = knownJson(response);
        reportStatements(
          progress,
          known === undefined ? await response.clone().json() : known.value,
          sent,
        );
      }
      return response;
    },
    { onFault: (error) => faultResponse(c, error), beginsWithReport: true },
  );
}
