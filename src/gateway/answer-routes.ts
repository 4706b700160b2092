import type { Context } from 'hono';
import * as z from 'zod';
import type { Statement } from '../contract/core/ask.ts';
import { describeIssues, ErrorBody, readAs } from '../contract/core/error-info.ts';
import {
  AnswerFeedbackRequest,
  type AnswerReplay,
  AnswerReplayRequest,
  AnswersQuery,
  KeptAnswer,
  ReplayedAnswer,
  type StatementChange,
} from '../contract/wire/answers.ts';
import { writtenWords } from '../language/spaced-words.ts';
import { readingCapabilities } from '../librarians/delegation/call.ts';
import type { Librarians } from '../librarians/delegation/librarian-directory.ts';
import { waitUntilOf } from '../platform/concurrency.ts';
import { covers } from '../platform/context/capabilities.ts';
import { MAX_CAPABILITIES } from '../platform/context/limits.ts';
import { originate } from '../platform/context/request-context.ts';
import type { SignedClient } from '../platform/context/signed-client.ts';
import { jsonAnswer, readJson } from '../platform/http/json-http.ts';
import { inAddress, suggestForm } from '../platform/http/suggest-form.ts';
import { withRetries } from '../platform/retry.ts';
import { demand, workspaceOf } from './access/authenticate.ts';
import { type Forwarding, forward, jsonBytes, pathOf } from './access/forward.ts';
import { errorOf, errorResponse, GatewayError } from './access/gateway-error.ts';
import type { GatewayEnv } from './access/request-log.ts';
import { type Asking, CONCIERGE } from './ask/ask.ts';
import { outcomeOf } from './history/keep-answers.ts';
import type { ReportGaps } from './history/report-gaps.ts';

const MEMORY = 'memory';
const READ = 'answers:read';

/** Pauses before an answer that was just given is looked for again, in milliseconds. */
const KEEPING_PAUSES_MS = [300, 700];

/** Forwards a request for one kept answer; one that is not found is looked for again, as it may just have been given. */
const forwardOnceKept = async (
  c: Context<GatewayEnv>,
  client: SignedClient,
  call: Omit<Forwarding, 'to'>,
): Promise<Response> => {
  const ask = (): Promise<Response> => {
    c.set('outcome', undefined);
    return forward(c, client, { ...call, to: MEMORY });
  };
  return withRetries(ask, {
    attempts: KEEPING_PAUSES_MS.length + 1,
    pauseMs: ({ value }, attempt) =>
      value?.status === 404 ? KEEPING_PAUSES_MS[attempt - 1] : undefined,
  });
};

/** `GET /v1/answers/{id}`. */
export function createAnswerReader({ client }: { client: SignedClient }) {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const key = c.get('apiKey');
    demand(key, READ);
    const namedWorkspace = c.req.query('workspace_id');
    const workspace = workspaceOf(key, namedWorkspace);
    const call = {
      path: pathOf(c),
      workspace,
      namedWorkspace,
      capabilities: [READ],
      signal: c.req.raw.signal,
    };
    return forwardOnceKept(c, client, call);
  };
}

/** `POST /v1/answers/{id}/feedback`: any key may judge the answers that were given to it, one that reads answers all of them. */
export function createFeedback({
  client,
  reportGaps,
}: {
  client: SignedClient;
  reportGaps: ReportGaps;
}) {
  /** The question of an answer that was disliked is one that the articles should answer. */
  const reportDisliked = async (c: Context<GatewayEnv>, workspace: string): Promise<void> => {
    const { id, audiences, authentication = 'key' } = c.get('apiKey');
    const traceId = c.get('traceId');
    const asker = { workspace, subject: `user:${id}`, audiences, traceId, authentication };
    const context = originate({
      self: 'gateway',
      ...asker,
      capabilities: [READ],
      timeoutMs: REPORT_MS,
      now: Date.now(),
    });
    const path = new URL(c.req.url).pathname.replace(/\/feedback$/, '');
    const reply = await client.call(context, { to: MEMORY, method: 'GET', path });
    const answer = reply.ok && reply.status === 200 ? readAs(Judged, reply.json()) : undefined;
    if (answer?.ok !== true) return;
    const { question, understood_as: understood, person_id: personId } = answer.value;
    const report = {
      question: (understood ?? question).slice(0, MAX_QUERY),
      why: 'disliked' as const,
    };
    await reportGaps(context, [
      { ...report, ...(personId === undefined ? {} : { person_id: personId }) },
    ]);
  };
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const key = c.get('apiKey');
    const namedWorkspace = c.req.query('workspace_id');
    const workspace = workspaceOf(key, namedWorkspace);
    const body = await jsonBytes(c);
    const capabilities = [
      'answers:feedback:write',
      ...(covers(key.capabilities, READ) ? [READ] : []),
    ];
    const call = {
      path: pathOf(c),
      workspace,
      namedWorkspace,
      capabilities,
      body,
      signal: c.req.raw.signal,
    };
    const response = await forwardOnceKept(c, client, call);
    const feedback = readJson(body, AnswerFeedbackRequest);
    if (response.ok && feedback.ok && feedback.value.value === 'down')
      waitUntilOf(c)(reportDisliked(c, workspace));
    return response;
  };
}

const REPORT_MS = 5000;

/** What is read of an answer that was disliked: what a message was classified as is not, since support reports its gaps. */
const Judged = KeptAnswer.pick({ question: true, understood_as: true, person_id: true });

/** `GET /v1/answers`: a page as JSON, or all answers that fit, in full, one a line, as they are read. */
export function createAnswerList({ client }: { client: SignedClient }) {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const key = c.get('apiKey');
    demand(key, READ);
    const url = new URL(c.req.url);
    const namedWorkspace = url.searchParams.get('workspace_id') ?? undefined;
    const workspace = workspaceOf(key, namedWorkspace);
    url.searchParams.delete('workspace_id');
    const isExport =
      url.searchParams.get('format') === 'jsonl' ||
      /\bapplication\/x-ndjson\b/.test(c.req.header('Accept') ?? '');
    url.searchParams.delete('format');
    const call = {
      to: MEMORY,
      workspace,
      namedWorkspace,
      capabilities: [READ],
      signal: c.req.raw.signal,
    };
    if (!isExport) return forward(c, client, { ...call, path: `/v1/answers${url.search}` });
    const query = readAs(AnswersQuery, Object.fromEntries(url.searchParams));
    if (!query.ok) {
      throw new GatewayError('INVALID_QUERY', {
        message: `Cannot export answers: ${describeIssues(query.issues)}`,
        suggestion: suggestForm(AnswersQuery, query.issues, inAddress),
      });
    }
    const page = async (cursor: string | undefined): Promise<Response> => {
      if (cursor !== undefined) url.searchParams.set('cursor', cursor);
      return forward(c, client, { ...call, path: `/v1/answers-in-full${url.search}` });
    };
    const first = await page(undefined);
    return first.ok
      ? new Response(linesOf(first, page), { headers: { 'Content-Type': 'application/x-ndjson' } })
      : first;
  };
}

const FullPage = z.object({ answers: z.array(KeptAnswer), next_cursor: z.string().nullable() });

/** One page is read at a time, when the reader wants more. A page that fails ends the export with its error as the last line. */
const linesOf = (
  first: Response,
  next: (cursor: string) => Promise<Response>,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  let page: Response | undefined = first;
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      if (page === undefined) return controller.close();
      const json: unknown = await page.json();
      if (!page.ok) {
        controller.enqueue(encoder.encode(`${JSON.stringify(ErrorBody.parse(json))}\n`));
        return controller.close();
      }
      const { answers, next_cursor: cursor } = FullPage.parse(json);
      page = cursor === null ? undefined : await next(cursor);
      const lines = answers.map((answer) => `${JSON.stringify(answer)}\n`).join('');
      if (lines !== '') controller.enqueue(encoder.encode(lines));
      if (page === undefined) controller.close();
    },
  });
};

const TIMEOUT_MS = 30_000;

interface ReplayParts {
  client: SignedClient;
  asking: Asking;
  librarians: Pick<Librarians, 'ids'>;
  now: () => number;
}

/**
 * `POST /v1/answers/{id}/replay`: asks a kept question again in the name of the caller, on another edition, of another librarian, or without
 * a model, and compares the answers statement by statement. The new answer is not kept.
 */
export function createReplay({ client, asking, librarians, now }: ReplayParts) {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const key = c.get('apiKey');
    demand(key, READ);
    const request = readJson(await jsonBytes(c), AnswerReplayRequest, { whenEmpty: {} });
    if (!request.ok) {
      throw new GatewayError('INVALID_QUERY', {
        message: request.problem,
        suggestion: request.suggestion,
        details: { issues: request.issues },
      });
    }
    const { edition, librarian, model = true, timeout_ms: timeoutMs = TIMEOUT_MS } = request.value;
    const namedWorkspace = c.req.query('workspace_id');
    const workspace = workspaceOf(key, namedWorkspace);
    const call = { workspace, namedWorkspace, signal: c.req.raw.signal };
    const path = `/v1/answers/${encodeURIComponent(c.req.param('id') ?? '')}`;
    // A replay is a POST; what is kept is read.
    const found = await forwardOnceKept(c, client, {
      ...call,
      method: 'GET',
      path,
      capabilities: [READ],
    });
    if (!found.ok) return found;
    const { question, understood_as: understood, ...before } = KeptAnswer.parse(await found.json());
    if (edition !== undefined) {
      const stored = {
        ...call,
        to: 'library',
        method: 'GET',
        path: `/editions/${edition}`,
        capabilities: ['kb:read'],
      };
      demand(key, 'kb:read');
      const { status } = await forward(c, client, stored);
      if (status === 404) throw editionGone(edition);
      c.set('outcome', undefined);
    }
    const query = (understood ?? question).slice(0, MAX_QUERY);
    const [only = CONCIERGE, ...more] = before.librarians;
    // Support answers messages, and no questions.
    const asked =
      librarian ?? (more.length === 0 && librarians.ids.includes(only) ? only : CONCIERGE);
    const startedAtMs = now();
    const ask = asking(
      c,
      {
        query,
        workspace_id: workspace,
        timeout_ms: timeoutMs,
        facts: false,
        librarian: edition === undefined ? asked : NAVIGATOR,
        ...(edition === undefined ? {} : { metadata: { edition } }),
      },
      {
        capabilities: [
          ...(readingCapabilities(key.capabilities) ?? key.capabilities).slice(
            0,
            MAX_CAPABILITIES - 1,
          ),
          ...(edition === undefined ? [] : ['kb:editions:read']),
        ],
        ...(model ? {} : { budgets: { tokens: 0 } }),
        isKept: false,
      },
    );
    const response = await ask({ signal: c.req.raw.signal });
    if (response.error !== undefined && response.answer === undefined) {
      c.set('outcome', response.error.code);
      return errorResponse(errorOf(response.error.code, response.error));
    }
    const after = ReplayedAnswer.parse({
      ...outcomeOf(response),
      duration_ms: now() - startedAtMs,
    });
    const difference = compareStatements(before.statements, after.statements);
    return jsonAnswer({
      question: query,
      before: ReplayedAnswer.parse(before),
      after,
      difference,
    } satisfies AnswerReplay);
  };
}

/** The one that answers from editions. */
const NAVIGATOR = 'navigator';
/** A standalone question may be longer than a question. */
const MAX_QUERY = 4000;

const editionGone = (edition: string): GatewayError =>
  new GatewayError('NOT_FOUND', {
    message: `Cannot answer from the edition ${edition}: it is not stored any more`,
    suggestion:
      'An edition is stored for five minutes after it was replaced; leave edition out to use the current one',
  });

/** Share of the words that two statements have in common, from which one counts as a new wording of the other. */
const SAME_FROM = 0.4;

/**
 * What became of each statement of an answer in another one: pairs of equal texts first, then those with the most words in common, each
 * statement once.
 */
export function compareStatements(
  before: readonly Statement[],
  after: readonly Statement[],
): StatementChange[] {
  const earlier = before.map(({ text }) => wordsOf(text));
  const later = after.map(({ text }) => wordsOf(text));
  const pairs = later
    .flatMap((words, at) =>
      earlier.map((other, from) => ({ at, from, likeness: likenessOf(words, other) })),
    )
    .filter(({ likeness }) => likeness >= SAME_FROM)
    .sort((one, other) => other.likeness - one.likeness);
  const pairOf = new Map<number, { from: number; likeness: number }>();
  const taken = new Set<number>();
  for (const { at, from, likeness } of pairs) {
    if (pairOf.has(at) || taken.has(from)) continue;
    pairOf.set(at, { from, likeness });
    taken.add(from);
  }
  const ofLater = later.map((_, at): StatementChange => {
    const pair = pairOf.get(at);
    if (pair === undefined) return { change: 'added', after: at };
    return { change: pair.likeness === 1 ? 'kept' : 'changed', before: pair.from, after: at };
  });
  const removed = earlier.flatMap((_, from): StatementChange[] =>
    taken.has(from) ? [] : [{ change: 'removed', before: from }],
  );
  return [...ofLater, ...removed];
}

/** In order, so that a rewording of the same words is a change. */
const wordsOf = (text: string): readonly string[] =>
  writtenWords(text.toLowerCase())
    .slice(0, MAX_WORDS)
    .map(({ text: word }) => word);

const MAX_WORDS = 2000;

/** 1 only for the same words in the same order; otherwise the share in common (Jaccard), below 1. */
const likenessOf = (one: readonly string[], other: readonly string[]): number => {
  if (one.length === other.length && one.every((word, at) => word === other[at])) return 1;
  const [left, right] = [new Set(one), new Set(other)];
  const common = [...left].filter((word) => right.has(word)).length;
  const all = left.size + right.size - common;
  return all === 0 ? 0 : Math.min(ALMOST, common / all);
};

const ALMOST = 0.999;
