import { Hono } from 'hono';
import { onTestFinished, vi } from 'vitest';
import type { Librarian } from '../../../src/contract/core/librarian.ts';
import type { DelegateRequest, LibrarianResponse } from '../../../src/contract/core/response.ts';
import { createCircuitBreakers } from '../../../src/librarians/delegation/circuit-breaker.ts';
import { createDelegates, delegateTo } from '../../../src/librarians/delegation/delegates.ts';
import {
  type ServeOptions,
  serveLibrarian,
} from '../../../src/librarians/serve/serve-librarian.ts';
import { contextGuard, type GuardedEnv } from '../../../src/platform/context/context-guard.ts';
import { identityFrom } from '../../../src/platform/context/identity.ts';
import { requestBudget } from '../../../src/platform/context/limits.ts';
import type { OriginContext, originate } from '../../../src/platform/context/request-context.ts';
import { signedClient, type Target } from '../../../src/platform/context/signed-client.ts';
import { notebook, userContext } from '../../platform/context/callers.ts';

type Origin = Parameters<typeof originate>[0];

type ServedLibrarian = Parameters<typeof serveLibrarian>[0];

type DelegateParts = Parameters<typeof createDelegates>[0];

/** One received call. */
export interface Arrival {
  from: string;
  to: string;
  body: { query: string; metadata?: Record<string, unknown> };
  /** Claims of the links, the caller's last. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever was signed
  links: any[];
}

export type Tamper = (
  to: string,
  request: Request,
  pass: () => Promise<Response>,
) => Response | Promise<Response>;

interface NetworkOptions {
  tamper?: Tamper | undefined;
  options?: Partial<ServeOptions>;
  now?: () => number;
}

/**
 * Librarians in memory that can all call one another, with real signatures. The gateway asks; every call passes `tamper` and is
 * recorded in `arrivals`.
 */
export async function network(
  librarians: Record<string, ServedLibrarian>,
  { tamper = (_to, _request, pass) => pass(), options = {}, now = Date.now }: NetworkOptions = {},
) {
  const ids = Object.keys(librarians);
  const variables = { ENVIRONMENT: 'development', CONTEXT_LOCAL_LIBRARIANS: ids.join() };
  const arrivals: Arrival[] = [];
  const { lines, log } = notebook();
  const apps = new Map<string, { fetch(request: Request): Response | Promise<Response> }>();
  const targetOf = (to: string): Target => ({
    fetch: async (request) => {
      const links = linksOf(request);
      arrivals.push({ from: links.at(-1).iss, to, links, body: await request.clone().json() });
      const app = apps.get(to);
      return tamper(
        to,
        request,
        async () => app?.fetch(request) ?? new Response(null, { status: 502 }),
      );
    },
  });
  const targets = Object.fromEntries([...ids, 'gateway'].map((id) => [id, targetOf(id)]));
  for (const [id, librarian] of Object.entries(librarians)) {
    const own = {
      ...(await identityFrom(variables, id)),
      targets: delegateTo(targets),
      log,
      now,
      ...options,
    };
    apps.set(id, serveLibrarian(librarian, { id, name: id }, own));
  }
  const identity = await identityFrom(variables, 'gateway');
  const client = signedClient({ ...identity, targets, log, now });
  const circuitBreakers = createCircuitBreakers();
  const { directory } = identity;
  const gateway = (context: OriginContext = userContext(), more: Partial<DelegateParts> = {}) =>
    createDelegates({
      client,
      directory,
      context,
      circuitBreakers,
      log,
      now,
      budget: requestBudget(context),
      query: 'Where is the key?',
      ...more,
    });
  /** Asks once as the gateway. */
  const ask = async (
    requests: DelegateRequest[],
    context?: OriginContext,
    more: Partial<DelegateParts> = {},
  ) => {
    const delegates = gateway(context, more);
    const branches = await delegates.ask(requests);
    const responses = branches.map(({ response }) => response);
    return { branches, responses, codes: codesOf(responses), delegates, trace: delegates.trace() };
  };
  return { ask, gateway, arrivals, lines, apps, client, directory, variables };
}

/**
 * Asks a new network once as the gateway.
 *
 * @param asking Limits of the context under `context`; what else a question has under `more`.
 */
export async function askOnce(
  librarians: Record<string, ServedLibrarian>,
  requests: DelegateRequest[] = [{ to: 'a' }],
  {
    context = {},
    more,
    ...options
  }: NetworkOptions & { context?: Partial<Origin>; more?: Partial<DelegateParts> } = {},
) {
  const made = await network(librarians, options);
  return { ...made, ...(await made.ask(requests, userContext(context), more)) };
}

export function says(answer: string): Librarian {
  return async () => ({ answer, confidence: 0.9 });
}

export function delegatesTo(...ids: string[]): Librarian {
  return async () => ({
    delegate: ids.length === 1 ? { to: ids[0] ?? '' } : ids.map((to) => ({ to })),
  });
}

/** A librarian that works with its delegates and answers `x`, or what the work returns. */
export function asks(
  work: (
    parts: Parameters<Extract<ServedLibrarian, { forRequest: unknown }>['forRequest']>[0],
  ) => Promise<LibrarianResponse | undefined>,
): ServedLibrarian {
  return { forRequest: (parts) => async () => (await work(parts)) ?? { answer: 'x' } };
}

export function fails(code: NonNullable<LibrarianResponse['error']>['code']): Librarian {
  return async () => ({ error: { code, message: 'It cannot be done' } });
}

/** Librarians `h1`, `h2` and so on, each of which delegates to the next. */
export function chainOf(length: number, last: Librarian = says('x')): Record<string, Librarian> {
  return Object.fromEntries(
    Array.from({ length }, (_, at) => [
      `h${at + 1}`,
      at + 1 === length ? last : delegatesTo(`h${at + 2}`),
    ]),
  );
}

const codesOf = (responses: LibrarianResponse[]) => responses.map(({ error }) => error?.code);

/** Stops all clocks until the end of the test, so that results do not depend on the speed of the machine. */
export function stopClocks() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** A librarian that never answers; `giveUp` advances the clock by its timeout, once it was asked. */
export function silence() {
  const asked = Promise.withResolvers<number>();
  const librarian: Librarian = (_, context) => {
    asked.resolve(context?.timeout ?? 0);
    return new Promise(() => undefined);
  };
  return { librarian, giveUp: async () => vi.advanceTimersByTime(await asked.promise) };
}

/** An app that answers with this body and a valid receipt. */
export async function signing(
  id: string,
  variables: Record<string, string>,
  body: string,
  init: ResponseInit = {},
) {
  const guard = contextGuard({
    ...(await identityFrom(variables, id)),
    access: 'signed',
    log: () => undefined,
  });
  return new Hono<GuardedEnv>()
    .use(guard)
    .post('/librarians/:id/ask', () => new Response(body === '' ? null : body, init));
}

const linksOf = (request: Request) =>
  (request.headers.get('Context-Token') ?? '')
    .split('~')
    .map((link) => JSON.parse(Buffer.from(link.split('.')[1] ?? '', 'base64url').toString()));
