import { originOfHost } from '../http/public-address.ts';
import type { Target } from '../runtime/signed-client.ts';
import type { KeyDirectory } from '../signing/key-directory.ts';

/**
 * Every service binding of a function as a target, by the id of the librarian behind it: `WEB_SEARCH` is `web-search`. Everything
 * else in the environment (variables, stores) is ignored.
 */
export const serviceTargets = (env: object): Record<string, Target> =>
  Object.fromEntries(
    Object.entries(env)
      .filter(([, binding]) => isFetcher(binding))
      .map(([name, binding]) => [name.toLowerCase().replaceAll('_', '-'), binding]),
  );

const isFetcher = (binding: unknown): binding is Target =>
  typeof binding === 'object' && binding !== null && 'fetch' in binding && typeof binding.fetch === 'function';

/**
 * The librarians that have a public host in the key directory, as targets over HTTPS. No address ever comes from a question, an answer or
 * a description. Localhost, in development, is called over HTTP.
 *
 * @param send Follows no redirect by itself: the request says so.
 */
export const httpsTargets = (
  directory: KeyDirectory,
  send: (request: Request) => Promise<Response> = fetch,
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
