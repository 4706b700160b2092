import type { Context } from 'hono';
import * as z from 'zod';
import { NavigateRequest, Statements } from '../contract/core/ask.ts';
import { ConfidenceLevel, confidenceOf } from '../contract/core/confidence-level.ts';
import { ErrorCode, readAs } from '../contract/core/error-info.ts';
import type { LibrarianResponse, Source } from '../contract/core/response.ts';
import { AgentRequest } from '../contract/wire/agent-response.ts';
import { SupportRequest } from '../contract/wire/support-response.ts';
import { errorInfo } from '../platform/context/error-info-of.ts';
import { budgetOf, requestBudget } from '../platform/context/limits.ts';
import { type OriginContext, originate } from '../platform/context/request-context.ts';
import type { SignedAnswer } from '../platform/context/signed-client.ts';
import { readJson } from '../platform/http/json-http.ts';
import type { GatewayEnv } from './access/request-log.ts';
import { withUsage } from './ask/ask.ts';
import type { KeepAnswers } from './history/keep-answers.ts';

/** How a route that asks one function directly is kept: what of its body is the question, and what of its reply the answer. */
export interface KeptRoute {
  questionOf: (body: Uint8Array) => Question | undefined;
  answerOf: (json: unknown) => Answered | undefined;
}

interface Question {
  query: string;
  metadata?: Readonly<Record<string, unknown>> | null | undefined;
}

interface Answered {
  response: LibrarianResponse;
  intent?: string | undefined;
}

/**
 * Keeps a forwarded question in the same way as one of `/v1/ask`; undefined where the workspace keeps none, or for a body that is no
 * question. A request that the function refuses is no answer, and a reply in another form than the route's JSON is not kept.
 */
export function keepForwarded(
  c: Context<GatewayEnv>,
  { keepAnswers, route, now }: { keepAnswers: KeepAnswers; route: KeptRoute; now: () => number },
  {
    to,
    body,
    context,
    isStream,
  }: { to: string; body: Uint8Array; context: OriginContext; isStream: boolean },
) {
  const question = route.questionOf(body);
  if (question === undefined) return undefined;
  const request = { query: question.query, metadata: question.metadata ?? undefined };
  const kept = keepAnswers(c, { request, context, startedAtMs: now(), isStream });
  return (
    kept && {
      watched: kept.watched,
      answered: (reply: SignedAnswer): void => {
        const answered = reply.ok ? answerIn(reply, route) : { response: { error: reply.error } };
        if (answered === undefined) return;
        kept.ended('answering');
        const budget = budgetOf(context.budgets);
        const used = reply.ok ? reply.receipt.use : {};
        budget.take(used);
        const { response, intent } = answered;
        const final = withUsage(response, { own: undefined, below: used });
        kept.keep(final, { budget, intent, librarians: response.answer === undefined ? [] : [to] });
      },
    }
  );
}

/** Keeps the reply to a question that no function was asked, as `/v1/ask` keeps one. */
export function keepReply(
  c: Context<GatewayEnv>,
  { keepAnswers, now }: { keepAnswers: KeepAnswers | undefined; now: () => number },
  {
    question: { query, metadata },
    reply,
    workspace,
    isStream,
  }: { question: Question; reply: LibrarianResponse; workspace: string; isStream: boolean },
): void {
  if (keepAnswers === undefined) return;
  const key = c.get('apiKey');
  const context = originate({
    self: 'gateway',
    subject: `user:${key.id}`,
    workspace,
    authentication: key.authentication ?? 'key',
    capabilities: [],
    audiences: key.audiences,
    timeoutMs: KEEP_MS,
    now: now(),
    traceId: c.get('traceId'),
  });
  const request = { query, metadata: metadata ?? undefined };
  const kept = keepAnswers(c, { request, context, startedAtMs: now(), isStream });
  kept?.keep(reply, { budget: requestBudget(context), librarians: [] });
}

/** Only kept: no function is called in this context. */
const KEEP_MS = 1000;

/** What says that a request was not answered at all. */
const REFUSED: readonly string[] = ['INVALID_QUERY', 'UNAUTHORIZED', 'RATE_LIMITED'];

const Failed = z.object({
  error: z.object({ code: ErrorCode }).optional().catch(undefined),
  metadata: z.object({ error_code: ErrorCode }).optional().catch(undefined),
});

const answerIn = (
  { status, json }: SignedAnswer & { ok: true },
  { answerOf }: KeptRoute,
): Answered | undefined => {
  const value = jsonOf(json);
  if (status < 400) return answerOf(value);
  const read = readAs(Failed, value);
  const code =
    (read.ok ? (read.value.error?.code ?? read.value.metadata?.error_code) : undefined) ??
    'INTERNAL_ERROR';
  return REFUSED.includes(code) ? undefined : { response: { error: errorInfo(code) } };
};

const jsonOf = (json: () => unknown): unknown => {
  try {
    return json();
  } catch {
    return undefined;
  }
};

const questionAs =
  <Body extends Question>(schema: z.ZodType<Body>) =>
  (body: Uint8Array): Question | undefined => {
    const read = readJson(body, schema);
    return read.ok ? read.value : undefined;
  };

const Share = z.number().min(0).max(1);
const text = z.string().max(32_000);

/** What is kept of a reply of `/v1/navigate`. */
const Navigated = z.looseObject({
  answer: text,
  statements: Statements.optional().catch(undefined),
  sources: z.array(z.unknown()).max(50),
  confidence: ConfidenceLevel,
  confidenceComponents: z.object({ probability: Share.optional() }).optional().catch(undefined),
  outOfDomain: z.boolean().optional().catch(undefined),
  metadata: z
    .looseObject({ closest: z.array(z.unknown()).optional() })
    .optional()
    .catch(undefined),
});

export const NAVIGATE: KeptRoute = {
  questionOf: questionAs(NavigateRequest),
  answerOf: (json) => {
    const read = readAs(Navigated, json);
    if (!read.ok) return undefined;
    const {
      answer,
      statements = [],
      sources,
      metadata: { closest, ...metadata } = {},
      ...navigator
    } = read.value;
    const cited = statements.flatMap((statement) =>
      statement.sources.map(({ name, url }) => ({ name, url })),
    );
    // It may be sure that a question is out of domain; that answers nothing.
    const stated = navigator.outOfDomain === true ? 0 : confidenceOf(navigator.confidence);
    const confidence = navigator.confidenceComponents?.probability ?? stated;
    return {
      response: {
        answer,
        sources: once(cited),
        confidence,
        // The same members as an answer of `/v1/ask`; without a source, the list says that the answer declines.
        metadata: {
          navigator,
          statements,
          closest: closest ?? (sources.length === 0 ? [] : undefined),
          ...metadata,
        },
      },
    };
  },
};

/** What an answer had to do without. */
const Degraded = z.array(z.string().max(100)).min(1).max(20).optional().catch(undefined);

const degradedMember = ({
  degraded,
}: {
  degraded?: string[] | undefined;
}): { degraded?: string[] } => (degraded === undefined ? {} : { degraded });

const Result = z.object({
  interpretation: text.optional().catch(undefined),
  summary: text.optional().catch(undefined),
  synthesis: text.optional().catch(undefined),
  documents: z
    .array(
      z
        .object({
          metadata: z.object({ title: z.string(), url: z.string().optional() }).optional(),
        })
        .catch({}),
    )
    .optional()
    .catch(undefined),
  urls: z.array(z.string()).optional().catch(undefined),
});

/** What is kept of an agent's reply. */
const AgentReply = z.object({
  success: z.literal(true),
  result: Result.extend({
    sub_queries: z
      .array(z.object({ result: Result.catch({}) }))
      .optional()
      .catch(undefined),
  }),
  source_attribution: z.object({ confidence: Share }),
  metadata: z.object({
    answer: text.optional().catch(undefined),
    cache_hit: z.boolean().optional().catch(undefined),
    partial: z.boolean().optional().catch(undefined),
    degraded: Degraded,
  }),
});

export const AGENT: KeptRoute = {
  questionOf: questionAs(AgentRequest),
  answerOf: (json) => {
    const read = readAs(AgentReply, json);
    if (!read.ok) return undefined;
    const { result, source_attribution: attribution, metadata } = read.value;
    const { synthesis, interpretation, summary, sub_queries: parts = [] } = result;
    const found = [result, ...parts.map((part) => part.result)].flatMap(
      ({ documents = [], urls = [] }) => [
        ...documents.flatMap(({ metadata: about }) =>
          about === undefined ? [] : [{ name: about.title, url: about.url }],
        ),
        ...urls.map((url) => ({ name: url, url })),
      ],
    );
    return {
      response: {
        answer: synthesis ?? interpretation ?? metadata.answer ?? summary ?? '',
        sources: once(found),
        confidence: attribution.confidence,
        ...(metadata.partial === true ? { partial: true } : {}),
        metadata: {
          ...(metadata.cache_hit === true ? { cached: true } : {}),
          ...degradedMember(metadata),
        },
      },
    };
  },
};

/** What is kept of the analysis of a message. */
const Analysis = z.object({
  intent_classification: z.object({ primary_intent: z.string().max(100) }),
  draft: z.object({ text }),
  knowledge_retrieval: z.object({
    sources_consulted: z
      .array(z.object({ title: z.string(), url: z.string(), relevance_score: Share }))
      .max(50),
    degraded: Degraded,
  }),
});

/** The customer's message, with its subject, as one question. */
export function questionOfTicket({
  subject = '',
  message,
}: Pick<SupportRequest, 'subject' | 'message'>): string {
  return `${subject}\n${message}`.trim().slice(0, 4000);
}

export const TICKET: KeptRoute = {
  questionOf: (body) => {
    const read = readJson(body, SupportRequest);
    return read.ok
      ? { query: questionOfTicket(read.value), metadata: read.value.metadata }
      : undefined;
  },
  answerOf: (json) => {
    const read = readAs(Analysis, json);
    if (!read.ok) return undefined;
    const { intent_classification: classified, draft, knowledge_retrieval: knowledge } = read.value;
    const sources = knowledge.sources_consulted.map(
      ({ title, url, relevance_score: relevance }) => ({
        name: title,
        url,
        relevance,
      }),
    );
    return {
      intent: classified.primary_intent,
      response: {
        answer: draft.text,
        sources: once(sources),
        confidence: sources[0]?.relevance ?? 0,
        ...(knowledge.degraded === undefined ? {} : { partial: true }),
        metadata: {
          ...(sources.length === 0 ? { closest: [] } : {}),
          ...degradedMember(knowledge),
        },
      },
    };
  },
};

interface Named {
  name: string;
  url?: string | undefined;
  relevance?: number | undefined;
}

/** Each source once, its address only where it is one. */
const once = (named: readonly Named[]): Source[] => {
  const sources = named.map(({ name, url, relevance }) => ({
    name: name.slice(0, 500),
    ...(url !== undefined && /^https?:\/\//.test(url) && URL.canParse(url) ? { url } : {}),
    ...(relevance === undefined ? {} : { relevance }),
  }));
  const keys = sources.map(({ name, url }) => url ?? name);
  return sources.filter((_, at) => keys.indexOf(keys[at] ?? '') === at).slice(0, 50);
};
