import { HTTP_STATUS } from '../contract/error-info.ts';
import { directoryCheck } from './directory-number.ts';
import { errorInfo } from './error-info-of.ts';
import { jsonAnswer } from './json-answer.ts';
import { describeCause, type Log, logLine, observeLog } from './log.ts';
import { type MetricsBindings, metricsLog } from './metrics.ts';

/** The part of a Hono app that the runtime calls. */
interface App<Env, Execution> {
  fetch(request: Request, env: Env, ctx: Execution): Response | Promise<Response>;
}

/**
 * The `fetch` of a function: builds its app once per environment object, which on Cloudflare lives as long as the isolate. If building
 * fails, because a key is missing or a directory has expired or is older than one that the function has had, it logs the cause and returns SERVICE_UNAVAILABLE; the next request
 * retries.
 */
export const serveApp = <Env extends object, Execution>(
  librarian: string,
  build: (env: Env) => Promise<App<Env, Execution>>,
  { log = logLine, now = Date.now }: { log?: Log; now?: () => number } = {},
) => {
  const built = new WeakMap<Env, Promise<App<Env, Execution>>>();
  const checkDirectory = directoryCheck(librarian, { log, now });
  const appFor = (env: Env): Promise<App<Env, Execution>> => {
    const known = built.get(env);
    if (known !== undefined) return known;
    observeLog(metricsLog(env as MetricsBindings, librarian)); // Both bindings are optional: any environment may have them.
    const building = build(env);
    built.set(env, building);
    building.catch(() => built.delete(env));
    return building;
  };
  return async (request: Request, env: Env, ctx: Execution): Promise<Response> => {
    const checked = async () => {
      const app = await appFor(env);
      // Not a part of building, which requests share: I/O ends with the request that began it.
      await checkDirectory(env);
      return app;
    };
    const app = await checked().catch((error: unknown) => {
      const cause = describeCause(error);
      log({ event: 'fault', time: now(), librarian, where: 'start', code: 'SERVICE_UNAVAILABLE', cause });
    });
    if (app !== undefined) return app.fetch(request, env, ctx);
    const error = errorInfo('SERVICE_UNAVAILABLE', { librarian });
    return jsonAnswer({ error }, { status: HTTP_STATUS.SERVICE_UNAVAILABLE, headers: { 'Retry-After': '5' } });
  };
};
