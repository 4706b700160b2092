import type { Context, Hono } from 'hono';
import { CHECK_ROUTES } from '../../../contract/routes/checks.ts';
import { MAX_ARTICLE_BYTES } from '../../../contract/routes/http-route.ts';
import {
  CheckState,
  type KnowledgeCheck,
  KnowledgeCheckInput,
  type KnowledgeChecks,
  KnowledgeChecksPreview,
  type KnowledgeChecksPreviewed,
  KnowledgeChecksPut,
  KnowledgeChecksQuery,
  KnowledgeChecksRun,
  type KnowledgeChecksStarted,
  type KnowledgeCheckTried,
  MAX_CHECKS,
  MAX_PREVIEWED,
} from '../../../contract/wire/checks.ts';
import {
  type CheckBooks,
  questionKey,
  type StoredCheck,
} from '../../../knowledge/checks/check-book.ts';
import {
  audiencesIn,
  type EditionScope,
  editionFor,
} from '../../../knowledge/edition/current-edition.ts';
import type { DraftReader } from '../../../knowledge/edition/draft-edition.ts';
import type { Edition } from '../../../knowledge/edition/open-edition.ts';
import { mapBounded, turnOfOthers, waitUntilOf } from '../../../platform/concurrency.ts';
import {
  type GuardedEnv,
  type GuardOptions,
  refuse,
} from '../../../platform/context/context-guard.ts';
import { memoryReplayStore } from '../../../platform/context/verify-context.ts';
import { sha256, utf8 } from '../../../platform/encoding.ts';
import { timeToAnswer, withDeadline } from '../../../platform/http/deadline.ts';
import { jsonAnswer } from '../../../platform/http/json-http.ts';
import { mountRoutes } from '../../../platform/serve/mount-routes.ts';
import { searchesFor } from '../answer-question.ts';
import type { CheckOptionsFactory } from './check-options.ts';
import { CheckNotRun, runCheck } from './run-checks.ts';

interface CheckRouteParts {
  guard: GuardOptions;
  books: CheckBooks;
  editionFor: (scope: EditionScope) => Promise<Edition>;
  /** Opens the edition that an article would make. */
  readDraft: DraftReader;
  checkOptions: CheckOptionsFactory;
  now?: (() => number) | undefined;
}

/** How long a listing waits to learn which edition is current. */
const EDITION_MS = 1500;
/** A preview begins no further check after this. */
const PREVIEW_MS = 20_000;

type CheckContext = Context<GuardedEnv>;

/** The routes under `/v1/knowledge/checks`, for the workspace of the verified context. */
export function checkRoutes(
  app: Hono<GuardedEnv>,
  { guard, books, ...parts }: CheckRouteParts,
): void {
  const { now = Date.now } = parts;
  const read = mountRoutes(app, CHECK_ROUTES, guard);
  const change = mountRoutes(app, CHECK_ROUTES, {
    ...guard,
    replay: memoryReplayStore(),
    maxBodyBytes: MAX_ARTICLE_BYTES,
  });
  const bookOf = (c: CheckContext) => books(c.get('context').workspace);
  const scopeOf = (c: CheckContext) => ({ audiences: c.get('context').audiences, nowMs: now() });

  const listing = { query: KnowledgeChecksQuery, purpose: 'list checks' };
  read('GET /v1/knowledge/checks', listing, async (c, { query }) => {
    const scope = { context: c.get('context'), waitUntil: waitUntilOf(c) };
    // What is listed is true without it, and a run begins within a minute.
    const edition = await withDeadline(() => parts.editionFor(scope), {
      timeoutMs: EDITION_MS,
    }).catch(() => undefined);
    if (edition !== undefined) await bookOf(c).noteEdition(edition.id, now());
    const page = await bookOf(c).list(query, { ...scopeOf(c), edition: edition?.id });
    const checks = page.checks.map((check) => withTitle(check, edition));
    return jsonAnswer({ ...page, checks } satisfies KnowledgeChecks);
  });

  change('PUT /v1/knowledge/checks', taken(KnowledgeChecksPut), async (c, { body }) => {
    const audiences = await authorsAudiences(c, parts);
    const { checks: inputs, only_new: isOnlyNew } = body;
    const checks = await Promise.all(
      inputs.map(async ({ id: existingId, ...input }) => ({
        id: await idOf(input.question, audiences),
        existingId,
        input,
      })),
    );
    const readableAudiences = c.get('context').audiences;
    const result = await bookOf(c).put({
      checks,
      audiences,
      readableAudiences,
      isOnlyNew,
      nowMs: now(),
    });
    if ('missing' in result)
      return refuse(c, 'NOT_FOUND', { message: missingCheck(result.missing) });
    return 'full' in result
      ? refuse(c, 'INVALID_QUERY', { message: tooMany(result.full) })
      : jsonAnswer(result);
  });

  change('DELETE /v1/knowledge/checks/{id}', {}, async (c, { path: { id } }) => {
    if (await bookOf(c).remove(id, c.get('context').audiences)) return c.body(null, 204);
    const message = 'Cannot delete the check: there is no check of this id';
    return refuse(c, 'NOT_FOUND', { message });
  });

  change('POST /v1/knowledge/checks/run', taken(KnowledgeChecksRun), async (c) => {
    const checks = await bookOf(c).start(scopeOf(c));
    return jsonAnswer({ checks } satisfies KnowledgeChecksStarted, { status: 202 });
  });

  read('POST /v1/knowledge/checks/try', taken(KnowledgeCheckInput), async (c, { body }) => {
    const context = c.get('context');
    const searches = () => searchesFor(body.question);
    const edition = await parts.editionFor({ context, waitUntil: waitUntilOf(c), searches });
    const { options, settle } = parts.checkOptions.forCaller(c, () =>
      timeToAnswer(context.deadlineMs - now()),
    );
    try {
      const result = await runCheck(edition, body, options);
      return jsonAnswer({ ...result, edition: edition.id } satisfies KnowledgeCheckTried);
    } catch (error) {
      if (!(error instanceof CheckNotRun)) throw error;
      return refuse(c, 'SERVICE_UNAVAILABLE', { message: error.message });
    } finally {
      settle();
    }
  });

  // Its answers quote articles.
  change(
    'POST /v1/knowledge/checks/preview',
    taken(KnowledgeChecksPreview),
    async (c, { body }) => {
      const { workspace, audiences } = c.get('context');
      const storedChecks = await bookOf(c).readAll(audiences);
      // No edition is built for nothing.
      if (storedChecks.length === 0)
        return jsonAnswer({
          run: 0,
          omitted: 0,
          checks: [],
          more: 0,
        } satisfies KnowledgeChecksPreviewed);
      const draft = await parts.readDraft({ workspace, audiences }, body);
      if ('refusal' in draft) return refuse(c, 'INVALID_QUERY', { message: draft.refusal });
      const preview = await previewChecks(draft.edition, inOrderFor(storedChecks, body.id), {
        ...parts,
        now,
        workspace,
        signal: c.req.raw.signal,
      });
      return jsonAnswer(preview);
    },
  );
}

/** With the title of the article that it has to cite, where the caller may read that. */
const withTitle = (check: KnowledgeCheck, edition: Edition | undefined): KnowledgeCheck => {
  if (edition === undefined || check.cites === undefined) return check;
  const at = edition.findArticle(check.cites);
  return at < 0 ? check : { ...check, cites_title: edition.article(at).title.slice(0, 500) };
};

/** Those first that the article decides. */
const inOrderFor = (checks: readonly StoredCheck[], id: string): StoredCheck[] => {
  const isAbout = ({ input, last }: StoredCheck): boolean =>
    input.cites === id || last?.cites.some((article) => article.id === id) === true;
  return checks.toSorted((one, other) => Number(isAbout(other)) - Number(isAbout(one)));
};

const previewChecks = async (
  draft: Edition,
  checks: readonly StoredCheck[],
  {
    checkOptions,
    now,
    workspace,
    signal,
  }: Pick<CheckRouteParts, 'checkOptions'> & {
    now: () => number;
    workspace: string;
    signal: AbortSignal;
  },
): Promise<KnowledgeChecksPreviewed> => {
  const untilMs = now() + PREVIEW_MS;
  const results = await mapBounded(checks, async ({ input, audiences }) => {
    if (now() > untilMs || signal.aborted) return undefined;
    await turnOfOthers();
    const options = checkOptions.forNavigator(workspace, {
      timeLeftMs: () => untilMs - now(),
      signal,
    });
    return runCheck(editionFor(draft, audiences), input, options).catch((error: unknown) => {
      if (error instanceof CheckNotRun) return undefined;
      throw error;
    });
  });
  const previews = checks.flatMap(({ id, input, state }, at) => {
    const result = results[at];
    const isShown = state === 'red' || (state === 'green' && result?.state === 'red');
    return isShown && result !== undefined
      ? [{ ...input, id, was: CheckState.parse(state), ...result }]
      : [];
  });
  const run = results.filter((result) => result !== undefined).length;
  const firstPreviews = previews.slice(0, MAX_PREVIEWED);
  return {
    run,
    omitted: checks.length - run,
    checks: firstPreviews,
    more: previews.length - firstPreviews.length,
  };
};

/** The audiences of the author as far as they matter, sorted. */
const authorsAudiences = async (
  c: CheckContext,
  { editionFor, checkOptions }: Pick<CheckRouteParts, 'editionFor' | 'checkOptions'>,
) => {
  const { workspace, audiences } = c.get('context');
  if (audiences.length === 0) return [];
  const context = checkOptions.contextOf(workspace, audiences);
  const edition = await editionFor({ context, waitUntil: waitUntilOf(c) });
  return audiencesIn(edition, audiences).toSorted();
};

const ID_LENGTH = 22;

/** Equal for the same question of the same audiences. */
const idOf = async (question: string, audiences: readonly string[]): Promise<string> =>
  (await sha256(utf8(JSON.stringify([questionKey(question), ...audiences])))).slice(0, ID_LENGTH);

const tooMany = (surplus: number): string =>
  `Cannot store the checks: a workspace has at most ${MAX_CHECKS}, and these are ${surplus} too many. Delete some first`;

const missingCheck = (question: string): string =>
  `Cannot change the check of ${JSON.stringify(question)}: there is no check of this id. Omit the id to store a new one`;

/** A body, which may be empty where all its members are optional. */
const taken = <Body>(body: Body) => ({ body, whenEmpty: {} });
