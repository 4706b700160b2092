import type { KeyDirectory } from './key-directory.ts';
import { originOfHost } from './librarian-host.ts';
import type { Target } from './signed-client.ts';

/**
 * The librarians that the key directory gives a public host, as targets over HTTPS. Nothing else becomes one: no address
 * comes from a question, an answer or a description (signed context 10.1). On this machine, in development, over HTTP.
 *
 * @param send What fetches; redirects stay with whoever asked, as the request says.
 */
export const httpsTargets = (
  directory: KeyDirectory,
  send: (request: Request) => Promise<Response> = (request) => fetch(request),
): Record<string, Target> =>
  Object.fromEntries(
    directory.ids().flatMap((id) => {
      const host = directory.librarian(id)?.host;
      return host === undefined ? [] : [[id, targetAt(originOfHost(host), send)]];
    }),
  );

const targetAt = (origin: string, send: (request: Request) => Promise<Response>): Target => ({
  fetch: (request) => {
    const { pathname, search } = new URL(request.url);
    return send(new Request(`${origin}${pathname}${search}`, request));
  },
});
