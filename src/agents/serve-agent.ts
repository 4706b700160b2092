import type { Context as HonoContext } from 'hono';
import { AgentRequest } from '../contract/agent-response.ts';
import { HTTP_STATUS } from '../contract/error-info.ts';
import type { Context, Librarian } from '../contract/librarian.ts';
import { readAs } from '../contract/read-as.ts';
import { contextGuard, type GuardedEnv, refusal, requireCapability } from '../runtime/context-guard.ts';
import type { ErrorScene } from '../runtime/error-info-of.ts';
import { jsonAnswer } from '../runtime/json-answer.ts';
import { logLine } from '../runtime/log.ts';
import { readJson } from '../runtime/read-json.ts';
import { type RequestScope, type ServeOptions, serveLibrarian } from '../runtime/serve-librarian.ts';
import { waitUntilOf } from '../runtime/wait-until.ts';
import type { Agent, AgentProfile } from './agent.ts';
import { asLibrarianResponse } from './librarian-response.ts';
import { failureInfoOf, runAgent } from './run-agent.ts';

/**
 * Turns an agent into a function: `POST /librarians/{id}/ask` and `GET /librarians/{id}` as a librarian, and
 * `POST /v1/agents/{type}` in the envelope of seed 003, both behind the capabilities that its info names.
 *
 * As a librarian it takes its options from `metadata.options`.
 */
export const serveAgent = (agent: Agent, profile: AgentProfile, options: ServeOptions) => {
  const { type, info } = profile;
  const settings = { ...options, access: options.access ?? ('signed' as const), self: info.id };
  const librarian = { forRequest: (scope: RequestScope) => asLibrarian(agent, { profile, scope, options }) };
  const app = serveLibrarian(librarian, info, options);
  app.post(
    `/v1/agents/${type}`,
    contextGuard(settings),
    ...(info.capabilities ?? []).map(requireCapability),
    answering(agent, profile, options),
  );
  return app;
};

interface LibrarianParts {
  profile: AgentProfile;
  scope: RequestScope;
  options: ServeOptions;
}

const asLibrarian =
  (agent: Agent, { profile, scope, options }: LibrarianParts): Librarian =>
  async (query, context) => {
    const { now = Date.now } = options;
    const timeoutMs = timeFor(context?.timeout ?? scope.context.deadlineMs - now());
    const signal = context?.signal ?? new AbortController().signal;
    const call = { options: optionsOf(context), signal, timeoutMs, ai: context?.ai, scope };
    const scene = sceneOf(profile, { scope, options });
    return asLibrarianResponse(await runAgent(agent, query, { profile, call, scene, now }));
  };

const answering = (agent: Agent, profile: AgentProfile, options: ServeOptions) => {
  const { now = Date.now } = options;
  return async (c: HonoContext<GuardedEnv>): Promise<Response> => {
    const request = readJson(c.get('body'), AgentRequest);
    if (!request.ok) {
      c.set('outcome', 'INVALID_QUERY');
      return refusal('INVALID_QUERY', { librarian: profile.info.id, message: request.problem });
    }
    const scope: RequestScope = { context: c.get('context'), waitUntil: waitUntilOf(c) };
    const timeoutMs = timeFor(scope.context.deadlineMs - now());
    const { query, options: asked = {} } = request.value;
    const call = { options: asked, signal: c.req.raw.signal, timeoutMs, ai: options.ai, scope };
    const response = await runAgent(agent, query, { profile, call, scene: sceneOf(profile, { scope, options }), now });
    if (response.success) return jsonAnswer(response);
    const { code } = failureInfoOf(response);
    c.set('outcome', code);
    return jsonAnswer(response, { status: HTTP_STATUS[code] });
  };
};

/** Metadata comes from the caller: options that do not fit are left out, never an error. */
const optionsOf = (context: Context | undefined): Readonly<Record<string, unknown>> => {
  const read = readAs(AgentRequest.shape.options, context?.metadata?.options);
  return read.ok ? (read.value ?? {}) : {};
};

const sceneOf = (profile: AgentProfile, { scope, options }: Omit<LibrarianParts, 'profile'>): ErrorScene => {
  const { now = Date.now, log = logLine } = options;
  return { librarian: profile.info.id, where: 'agent', log, now: now(), traceId: scope.context.traceId };
};

/** Of the time that is left, what the agent gets: its failure still has to reach the caller. */
const timeFor = (remainingMs: number): number =>
  Math.max(0, Math.floor(remainingMs - Math.min(REPLY_RESERVE_MS, remainingMs / 10)));

const REPLY_RESERVE_MS = 20;
