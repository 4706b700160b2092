import type {
  AIClient,
  Context,
  Librarian,
  LibrarianInfo,
} from '../../src/contract/core/librarian.ts';
import type { LibrarianResponse } from '../../src/contract/core/response.ts';
import { delegateTo } from '../../src/librarians/delegation/delegates.ts';
import { serveLibrarian } from '../../src/librarians/serve/serve-librarian.ts';
import { identityFrom } from '../../src/platform/context/identity.ts';
import { originate } from '../../src/platform/context/request-context.ts';
import { signedClient } from '../../src/platform/context/signed-client.ts';
import type { App } from '../platform/context/callers.ts';

/** An app, or a function that creates one with the model of the context. */
type Served = App | ((ai: AIClient | undefined) => App | Promise<App>);

/**
 * A function's app as a librarian: each question is a signed call of the gateway to `POST /librarians/{id}/ask`, as in the product, with
 * the metadata, the timeout and the signal of the context.
 */
export function servedLibrarian(
  id: string,
  served: Served,
  { capabilities = ['kb:read'] }: { capabilities?: readonly string[] } = {},
): Librarian {
  // Without a model, one app serves all questions, as in an isolate.
  let plain: App | Promise<App> | undefined;
  const appFor = (ai: AIClient | undefined): App | Promise<App> => {
    if (typeof served !== 'function') return served;
    if (ai !== undefined) return served(ai);
    plain ??= served(undefined);
    return plain;
  };
  return async (query, context) => {
    const app = await appFor(context?.ai);
    const target = { fetch: async (request: Request) => app.fetch(request) };
    const client = signedClient({
      ...(await identityBeside('gateway', id)),
      targets: { [id]: target },
      log: () => {},
    });
    const call = {
      to: id,
      path: `/librarians/${id}/ask`,
      body: bodyOf(query, context),
      signal: context?.signal,
    };
    const answer = await client.call(contextOf(context, capabilities), call);
    if (!answer.ok) return { error: answer.error };
    // The suite validates it.
    return answer.json() as LibrarianResponse;
  };
}

/** A librarian as its function serves it, with a navigator that it may delegate to and that answers everything. */
export async function servedBesideNavigator(
  librarian: Librarian,
  info: LibrarianInfo,
): Promise<Librarian> {
  const log = () => {};
  const navigator = serveLibrarian(
    async () => ({
      answer: 'Every 60 days.',
      sources: [{ name: 'care/descale.md' }],
      confidence: 0.9,
    }),
    { id: 'navigator', name: 'Navigator' },
    { ...(await identityBeside('navigator', info.id)), log },
  );
  const targets = delegateTo({
    navigator: { fetch: async (request: Request) => navigator.fetch(request) },
  });
  const app = serveLibrarian(librarian, info, {
    ...(await identityBeside(info.id, 'navigator')),
    targets,
    log,
  });
  return servedLibrarian(info.id, app, { capabilities: info.capabilities ?? [] });
}

/** The development identity of one librarian in a directory with another, which may be external. */
export function identityBeside(self: string, other: string) {
  return identityFrom({ ENVIRONMENT: 'development', CONTEXT_LOCAL_LIBRARIANS: other }, self);
}

const contextOf = (context: Context | undefined, capabilities: readonly string[]) =>
  originate({
    self: 'gateway',
    subject: context?.user?.id ?? 'user:u_conformance',
    workspace: context?.user?.workspaceId ?? 'default',
    authentication: 'key',
    capabilities,
    timeoutMs: context?.timeout,
    now: Date.now(),
  });

/** A query that JSON cannot represent is sent as `null`. */
const bodyOf = (query: unknown, context: Context | undefined): string => {
  const metadata = context?.metadata === undefined ? {} : { metadata: context.metadata };
  try {
    return JSON.stringify({ query, ...metadata });
  } catch {
    return JSON.stringify({ query: null, ...metadata });
  }
};
