import type { Hono } from 'hono';
import { GAP_ROUTES } from '../../contract/routes/gaps.ts';
import {
  GapsErasureQuery,
  type KnowledgeGap,
  KnowledgeGapReport,
  type KnowledgeGapReported,
  KnowledgeGapReports,
  type KnowledgeGapsReported,
  KnowledgeGapsRequest,
  type KnowledgeGapsResponse,
} from '../../contract/wire/knowledge.ts';
import {
  type GapRecordPage,
  GapRecordsQuery,
  GapsRestore,
  type Restored,
} from '../../contract/wire/moving.ts';
import { type GapBooks, readGapCursor } from '../../knowledge/gaps/gap-book.ts';
import { waitUntilOf } from '../../platform/concurrency.ts';
import { mayReadAsked } from '../../platform/context/capabilities.ts';
import {
  type GuardedEnv,
  type GuardOptions,
  refuse,
} from '../../platform/context/context-guard.ts';
import { memoryReplayStore } from '../../platform/context/verify-context.ts';
import { jsonAnswer } from '../../platform/http/json-http.ts';
import { mountRoutes } from '../../platform/serve/mount-routes.ts';
import type { GapKeeper } from './gap-keeper.ts';

interface GapRouteParts {
  /** Id of the function that serves the routes. */
  guard: GuardOptions;
  books: Pick<GapBooks, 'of'>;
  keeper: Pick<GapKeeper, 'refresh' | 'report'>;
  /** Masks personal data that was stored when fewer patterns were masked. */
  mask: (text: string) => string;
  now?: (() => number) | undefined;
}

/** The gaps of the workspace of the verified context. */
export function gapRoutes(
  app: Hono<GuardedEnv>,
  { guard, books, keeper, mask, now = Date.now }: GapRouteParts,
): void {
  const masked = (gap: KnowledgeGap): KnowledgeGap => ({
    ...gap,
    gap: mask(gap.gap),
    missing: gap.missing === null ? null : mask(gap.missing),
    example_queries: gap.example_queries.map(mask),
  });
  const read = mountRoutes(app, ROUTES, guard);
  const change = mountRoutes(app, ROUTES, { ...guard, replay: memoryReplayStore() });
  change(
    'DELETE /v1/knowledge/gaps',
    {
      query: GapsErasureQuery,
      purpose: 'erase gaps',
      suggestion: 'Name the person as ?person_id=, or a gap as /v1/knowledge/gaps/{id}',
    },
    async (c, { query }) => {
      const { workspace, audiences } = c.get('context');
      return jsonAnswer({
        erased: await books.of(workspace).erasePerson(query.person_id, audiences),
      });
    },
  );
  change(
    'GET /v1/knowledge/gaps/records',
    { query: GapRecordsQuery, purpose: 'list gaps' },
    async (c, { query }) => {
      const { workspace, audiences } = c.get('context');
      const { gaps, ...page } = await books.of(workspace).records(query, audiences);
      const masked = gaps.map((each) => ({
        ...each,
        gap: mask(each.gap),
        examples: each.examples.map(({ message, subject, ...example }) => ({
          message: mask(message),
          subject: subject === null ? null : mask(subject),
          ...example,
        })),
      }));
      return jsonAnswer({ ...page, gaps: masked } satisfies GapRecordPage);
    },
  );
  change('PUT /v1/knowledge/gaps/records', { body: GapsRestore }, async (c, { body: { gaps } }) => {
    const { workspace, audiences } = c.get('context');
    if (gaps.some((gap) => !mayReadAsked(audiences, gap.audiences)))
      return refuse(c, 'UNAUTHORIZED', { message: NOT_HELD });
    const { restored, refused } = await books.of(workspace).restore(gaps, audiences);
    return jsonAnswer({
      restored,
      unchanged: gaps.length - restored - refused.length,
      refused: refused.map((id) => ({ id, reason: HIDDEN })),
    } satisfies Restored);
  });
  change('DELETE /v1/knowledge/gaps/{id}', {}, async (c, { path: { id } }) => {
    const { workspace, audiences } = c.get('context');
    if (await books.of(workspace).remove(id, audiences)) return c.body(null, 204);
    const message = 'Cannot delete this gap: there is none of that id';
    return refuse(c, 'NOT_FOUND', { message });
  });

  read('POST /v1/knowledge/gaps/reports', { body: KnowledgeGapReports }, async (c, { body }) => {
    const scope = { context: c.get('context'), waitUntil: waitUntilOf(c) };
    const reported: KnowledgeGapReported[] = [];
    for (const each of body) reported.push(await keeper.report(each, scope));
    return jsonAnswer({ reported } satisfies KnowledgeGapsReported);
  });
  read('POST /v1/knowledge/gaps', { body: KnowledgeGapReport }, async (c, { body }) => {
    const scope = { context: c.get('context'), waitUntil: waitUntilOf(c) };
    return jsonAnswer((await keeper.report(body, scope)) satisfies KnowledgeGapReported);
  });
  read('GET /v1/knowledge/gaps/{id}', {}, async (c, { path: { id } }) => {
    const context = c.get('context');
    await keeper.refresh({ context, waitUntil: waitUntilOf(c) });
    const gap = await books.of(context.workspace).read(id, now(), context.audiences);
    if (gap !== null) return jsonAnswer(masked(gap) satisfies KnowledgeGap);
    const message = 'Cannot show this gap: there is none of that id';
    return refuse(c, 'NOT_FOUND', { message });
  });
  read(
    'GET /v1/knowledge/gaps',
    { query: KnowledgeGapsRequest, purpose: 'list gaps' },
    async (c, { query: { question, ...query } }) => {
      if (query.cursor !== undefined && readGapCursor(query.cursor) === undefined)
        return refuse(c, 'INVALID_QUERY', { message: NO_CURSOR });
      const context = c.get('context');
      const edition = await keeper.refresh({ context, waitUntil: waitUntilOf(c) });
      const listed = await books.of(context.workspace).list({
        ...query,
        question: question === undefined ? undefined : mask(question),
        audiences: context.audiences,
        nowMs: now(),
      });
      return jsonAnswer({
        ...listed,
        gaps: listed.gaps.map(masked),
        edition: edition ?? null,
      } satisfies KnowledgeGapsResponse);
    },
  );
}

/** With the one that the gateway calls for questions that it could not answer; it is not reachable there. */
const ROUTES = {
  ...GAP_ROUTES,
  'POST /v1/knowledge/gaps/reports': {
    capability: 'support:analyze',
    body: 'KnowledgeGapReports',
  },
} as const;

const NOT_HELD = 'Cannot restore gaps: some were met with audiences that the key does not hold';
const HIDDEN =
  'Cannot restore the gap: the workspace has gaps that the key may not see; restore with a key for the audience *';
const NO_CURSOR = 'Cannot list gaps: cursor is not one that a page before has given';
