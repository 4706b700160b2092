import type { AIClient, Context, Librarian } from '../../src/contract/librarian.ts';
import type { LibrarianResponse } from '../../src/contract/response.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { identityFrom } from '../../src/signing/identity.ts';
import { originate } from '../../src/signing/request-context.ts';
import type { App } from '../signing/callers.ts';

/** An app, or what makes one with the model of the context: an app gets its model when it is made. */
type Served = App | ((ai: AIClient | undefined) => App | Promise<App>);

/**
 * A function's app as a librarian: each question travels as a signed call of the gateway to `POST /librarians/{id}/ask`, as
 * it does in the product. Of the context, the metadata, the time and the signal travel with it.
 */
export const servedLibrarian = (
  id: string,
  served: Served,
  { capabilities = ['kb:read'] }: { capabilities?: readonly string[] } = {},
): Librarian => {
  // Without a model one app serves all questions, as in an isolate.
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
    const client = signedClient({ ...(await identityBeside('gateway', id)), targets: { [id]: target }, log: () => {} });
    const call = { to: id, path: `/librarians/${id}/ask`, body: bodyOf(query, context), signal: context?.signal };
    const answer = await client.call(contextOf(context, capabilities), call);
    if (!answer.ok) return { error: answer.error };
    // Checked by the suite, which is what this is for.
    return answer.json() as LibrarianResponse;
  };
};

/** The development identity of one librarian in a directory that has another, which need not be one of the house. */
export const identityBeside = (self: string, other: string) =>
  identityFrom({ ENVIRONMENT: 'development', CONTEXT_LOCAL_LIBRARIANS: other }, self);

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

/** What JSON cannot say cannot be asked over HTTP; it arrives as `null`. */
const bodyOf = (query: unknown, context: Context | undefined): string => {
  const metadata = context?.metadata === undefined ? {} : { metadata: context.metadata };
  try {
    return JSON.stringify({ query, ...metadata });
  } catch {
    return JSON.stringify({ query: null, ...metadata });
  }
};
