import type { Hono } from 'hono';
import { describeIssues, readAs } from '../../contract/core/error-info.ts';
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
  contextGuard,
  type GuardedEnv,
  type GuardOptions,
  refusal,
  requireCapability,
} from '../../platform/context/context-guard.ts';
import { memoryReplayStore } from '../../platform/context/verify-context.ts';
import { jsonAnswer, readJson } from '../../platform/http/json-http.ts';
import { inAddress, suggestForm } from '../../platform/http/suggest-form.ts';
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

/**
 * `GET` and `POST /v1/knowledge/gaps`, `GET` and `DELETE /v1/knowledge/gaps/{id}`, `DELETE /v1/knowledge/gaps?person_id=`, and `GET` and `PUT
 * /v1/knowledge/gaps/records` to move them, for the workspace of the verified context.
 */
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
  const change = [
    contextGuard({ ...guard, replay: memoryReplayStore() }),
    requireCapability('support:gaps:write'),
  ] as const;
  app.delete('/v1/knowledge/gaps', ...change, async (c) => {
    const query = readAs(GapsErasureQuery, c.req.query());
    if (!query.ok) {
      c.set('outcome', 'INVALID_QUERY');
      const message = `Cannot erase gaps: ${describeIssues(query.issues)}`;
      const suggestion = 'Name the person as ?person_id=, or a gap as /v1/knowledge/gaps/{id}';
      return refusal('INVALID_QUERY', { librarian: guard.self, message, suggestion });
    }
    const { workspace, audiences } = c.get('context');
    const erased = await books.of(workspace).erasePerson(query.value.person_id, audiences);
    return jsonAnswer({ erased });
  });
  app.get(
    '/v1/knowledge/gaps/records',
    contextGuard(guard),
    requireCapability('support:gaps:write'),
    async (c) => {
      const query = readAs(GapRecordsQuery, c.req.query());
      if (!query.ok) {
        c.set('outcome', 'INVALID_QUERY');
        const message = `Cannot list gaps: ${describeIssues(query.issues)}`;
        const suggestion = suggestForm(GapRecordsQuery, query.issues, inAddress);
        return refusal('INVALID_QUERY', { librarian: guard.self, message, suggestion });
      }
      const { gaps, ...page } = await books
        .of(c.get('context').workspace)
        .records(query.value, c.get('context').audiences);
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
  app.put('/v1/knowledge/gaps/records', ...change, async (c) => {
    const request = readJson(c.get('body'), GapsRestore);
    if (!request.ok) {
      c.set('outcome', 'INVALID_QUERY');
      return refusal('INVALID_QUERY', {
        librarian: guard.self,
        message: request.problem,
        suggestion: request.suggestion,
      });
    }
    const { gaps } = request.value;
    const { audiences } = c.get('context');
    if (gaps.some((gap) => !mayReadAsked(audiences, gap.audiences))) {
      c.set('outcome', 'UNAUTHORIZED');
      return refusal('UNAUTHORIZED', { librarian: guard.self, message: NOT_HELD });
    }
    const { restored, refused } = await books
      .of(c.get('context').workspace)
      .restore(gaps, audiences);
    return jsonAnswer({
      restored,
      unchanged: gaps.length - restored - refused.length,
      refused: refused.map((id) => ({ id, reason: HIDDEN })),
    } satisfies Restored);
  });
  app.delete('/v1/knowledge/gaps/:id', ...change, async (c) => {
    const { workspace, audiences } = c.get('context');
    if (await books.of(workspace).remove(c.req.param('id'), audiences)) return c.body(null, 204);
    c.set('outcome', 'NOT_FOUND');
    return refusal('NOT_FOUND', {
      librarian: guard.self,
      message: 'Cannot delete this gap: there is none of that id',
    });
  });

  app.post(
    '/v1/knowledge/gaps/reports',
    contextGuard(guard),
    requireCapability('support:analyze'),
    async (c) => {
      const request = readJson(c.get('body'), KnowledgeGapReports);
      if (!request.ok) {
        c.set('outcome', 'INVALID_QUERY');
        return refusal('INVALID_QUERY', {
          librarian: guard.self,
          message: request.problem,
          suggestion: request.suggestion,
        });
      }
      const scope = { context: c.get('context'), waitUntil: waitUntilOf(c) };
      const reported: KnowledgeGapReported[] = [];
      for (const each of request.value) reported.push(await keeper.report(each, scope));
      return jsonAnswer({ reported } satisfies KnowledgeGapsReported);
    },
  );

  app.post(
    '/v1/knowledge/gaps',
    contextGuard(guard),
    requireCapability('support:analyze'),
    async (c) => {
      const request = readJson(c.get('body'), KnowledgeGapReport);
      if (!request.ok) {
        c.set('outcome', 'INVALID_QUERY');
        return refusal('INVALID_QUERY', {
          librarian: guard.self,
          message: request.problem,
          suggestion: request.suggestion,
        });
      }
      const scope = { context: c.get('context'), waitUntil: waitUntilOf(c) };
      return jsonAnswer((await keeper.report(request.value, scope)) satisfies KnowledgeGapReported);
    },
  );
  app.get(
    '/v1/knowledge/gaps/:id',
    contextGuard(guard),
    requireCapability('support:analyze'),
    async (c) => {
      const context = c.get('context');
      await keeper.refresh({ context, waitUntil: waitUntilOf(c) });
      const gap = await books
        .of(context.workspace)
        .read(c.req.param('id'), now(), context.audiences);
      if (gap !== null) return jsonAnswer(masked(gap) satisfies KnowledgeGap);
      c.set('outcome', 'NOT_FOUND');
      return refusal('NOT_FOUND', {
        librarian: guard.self,
        message: 'Cannot show this gap: there is none of that id',
      });
    },
  );
  app.get(
    '/v1/knowledge/gaps',
    contextGuard(guard),
    requireCapability('support:analyze'),
    async (c) => {
      const query = readAs(KnowledgeGapsRequest, c.req.query());
      if (!query.ok) {
        c.set('outcome', 'INVALID_QUERY');
        const message = `Cannot list gaps: ${describeIssues(query.issues)}`;
        const suggestion = suggestForm(KnowledgeGapsRequest, query.issues, inAddress);
        return refusal('INVALID_QUERY', { librarian: guard.self, message, suggestion });
      }
      const { state, days, limit, cursor, question } = query.value;
      if (cursor !== undefined && readGapCursor(cursor) === undefined) {
        c.set('outcome', 'INVALID_QUERY');
        return refusal('INVALID_QUERY', { librarian: guard.self, message: NO_CURSOR });
      }
      const context = c.get('context');
      const edition = await keeper.refresh({ context, waitUntil: waitUntilOf(c) });
      const listed = await books.of(context.workspace).list({
        state,
        days,
        limit,
        cursor,
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

const NOT_HELD = 'Cannot restore gaps: some were met with audiences that the key does not hold';
const HIDDEN =
  'Cannot restore the gap: the workspace has gaps that the key may not see; restore with a key for the audience *';
const NO_CURSOR = 'Cannot list gaps: cursor is not one that a page before has given';
