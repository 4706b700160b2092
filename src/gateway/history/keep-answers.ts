import type { Context } from 'hono';
import * as z from 'zod';
import type { AskRequest, Progress } from '../../contract/core/ask.ts';
import { MemoryId, WorkspaceId } from '../../contract/core/names.ts';
import {
  DelegationTrace,
  degradedIn,
  isUnsure,
  type LibrarianResponse,
} from '../../contract/core/response.ts';
import {
  AnswerDetails,
  type AnswerInput,
  AnswerInterface,
  type AnswerTimings,
  type AnswerVerdict,
  INTERFACE_HEADER,
  MAX_KEPT_TOGETHER,
} from '../../contract/wire/answers.ts';
import { isDeclined } from '../../librarians/delegation/abstention.ts';
import { isNavigatorReply } from '../../librarians/delegation/reported.ts';
import { withMetadata } from '../../librarians/delegation/trace.ts';
import { waitUntilOf } from '../../platform/concurrency.ts';
import type { Budget } from '../../platform/context/limits.ts';
import { type OriginContext, originate } from '../../platform/context/request-context.ts';
import type { SignedClient } from '../../platform/context/signed-client.ts';
import { utf8 } from '../../platform/encoding.ts';
import { type Log, logLine } from '../../platform/log.ts';
import {
  environmentSettings,
  readSettings,
  type SettingsSchema,
  type Variables,
} from '../../platform/settings/settings.ts';
import { list } from '../../platform/settings/values.ts';
import type { GatewayEnv } from '../access/request-log.ts';
import { type Asker, createGatherer } from './gather.ts';
import { openQuestions, type ReportGaps } from './report-gaps.ts';

/** The answer to one question, which is kept once it has been given. */
interface KeptQuestion {
  /** Under which the answer will be found. */
  id: string;
  /** Notes that a stage has ended now. */
  ended(stage: Exclude<keyof AnswerTimings, 'total' | 'first_statement'>): void;
  /** Notes when the first statement leaves. */
  watched(progress: Progress): Progress;
  /** Names the answer in its response, and keeps it after that. Never throws, and never waits. */
  keep(response: LibrarianResponse, about: AboutAnswer): LibrarianResponse;
}

interface AboutAnswer {
  budget: Budget;
  understoodAs?: string | undefined;
  /** Intent of the message, from support. */
  intent?: string | undefined;
  /** Who answered; by the trace of the response when absent. */
  librarians?: readonly string[] | undefined;
}

interface KeepParts {
  client: SignedClient;
  /** Whether the answers of a workspace are kept. */
  keeps: (workspace: string) => boolean;
  /** Reports what was not answered; nothing when absent. Only where answers are kept, since questions are stored. */
  reportGaps?: ReportGaps | undefined;
  newId?: (() => string) | undefined;
  log?: Log | undefined;
  now?: (() => number) | undefined;
}

/** What is read of a request. */
type Asked = Pick<AskRequest, 'query' | 'metadata' | 'conversation_id'>;

/** Begins to keep the answer to a question; undefined where the workspace keeps none. */
export type KeepAnswers = (
  c: Context<GatewayEnv>,
  question: { request: Asked; context: OriginContext; startedAtMs: number; isStream: boolean },
) => KeptQuestion | undefined;

/**
 * Keeps answers in the memory function, after the response and in the name of the key's holder: those that an asker gets within a moment in
 * one call. What fails is logged without a word of the answer.
 */
export function createKeepAnswers(parts: KeepParts): KeepAnswers {
  const {
    client,
    keeps,
    reportGaps,
    newId = () => crypto.randomUUID(),
    log = logLine,
    now = Date.now,
  } = parts;
  const send = async (
    { workspace, subject, audiences, traceId, authentication }: Asker,
    writers: readonly (() => string)[],
  ): Promise<void> => {
    const answers = writers.map((write) => write());
    const context = originate({
      self: 'gateway',
      subject,
      workspace,
      audiences,
      authentication,
      traceId,
      capabilities: ['answers:keep:write'],
      timeoutMs: KEEP_MS,
      now: now(),
    });
    const reply = await client.call(context, {
      to: 'memory',
      path: '/v1/answers',
      body: `[${answers.join()}]`,
    });
    if (reply.ok && reply.status === 201) return;
    const code = reply.ok ? 'INTERNAL_ERROR' : reply.error.code;
    const why = reply.ok ? `: the memory function answered ${reply.status}` : '';
    const cause = `of ${answers.length} answers not all were kept${why}`;
    log({
      event: 'fault',
      time: now(),
      librarian: 'gateway',
      where: 'answers',
      code,
      trace_id: traceId,
      cause,
    });
  };
  /** Each as JSON, which is made when it is sent. */
  const keepSoon = createGatherer({ send, waitMs: GATHER_MS, limit: MAX_KEPT_TOGETHER });
  return (c, { request, context, startedAtMs, isStream }) => {
    if (!keeps(context.workspace)) return undefined;
    const id = newId();
    const origin = interfaceOf(c, isStream);
    const timings: AnswerTimings = { total: 0 };
    let stageFrom = startedAtMs;
    return {
      id,
      ended: (stage) => {
        timings[stage] = Math.max(0, now() - stageFrom);
        stageFrom = now();
      },
      watched: (progress) => (event) => {
        if (event.type === 'statement') timings.first_statement ??= now() - startedAtMs;
        progress(event);
      },
      keep: (response, { budget, understoodAs, intent, librarians }) => {
        timings.total = now() - startedAtMs;
        // An answer that comes in one piece is sent as statements now.
        if (isStream && response.answer !== undefined) timings.first_statement ??= timings.total;
        const answer = {
          duration_ms: timings.total,
          id,
          asked_at: new Date(startedAtMs).toISOString(),
          question: request.query,
          interface: origin,
          ...(understoodAs === undefined ? {} : { understood_as: understoodAs.slice(0, 8000) }),
          ...(request.conversation_id === undefined
            ? {}
            : { conversation_id: request.conversation_id }),
          ...personOf(request),
          asked_by: context.subject,
          budgets: { granted: context.budgets, spent: budget.spent() },
          timings,
        };
        const outcome = () => ({
          ...outcomeOf(response),
          ...(librarians === undefined ? {} : { librarians: [...librarians] }),
          ...(intent === undefined ? {} : { intent }),
        });
        waitUntilOf(c)(keepSoon(context, () => fitted({ ...answer, ...outcome() })));
        const verdict = verdictOf(response);
        // The support function records the gaps of messages itself.
        if (
          reportGaps !== undefined &&
          intent === undefined &&
          (verdict === 'declined' || verdict === 'hedged')
        ) {
          const { person_id: personId } = personOf(request);
          const open = openQuestions(
            { question: understoodAs ?? request.query, personId },
            response,
          );
          waitUntilOf(c)(reportGaps(context, open));
        }
        return withMetadata(response, { answer_id: id }) ?? response;
      },
    };
  };
}

const KEEP_MS = 5000;
/** How long an answer waits for others. */
const GATHER_MS = 100;

export const keepSettings = {
  ...environmentSettings,
  KEEP_ANSWERS: list({
    what: 'Workspaces whose [answers are kept](answers-kept.md)',
    item: WorkspaceId,
    allowed: 'ids of workspaces separated by commas, `all` or `none`',
    usual: (isLocal) => [isLocal ? 'all' : 'none'],
    otherwise: 'none; in development `all`',
  }),
} satisfies SettingsSchema;

/**
 * Whether the answers of a workspace are kept.
 *
 * @throws {SettingRefused} For a name that no workspace can have.
 */
export function readKeepAnswers(
  variables: Variables<typeof keepSettings>,
): (workspace: string) => boolean {
  const { KEEP_ANSWERS: names } = readSettings(keepSettings, variables);
  if (names.join() === 'all') return () => true;
  return names.join() === 'none' ? () => false : (workspace) => names.includes(workspace);
}

/** By the route of a protocol; else as the client names it, or by its key. */
export function interfaceOf(c: Context<GatewayEnv>, isStream: boolean): AnswerInterface {
  if (c.req.path === '/mcp') return 'mcp';
  if (c.req.path.startsWith('/a2a')) return 'a2a';
  const named = NamedInterface.safeParse(c.req.header(INTERFACE_HEADER));
  if (named.success) return named.data;
  if (c.get('apiKey').origins !== undefined) return 'widget';
  if (c.req.path.startsWith('/v1/chat/') || c.req.path === '/v1/responses') return 'chat';
  return isStream ? 'stream' : 'rest';
}

/** What a client may call itself. */
const NamedInterface = AnswerInterface.exclude(['ticket']);

const personOf = ({ metadata }: Asked): { person_id?: string } => {
  const person = MemoryId.safeParse(metadata?.person_id);
  return person.success ? { person_id: person.data } : {};
};

/** What is kept of a response. */
export function outcomeOf(response: LibrarianResponse) {
  const { answer, sources = [], confidence, error, metadata = {} } = response;
  const {
    trace,
    statements,
    closest,
    usage,
    answer_id: _id,
    explain: _explain,
    ...rest
  } = metadata;
  const read = Kept.parse({ trace, statements, closest, usage });
  const hops = read.trace?.hops ?? [];
  const answered = hops
    .filter(({ outcome }) => outcome === 'answer' || outcome === 'partial')
    .map(({ to }) => to);
  return {
    verdict: verdictOf(response),
    confidence: confidence ?? null,
    answer: answer ?? null,
    sources,
    librarians: [...new Set(answered)].slice(0, 16),
    edition: editionIn(rest),
    cached: isCached(rest),
    tokens: read.usage?.tokens ?? 0,
    cost_usd: read.usage?.cost_usd ?? 0,
    statements: read.statements ?? [],
    closest: read.closest ?? [],
    metadata: withoutAnswers(rest),
    ...(read.trace === undefined ? {} : { trace: read.trace }),
    ...(error === undefined
      ? {}
      : { error, ...(answer === undefined ? { code: error.code } : {}) }),
  };
}

/** A faulty member counts as absent. */
const Kept = z.object({
  trace: DelegationTrace.optional().catch(undefined),
  statements: AnswerDetails.shape.statements.optional().catch(undefined),
  closest: AnswerDetails.shape.closest.optional().catch(undefined),
  usage: z
    .object({ tokens: z.int().min(0), cost_usd: z.number().min(0).optional() })
    .optional()
    .catch(undefined),
});

const verdictOf = (response: LibrarianResponse): AnswerVerdict => {
  const { answer, confidence, partial, metadata } = response;
  if (answer === undefined) return 'error';
  if (metadata?.small_talk !== undefined)
    return metadata.small_talk === 'person' ? 'person' : 'closes';
  if (metadata?.clarifying === true) return 'clarifying';
  if (isDeclined(response)) return 'declined';
  // A source that could not be asked, such as embeddings, does not make an answer doubtful by itself.
  const isIncomplete = partial === true && degradedIn(metadata).length === 0;
  return isIncomplete || isUnsure(confidence) ? 'hedged' : 'answered';
};

type Metadata = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Metadata =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The edition of the librarian that reports one. */
/** The edition that a librarian's own reply names; null when none does. */
export function editionIn(metadata: Metadata): string | null {
  const [edition] = Object.values(metadata).flatMap((each) =>
    isObject(each) ? [each.edition] : [],
  );
  return typeof edition === 'string' && edition.length <= 128 ? edition : null;
}

const isCached = ({ cached }: Metadata): boolean => cached === true;

/** The text of the answer and its evidence are kept once, not again in the full reply of a librarian. */
const withoutAnswers = (metadata: Metadata): Metadata =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => {
      if (!isObject(value)) return [name, value];
      const { answer: _answer, ...rest } = value;
      if (!isNavigatorReply(value)) return [name, rest];
      const { sources: _sources, ...reply } = rest;
      return [name, reply];
    }),
  );

/** Largest answer that is kept, as JSON: 50,000 of them fit into one database, and as many as are kept together into one call. */
const MAX_KEPT_BYTES = 128_000;

/** Drops the largest parts until the rest may be kept, as JSON: the librarians' replies, proofs of the trace, quotes. */
const fitted = (answer: AnswerInput): string => {
  let fitting = answer;
  let json = JSON.stringify(fitting);
  for (const [omitted, without] of SMALLER) {
    if (utf8(json).length <= MAX_KEPT_BYTES) return json;
    fitting = { ...without(fitting), omitted: [...(fitting.omitted ?? []), omitted] };
    json = JSON.stringify(fitting);
  }
  return json;
};

const SMALLER: readonly (readonly [string, (answer: AnswerInput) => AnswerInput])[] = [
  ['metadata', (answer) => ({ ...answer, metadata: {} })],
  [
    'trace.receipt',
    ({ trace, ...rest }) =>
      trace === undefined
        ? rest
        : {
            ...rest,
            trace: { ...trace, hops: trace.hops.map(({ receipt: _, link: __, ...hop }) => hop) },
          },
  ],
  [
    'statements.quote',
    ({ statements, ...rest }) => ({
      ...rest,
      statements: statements.map(({ sources, ...statement }) => ({
        ...statement,
        sources: sources.map(({ quote: _, ...source }) => source),
      })),
    }),
  ],
  ['statements', (answer) => ({ ...answer, statements: [] })],
];
