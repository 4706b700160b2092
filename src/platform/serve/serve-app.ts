import { HTTP_STATUS } from '../../contract/core/error-info.ts';
import { errorInfo } from '../context/error-info-of.ts';
import { type IdentityVariables, identityFrom, identitySettings } from '../context/identity.ts';
import { DirectoryRefused } from '../context/key-directory.ts';
import { waitAtMost } from '../http/deadline.ts';
import { jsonAnswer } from '../http/json-http.ts';
import { describeCause, type Log, logLine, observeLog } from '../log.ts';
import { type MetricsBindings, metricsLog } from '../metrics.ts';
import { attemptSettings, readSettings } from '../settings/settings.ts';

/** The part of a Hono app that the runtime calls. */
interface App<Env, Execution> {
  fetch(request: Request, env: Env, ctx: Execution): Response | Promise<Response>;
}

/**
 * The `fetch` of a function: builds its app once per environment object, which on Cloudflare lives as long as the isolate. If building
 * fails, because a key is missing or a directory has expired or is older than one that the function has had, it logs the cause and returns SERVICE_UNAVAILABLE; the next request
 * retries.
 */
export function serveApp<Env extends object, Execution>(
  librarian: string,
  build: (env: Env) => Promise<App<Env, Execution>>,
  { log = logLine, now = Date.now }: { log?: Log; now?: () => number } = {},
) {
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
      log({
        event: 'fault',
        time: now(),
        librarian,
        where: 'start',
        code: 'SERVICE_UNAVAILABLE',
        cause,
      });
    });
    if (app !== undefined) return app.fetch(request, env, ctx);
    const error = errorInfo('SERVICE_UNAVAILABLE', { librarian });
    return jsonAnswer(
      { error },
      { status: HTTP_STATUS.SERVICE_UNAVAILABLE, headers: { 'Retry-After': '5' } },
    );
  };
}

/** Most time that the first request of an isolate waits, and the time until the question is repeated. Milliseconds. */
const WAIT_MS = 1000;
const AGAIN_MS = 60_000;

/**
 * Refuses a key directory whose number has fallen back, as then keys and librarians that were removed would be trusted again. The numbers
 * are in the object of the counters. Asked once per isolate, when its first request arrives: variables change with a deployment only, which
 * starts new isolates. Without the binding, or while the object does not answer, the directory counts.
 *
 * @returns Throws {DirectoryRefused} for an environment with an older directory.
 */
const directoryCheck = (librarian: string, { log, now }: { log: Log; now: () => number }) => {
  const verdicts = new WeakMap<object, Verdict>();
  return async (env: IdentityVariables & MetricsBindings): Promise<void> => {
    let verdict = verdicts.get(env);
    if (verdict === undefined || verdict.untilMs <= now()) {
      verdict = await judge(env, { librarian, log, now });
      verdicts.set(env, verdict);
    }
    if (verdict.refused !== undefined) throw verdict.refused;
  };
};

interface Verdict {
  untilMs: number;
  refused?: DirectoryRefused;
}

const judge = async (
  env: IdentityVariables & MetricsBindings,
  { librarian, log, now }: { librarian: string; log: Log; now: () => number },
): Promise<Verdict> => {
  const { COUNTERS } = env;
  const { value: settings } = attemptSettings(() => readSettings(identitySettings, env));
  if (COUNTERS === undefined || settings?.CONTEXT_DIRECTORY === undefined)
    return { untilMs: Infinity };
  const { CONTEXT_DIRECTORY_ROOT: root = '' } = settings;
  // A function that cannot read its directory refuses by itself what needs one.
  const identity = await identityFrom(env, librarian).catch(() => undefined);
  if (identity === undefined) return { untilMs: now() + AGAIN_MS };
  const { sequence } = identity.directory;
  try {
    const numbers = COUNTERS.getByName('deployment');
    const highest = await waitAtMost(
      numbers.raiseDirectory({ function: librarian, root, sequence }),
      WAIT_MS,
      undefined,
    );
    if (highest === undefined) throw new Error(`no reply within ${WAIT_MS} ms`);
    if (highest <= sequence) return { untilMs: Infinity };
    const why = `it is number ${sequence}, and ${librarian} has had number ${highest}: what was removed since would be trusted again`;
    const refused = new DirectoryRefused(
      `Cannot use the key directory: ${why}. Deploy number ${highest}, or run npx constellation keys renew until its number is higher, and deploy`,
    );
    return { untilMs: now() + AGAIN_MS, refused };
  } catch (error) {
    const cause = describeCause(error);
    log({
      event: 'fault',
      time: now(),
      librarian,
      where: 'directory number',
      code: 'SERVICE_UNAVAILABLE',
      cause,
    });
    return { untilMs: now() + AGAIN_MS };
  }
};
