import type { Target } from './signed-client.ts';

/**
 * Every service binding of a function as a target, by the id of the librarian behind it: `WEB_SEARCH` is `web-search`.
 * Whatever else the environment holds (variables, stores) is left out.
 */
export const serviceTargets = (env: object): Record<string, Target> =>
  Object.fromEntries(
    Object.entries(env)
      .filter(([, binding]) => isFetcher(binding))
      .map(([name, binding]) => [idOf(name), { fetch: (request: Request) => (binding as Target).fetch(request) }]),
  );

const idOf = (binding: string): string => binding.toLowerCase().replaceAll('_', '-');

const isFetcher = (binding: unknown): boolean =>
  typeof binding === 'object' && binding !== null && 'fetch' in binding && typeof binding.fetch === 'function';
