import type { Context, Hono } from 'hono';
import * as z from 'zod';
import { describeIssues, type ErrorCode, readAs } from '../../contract/core/error-info.ts';
import { Timestamp } from '../../contract/core/names.ts';
import { ANSWER_ROUTES } from '../../contract/routes/answers.ts';
import { OPERATIONS_ROUTES } from '../../contract/routes/operations.ts';
import {
  AnswerFeedbackRequest,
  AnswerId,
  AnswerInput,
  type AnswerStatistics,
  AnswerStatisticsQuery,
  AnswersErasureQuery,
  type AnswersPage,
  AnswersQuery,
  type KeptAnswer,
  MAX_KEPT_TOGETHER,
} from '../../contract/wire/answers.ts';
import { AuditEntry, type AuditPage, AuditQuery } from '../../contract/wire/audit.ts';
import { covers } from '../../platform/context/capabilities.ts';
import {
  type GuardedEnv,
  type GuardOptions,
  refuse,
} from '../../platform/context/context-guard.ts';
import { memoryReplayStore } from '../../platform/context/verify-context.ts';
import { jsonAnswer, readJson } from '../../platform/http/json-http.ts';
import { inAddress, suggestForm } from '../../platform/http/suggest-form.ts';
import { mountRoutes } from '../../platform/serve/mount-routes.ts';
import { rangeOf } from './answer-statistics.ts';
import { type AnswerListing, type RemoteAnswers, readAnswerCursor } from './answer-store.ts';

interface AnswerRouteParts {
  /** Id of the function that serves the routes. */
  guard: GuardOptions;
  /** The answers of a workspace. */
  answersOf: (workspace: string) => RemoteAnswers;
  mask: (text: string) => string;
  now?: (() => number) | undefined;
}

type AnswerContext = Context<GuardedEnv>;

/** Two times of one length that follow each other. */
const CountsQuery = z
  .strictObject({ before: Timestamp, from: Timestamp, to: Timestamp })
  .refine(
    ({ before, from, to }) =>
      before < from && Date.parse(to) - Date.parse(from) === Date.parse(from) - Date.parse(before),
    {
      message: 'names no two times of one length',
    },
  );

/** Answers in full: 128 KiB each. */
const MAX_ANSWER_INPUT = MAX_KEPT_TOGETHER * 131_072;

/** What the gateway has gathered; a gateway of an earlier version sends one. */
const GivenTogether = z.preprocess(
  (sent) => (Array.isArray(sent) ? sent : [sent]),
  z.array(z.unknown()).min(1).max(MAX_KEPT_TOGETHER),
);

/**
 * `/v1/answers`: the kept answers of the workspace of the verified context. `POST /v1/answers`, `GET /v1/answers-in-full` and
 * `GET /v1/answers-counted` are the gateway's own and not reachable at it.
 */
export function answerRoutes(
  app: Hono<GuardedEnv>,
  { guard, answersOf, mask, now = Date.now }: AnswerRouteParts,
): void {
  const replay = memoryReplayStore();
  const read = mountRoutes(app, ROUTES, guard);
  const erase = mountRoutes(app, ROUTES, { ...guard, replay });
  const internal = { ...guard, callers: ['gateway'], replay };
  const keep = mountRoutes(app, ROUTES, { ...internal, maxBodyBytes: MAX_ANSWER_INPUT });
  const note = mountRoutes(app, ROUTES, internal);
  const refused = (
    c: AnswerContext,
    code: ErrorCode,
    message: string,
    suggestion?: string | undefined,
  ): Response => refuse(c, code, { message, suggestion });
  const answersIn = (c: AnswerContext): RemoteAnswers => answersOf(c.get('context').workspace);
  const listingIn = (
    c: AnswerContext,
  ):
    | { ok: true; value: AnswerListing }
    | { ok: false; problem: string; suggestion?: string | undefined } => {
    const query = readAs(AnswersQuery, c.req.query());
    if (!query.ok) {
      const suggestion = suggestForm(AnswersQuery, query.issues, inAddress);
      return { ok: false, problem: describeIssues(query.issues), suggestion };
    }
    const { limit, cursor, format: _format, ...filter } = query.value;
    if (cursor !== undefined && readAnswerCursor(cursor) === undefined)
      return { ok: false, problem: NO_CURSOR };
    return { ok: true, value: { filter, limit, cursor, audiences: c.get('context').audiences } };
  };
  /** Undefined for a text that no answer can have. */
  const idIn = (path: { id: string }): string | undefined => AnswerId.safeParse(path.id).data;

  keep('POST /v1/answers', {}, async (c) => {
    const sent = readJson(c.get('body'), GivenTogether);
    if (!sent.ok) return refused(c, 'INVALID_QUERY', sent.problem, sent.suggestion);
    const read = sent.value.map((answer) => readAs(AnswerInput, answer));
    // One that cannot be read costs the others nothing.
    const answers = read.flatMap((answer) => (answer.ok ? [maskAnswer(answer.value, mask)] : []));
    if (answers.length > 0) await answersIn(c).keep(answers, c.get('context').audiences);
    const faulty = read.find((answer) => !answer.ok);
    if (faulty?.ok === false) return refused(c, 'INVALID_QUERY', describeIssues(faulty.issues));
    return jsonAnswer({ kept: answers.length }, { status: 201 });
  });
  read('GET /v1/answers', {}, async (c) => {
    const listing = listingIn(c);
    if (!listing.ok)
      return refused(
        c,
        'INVALID_QUERY',
        `Cannot list answers: ${listing.problem}`,
        listing.suggestion,
      );
    return jsonAnswer((await answersIn(c).list(listing.value)) satisfies AnswersPage);
  });
  read('GET /v1/answers-in-full', {}, async (c) => {
    const listing = listingIn(c);
    if (!listing.ok)
      return refused(
        c,
        'INVALID_QUERY',
        `Cannot export answers: ${listing.problem}`,
        listing.suggestion,
      );
    return jsonAnswer(await answersIn(c).full(listing.value));
  });
  read('GET /v1/answers-counted', {}, async (c) => {
    const query = readAs(CountsQuery, c.req.query());
    if (!query.ok)
      return refused(c, 'INVALID_QUERY', `Cannot count answers: ${describeIssues(query.issues)}`);
    const { before, from, to } = query.value;
    const [fromMs, middleMs, toMs] = [before, from, to].map((moment) => Date.parse(moment)) as [
      number,
      number,
      number,
    ];
    const range = { fromMs, toMs, bucketMs: middleMs - fromMs };
    return jsonAnswer(await answersIn(c).counts(range, c.get('context').audiences));
  });
  read(
    'GET /v1/answers/statistics',
    { query: AnswerStatisticsQuery, purpose: 'count answers' },
    async (c, { query }) => {
      const range = rangeOf(query, now());
      if (typeof range === 'string')
        return refused(c, 'INVALID_QUERY', `Cannot count answers: ${range}`);
      const { bucket: _bucket, ...filter } = query;
      const { audiences } = c.get('context');
      return jsonAnswer(
        (await answersIn(c).statistics(filter, range, audiences)) satisfies AnswerStatistics,
      );
    },
  );
  read('GET /v1/answers/{id}', {}, async (c, { path }) => {
    const id = idIn(path);
    const answer = id === undefined ? null : await answersIn(c).get(id, c.get('context').audiences);
    return answer === null
      ? refused(c, 'NOT_FOUND', NO_ANSWER, WHY_NONE)
      : jsonAnswer(answer satisfies KeptAnswer);
  });
  const judged = { body: AnswerFeedbackRequest };
  note('POST /v1/answers/{id}/feedback', judged, async (c, { body, path }) => {
    const { subject, capabilities, audiences } = c.get('context');
    const { value, comment, person_id: person } = body;
    const feedback = {
      value,
      at: new Date(now()).toISOString(),
      ...(comment === undefined ? {} : { comment: mask(comment).slice(0, MAX_COMMENT) }),
    };
    const by = { subject, mayJudgeAll: covers(capabilities, 'answers:read'), audiences, person };
    const id = idIn(path);
    const isStored = id !== undefined && (await answersIn(c).judge(id, feedback, by));
    return isStored
      ? jsonAnswer({ feedback })
      : refused(c, 'NOT_FOUND', NO_ANSWER_OF_CALLER, WHY_NONE);
  });
  note('POST /v1/audit', { body: AuditEntry }, async (c, { body }) => {
    await answersIn(c).noteAct(body);
    return jsonAnswer({ noted: 1 }, { status: 201 });
  });
  read('GET /v1/audit', { query: AuditQuery, purpose: 'list acts' }, async (c, { query }) => {
    if (query.cursor !== undefined && readAnswerCursor(query.cursor) === undefined)
      return refused(c, 'INVALID_QUERY', `Cannot list acts: ${NO_CURSOR}`);
    return jsonAnswer((await answersIn(c).acts(query)) satisfies AuditPage);
  });
  erase(
    'DELETE /v1/answers',
    { query: AnswersErasureQuery, purpose: 'erase answers', suggestion: HOW_TO_ERASE },
    async (c, { query }) =>
      jsonAnswer({ erased: await answersIn(c).erase(query, c.get('context').audiences) }),
  );
  erase('DELETE /v1/answers/{id}', {}, async (c, { path }) => {
    const id = idIn(path);
    const isGone = id !== undefined && (await answersIn(c).remove(id, c.get('context').audiences));
    return isGone ? c.body(null, 204) : refused(c, 'NOT_FOUND', NO_ANSWER, WHY_NONE);
  });
}

/** With those that the gateway alone calls. */
const ROUTES = {
  ...ANSWER_ROUTES,
  'GET /v1/audit': OPERATIONS_ROUTES['GET /v1/audit'],
  'POST /v1/audit': { capability: 'audit:keep:write', body: 'AuditEntry' },
  'POST /v1/answers': { capability: 'answers:keep:write' },
  'GET /v1/answers-in-full': { capability: 'answers:read' },
  'GET /v1/answers-counted': { capability: 'answers:read' },
} as const;

const MAX_COMMENT = 500;
const NO_CURSOR = 'cursor is not one that a page before has given';
const NO_ANSWER = 'Cannot find this answer: none of that id is kept in this workspace';
const NO_ANSWER_OF_CALLER =
  'Cannot take the feedback: no answer of that id to this caller is kept in this workspace';
const WHY_NONE =
  'Use metadata.answer_id of a Response; answers are kept where KEEP_ANSWERS names the workspace, until they expire or are erased';
const HOW_TO_ERASE =
  'Name one of ?person_id=, ?conversation_id= and ?before=, or an answer as /v1/answers/{id}';

/**
 * An answer without personal data and secrets in its texts. A quote with offsets stays as it is, since it is the text of an article; so do
 * ids, signatures and names of members.
 */
export function maskAnswer(answer: AnswerInput, mask: (text: string) => string): AnswerInput {
  const {
    question,
    understood_as: understood,
    answer: text,
    statements,
    sources,
    closest,
    error,
    metadata,
    ...rest
  } = answer;
  const inside = (value: unknown): unknown => maskInside(value, mask);
  const words = withoutWords(wordsMasked(question, mask));
  return {
    ...rest,
    question: cut(mask(question), 4000),
    ...(understood === undefined ? {} : { understood_as: cut(mask(understood), 8000) }),
    answer: text === null ? null : cut(mask(text), 32_000),
    // Masking replaces texts by texts; all else keeps its shape.
    statements: inside(statements) as typeof statements,
    sources: inside(sources) as typeof sources,
    closest: inside(closest) as typeof closest,
    ...(error === undefined ? {} : { error: inside(error) as typeof error }),
    metadata: maskInside(metadata, (part) => words(mask(part))) as typeof metadata,
  };
}

/** Words of a text that its masked form lacks: what librarians say about the words of a question would repeat them. */
const wordsMasked = (text: string, mask: (text: string) => string): ReadonlySet<string> => {
  const left = new Set(wordsOf(mask(text)));
  return new Set(wordsOf(text).filter((word) => !left.has(word)));
};

const wordsOf = (text: string): string[] => text.toLowerCase().match(WORD) ?? [];
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

/** Replaces words and the stems that a search made of them. */
const withoutWords =
  (masked: ReadonlySet<string>) =>
  (text: string): string =>
    masked.size === 0
      ? text
      : text.replace(WORD, (word) => (isOf(word.toLowerCase(), masked) ? '[masked]' : word));

const isOf = (word: string, masked: ReadonlySet<string>): boolean =>
  masked.has(word) ||
  (word.length >= SHORTEST_STEM && [...masked].some((each) => each.startsWith(word)));

const SHORTEST_STEM = 4;

const maskInside = (value: unknown, mask: (text: string) => string): unknown => {
  if (typeof value === 'string') return withinLength(mask(value), value.length);
  if (Array.isArray(value)) return value.map((each) => maskInside(each, mask));
  if (typeof value !== 'object' || value === null) return value;
  const isOfArticle = 'quote' in value && 'start' in value && 'end' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      (isOfArticle && name === 'quote') || AS_THEY_ARE.has(name)
        ? member
        : maskInside(member, mask),
    ]),
  );
};

/** Addresses and ids of articles, and the codes of the contract. */
const AS_THEY_ARE = new Set(['url', 'file', 'id', 'edition', 'code', 'librarian']);

/** A long text may be at the upper bound of its member, and a placeholder longer than what it replaces. */
const withinLength = (masked: string, length: number): string =>
  length < LONG ? masked : cut(masked, length);
const LONG = 400;

/** Never within a surrogate pair. */
const cut = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
