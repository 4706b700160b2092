import type { Context } from 'hono';
import * as z from 'zod';
import { describeIssues, readAs } from '../contract/core/error-info.ts';
import type { HttpRoute } from '../contract/routes/http-route.ts';
import { ROUTES, type RouteName } from '../contract/routes/http-routes.ts';
import { AnswersPage } from '../contract/wire/answers.ts';
import { KnowledgeChecks } from '../contract/wire/checks.ts';
import { KnowledgeGapsResponse, KnowledgeHealth } from '../contract/wire/knowledge.ts';
import {
  OVERVIEW_LISTED,
  type Overview,
  OverviewQuery,
  QuestionCounts,
} from '../contract/wire/overview.ts';
import { TicketsResponse } from '../contract/wire/tickets.ts';
import { readingCapabilities } from '../librarians/delegation/call.ts';
import { covers } from '../platform/context/capabilities.ts';
import type { SignedClient } from '../platform/context/signed-client.ts';
import { inAddress, suggestForm } from '../platform/http/suggest-form.ts';
import { faultLogger, type Log } from '../platform/log.ts';
import { workspaceOf } from './access/authenticate.ts';
import { forward } from './access/forward.ts';
import { GatewayError } from './access/gateway-error.ts';
import type { GatewayEnv } from './access/request-log.ts';

interface OverviewParts {
  client: SignedClient;
  /** Whether the answers of a workspace are kept. */
  keeps?: ((workspace: string) => boolean) | undefined;
  log: Log;
  now: () => number;
}

/** Reads a route in the name of the caller; rejects when it cannot be read just now. */
type Read = <Schema extends z.ZodType>(
  route: RouteName,
  schema: Schema,
  query?: Record<string, string | number>,
  /** At the function, where it is another path than the route's. */
  path?: string,
) => Promise<z.output<Schema>>;

const DAY_MS = 86_400_000;
/** A part that takes longer is reported as unread. */
const PART_TIMEOUT_MS = 5000;

/**
 * `GET /v1/overview`: what was asked in some days, what was not answered, what to look at. Each part is what its own
 * route shows to this key, so that no number counts what the caller may not read.
 */
export function createOverview({ client, keeps, log, now }: OverviewParts) {
  const logFault = faultLogger('gateway', log);
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const { workspace_id: namedWorkspace, ...parameters } = c.req.query();
    const query = readAs(OverviewQuery, parameters);
    if (!query.ok)
      throw new GatewayError('INVALID_QUERY', {
        message: `Cannot read the overview: ${describeIssues(query.issues)}`,
        suggestion: suggestForm(OverviewQuery, query.issues, inAddress),
      });
    const workspace = workspaceOf(c.get('apiKey'), namedWorkspace);
    const { days } = query.value;
    const at = now();
    const [from, to, before] = [at - days * DAY_MS, at, at - 2 * days * DAY_MS].map((ms) =>
      new Date(ms).toISOString(),
    ) as [string, string, string]; // as many as are mapped
    const timeLeftMs = () => Math.max(1, at + PART_TIMEOUT_MS - now());
    const read = readerFor(c, client, { workspace, timeLeftMs });
    const isKept = keeps?.(workspace) ?? false;
    const unread: Overview['unread'] = [];
    const part = partReader(c, { unread, logFault });
    const [answers, gaps, articles, tickets, checks] = await Promise.all([
      part('answers', 'GET /v1/answers', () => answersOf(read, { from, to, before, isKept })),
      part('gaps', 'GET /v1/knowledge/gaps', () => gapsOf(read, days)),
      part('articles', 'GET /v1/knowledge/health', () => articlesOf(read)),
      part('tickets', 'GET /v1/support/tickets', () => ticketsOf(read)),
      part('checks', 'GET /v1/knowledge/checks', () => checksOf(read)),
    ]);
    // A part that failed is named in the reply.
    c.set('outcome', undefined);
    c.set('answeredBy', undefined);
    return c.json({
      from,
      to,
      before,
      answers,
      gaps,
      articles,
      tickets,
      checks,
      unread,
    } satisfies Overview);
  };
}

interface PartOptions {
  /** Gets what could not be read. */
  unread: Overview['unread'];
  logFault: ReturnType<typeof faultLogger>;
}

/** Makes a part of what a route shows; null, and named as unread, when it cannot be read. */
const partReader =
  (c: Context<GatewayEnv>, { unread, logFault }: PartOptions) =>
  async <Value>(
    name: Overview['unread'][number]['part'],
    route: RouteName,
    make: () => Promise<Value>,
  ): Promise<Value | null> => {
    const missing = missingFor(c, route);
    if (missing !== undefined) {
      unread.push({ part: name, missing });
      return null;
    }
    try {
      return await make();
    } catch (error) {
      logFault(`overview ${name}`, error);
      unread.push({ part: name });
      return null;
    }
  };

/** The capability of a route that the caller's key lacks. */
const missingFor = (c: Context<GatewayEnv>, route: RouteName): string | undefined => {
  const { capability }: HttpRoute = ROUTES[route];
  return capability === undefined || covers(c.get('apiKey').capabilities, capability)
    ? undefined
    : capability;
};

const readerFor = (
  c: Context<GatewayEnv>,
  client: SignedClient,
  { workspace, timeLeftMs }: { workspace: string; timeLeftMs: () => number },
): Read => {
  const keyCapabilities = c.get('apiKey').capabilities;
  return async (route, schema, query = {}, path = route.split(' ')[1] ?? '') => {
    const { capability = '', function: to = '' }: HttpRoute = ROUTES[route];
    const address = new URLSearchParams(
      Object.entries(query).map(([name, value]) => [name, String(value)]),
    ).toString();
    // Gaps and health read the articles, too.
    const capabilities = capability.endsWith(':write')
      ? [capability]
      : (readingCapabilities(keyCapabilities) ?? keyCapabilities);
    const response = await forward(c, client, {
      to,
      path: address === '' ? path : `${path}?${address}`,
      workspace,
      capabilities: [...new Set([capability, ...capabilities])],
      timeoutMs: timeLeftMs(),
      signal: c.req.raw.signal,
    });
    if (!response.ok) throw new Error(`Cannot read ${route}: the status is ${response.status}`);
    const value = readAs(schema, await response.json());
    if (!value.ok) throw new Error(`Cannot read ${route}: its reply has another form`);
    return value.value;
  };
};

interface Days {
  from: string;
  to: string;
  before: string;
  isKept: boolean;
}

const Counts = z.tuple([QuestionCounts, QuestionCounts]);

const answersOf = async (
  read: Read,
  { from, to, before, isKept }: Days,
): Promise<Overview['answers']> => {
  const [[countsBefore, counts], dislikedPage] = await Promise.all([
    read('GET /v1/answers', Counts, { before, from, to }, '/v1/answers-counted'),
    read('GET /v1/answers', AnswersPage, { feedback: 'down', from, to, limit: OVERVIEW_LISTED }),
  ]);
  const { interfaces, ...questions } = counts;
  const { interfaces: _, ...questionsBefore } = countsBefore;
  return {
    are_kept: isKept,
    now: questions,
    before: questionsBefore,
    interfaces,
    disliked: dislikedPage.answers,
  };
};

const gapsOf = async (read: Read, days: number): Promise<Overview['gaps']> => {
  const list = (query: Record<string, string | number>) =>
    read('GET /v1/knowledge/gaps', KnowledgeGapsResponse, { limit: OVERVIEW_LISTED, ...query });
  // The first listing retries open gaps with a new edition; the others then find that done.
  const openGaps = await list({ state: 'open', limit: 1 });
  const [askedGaps, closedGaps] = await Promise.all([
    list({ state: 'open', days }),
    list({ state: 'closed', days }),
  ]);
  return {
    open: openGaps.total,
    asked: askedGaps.total,
    most_asked: askedGaps.gaps,
    closed: closedGaps.total,
    last_closed: closedGaps.gaps,
  };
};

const articlesOf = async (read: Read): Promise<Overview['articles']> => {
  const { articles, counts, findings } = await read('GET /v1/knowledge/health', KnowledgeHealth);
  return { articles, counts, findings: firstOfEach(findings).slice(0, OVERVIEW_LISTED) };
};

/** One of each kind, then the second of each, and so on: many of one kind do not hide the others. */
const firstOfEach = <Finding extends { kind: string }>(findings: readonly Finding[]): Finding[] => {
  const kinds = [...Map.groupBy(findings, ({ kind }) => kind).values()];
  const longest = Math.max(0, ...kinds.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => kinds.flatMap((kind) => kind[at] ?? [])).flat();
};

const ticketsOf = async (read: Read): Promise<Overview['tickets']> => {
  const count = (query: Record<string, string>) =>
    read('GET /v1/support/tickets', TicketsResponse, { ...query, limit: 1 });
  const [openTickets, failedTickets, waitingTickets] = await Promise.all([
    count({ state: 'open' }),
    count({ state: 'dead' }),
    count({ state: 'done', outcome: 'waiting' }),
  ]);
  return {
    open: openTickets.total,
    failed: failedTickets.total,
    waiting: waitingTickets.total,
  };
};

const checksOf = async (read: Read): Promise<Overview['checks']> =>
  (await read('GET /v1/knowledge/checks', KnowledgeChecks, { limit: 1 })).counts;
