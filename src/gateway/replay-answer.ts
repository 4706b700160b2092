import type { Context } from 'hono';
import { type AnswerReplay, AnswerReplayRequest, KeptAnswer, ReplayedAnswer } from '../contract/answers.ts';
import { readingCapabilities } from '../delegation/delegated-limits.ts';
import type { Librarians } from '../delegation/librarian-directory.ts';
import { jsonAnswer, readJson } from '../runtime/json-http.ts';
import type { SignedClient } from '../runtime/signed-client.ts';
import { MAX_CAPABILITIES } from '../signing/limits.ts';
import { forwardOnceKept } from './answer-routes.ts';
import { type Asking, CONCIERGE } from './ask.ts';
import { demand, workspaceOf } from './authenticate.ts';
import { compareStatements } from './compare-answers.ts';
import { forward, jsonBytes } from './forward.ts';
import { errorOf, errorResponse, GatewayError } from './gateway-error.ts';
import { outcomeOf } from './keep-answers.ts';
import type { GatewayEnv } from './request-log.ts';

const READ = 'answers:read';
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
export const createReplay = ({ client, asking, librarians, now }: ReplayParts) => {
  return async (c: Context<GatewayEnv>): Promise<Response> => {
    const key = c.get('apiKey');
    demand(key, READ);
    const request = readJson(await jsonBytes(c), AnswerReplayRequest, { whenEmpty: {} });
    if (!request.ok) {
      throw new GatewayError('INVALID_QUERY', { message: request.problem, details: { issues: request.issues } });
    }
    const { edition, librarian, model = true, timeout_ms: timeoutMs = TIMEOUT_MS } = request.value;
    const namedWorkspace = c.req.query('workspace_id');
    const workspace = workspaceOf(key, namedWorkspace);
    const call = { workspace, namedWorkspace, signal: c.req.raw.signal };
    const path = `/v1/answers/${encodeURIComponent(c.req.param('id') ?? '')}`;
    // A replay is a POST; what is kept is read.
    const found = await forwardOnceKept(c, client, { ...call, method: 'GET', path, capabilities: [READ] });
    if (!found.ok) return found;
    const { question, understood_as: understood, ...before } = KeptAnswer.parse(await found.json());
    if (edition !== undefined) {
      const stored = { ...call, to: 'library', method: 'GET', path: `/editions/${edition}`, capabilities: ['kb:read'] };
      demand(key, 'kb:read');
      const { status } = await forward(c, client, stored);
      if (status === 404) throw editionGone(edition);
      c.set('outcome', undefined);
    }
    const query = (understood ?? question).slice(0, MAX_QUERY);
    const [only = CONCIERGE, ...more] = before.librarians;
    // Support answers messages, and no questions.
    const asked = librarian ?? (more.length === 0 && librarians.ids.includes(only) ? only : CONCIERGE);
    const startedAtMs = now();
    const ask = asking(
      c,
      {
        ...{ query, workspace_id: workspace, timeout_ms: timeoutMs, facts: false },
        ...{ librarian: edition === undefined ? asked : NAVIGATOR },
        ...(edition === undefined ? {} : { metadata: { edition } }),
      },
      {
        capabilities: [
          ...(readingCapabilities(key.capabilities) ?? key.capabilities).slice(0, MAX_CAPABILITIES - 1),
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
    const after = ReplayedAnswer.parse({ ...outcomeOf(response), duration_ms: now() - startedAtMs });
    const difference = compareStatements(before.statements, after.statements);
    return jsonAnswer({
      question: query,
      before: ReplayedAnswer.parse(before),
      after,
      difference,
    } satisfies AnswerReplay);
  };
};

/** The one that answers from editions. */
const NAVIGATOR = 'navigator';
/** A standalone question may be longer than a question. */
const MAX_QUERY = 4000;

const editionGone = (edition: string): GatewayError =>
  new GatewayError('NOT_FOUND', {
    message: `Cannot answer from the edition ${edition}: it is not stored any more`,
    suggestion: 'An edition is stored for five minutes after it was replaced; leave edition out to use the current one',
  });
