import type { Context } from 'hono';
import { type ErrorCode, readAs } from '../contract/core/error-info.ts';
import type { MEMORY_ROUTES } from '../contract/routes/memory.ts';
import {
  type ContextError,
  ContextRankerPut,
  type ContextRankers,
  ContextTemplate,
  ContextTemplatePut,
  type ContextTemplates,
  RankerWeights,
  type Result,
  SettingName,
  type WireContextOptions,
} from '../contract/wire/context-engine.ts';
import { type GuardedEnv, refusal } from '../platform/context/context-guard.ts';
import { errorInfo } from '../platform/context/error-info-of.ts';
import { CodedError } from '../platform/http/coded-error.ts';
import { withDeadline } from '../platform/http/deadline.ts';
import { errorHeaders, jsonAnswer, readJson } from '../platform/http/json-http.ts';
import type { mountRoutes } from '../platform/serve/mount-routes.ts';
import { readStored } from '../platform/storage/sql.ts';
import { StoreUnavailable } from '../platform/storage/store-unavailable.ts';
import { DEFAULT_RANKINGS } from './context-engine/ranker.ts';
import { DEFAULT_TEMPLATES } from './context-engine/registry.ts';
import { MAX_SETTINGS, type RemoteLedger, type SettingKind } from './store/remote-memory.ts';

/** The templates or rankers of one workspace, validated when they are stored; one that is damaged, or that this version refuses, is omitted. */
const readAll = async <T>(
  kind: SettingKind,
  ledger: RemoteLedger,
  { signal, read }: { signal: AbortSignal; read: (json: string) => T | undefined },
): Promise<[string, T][]> => {
  const stored = await withDeadline(() => ledger.settings(kind), {
    signal,
    reason: 'the ledger did not answer',
  });
  return stored.flatMap(({ name, value }) => {
    const setting = read(value);
    return setting === undefined ? [] : [[name, setting]];
  });
};

const templatesIn = (
  ledger: RemoteLedger,
  signal: AbortSignal,
): Promise<[string, ContextTemplate][]> =>
  readAll('template', ledger, { signal, read: (json) => readStored(ContextTemplate, json) });
const rankersIn = (ledger: RemoteLedger, signal: AbortSignal): Promise<[string, RankerWeights][]> =>
  readAll('ranker', ledger, { signal, read: (json) => readStored(RankerWeights, json) });

const BUILT_IN = {
  template: Object.keys(DEFAULT_TEMPLATES),
  ranker: Object.keys(DEFAULT_RANKINGS),
};

/** Replaces the names of stored templates and rankers with their definitions; names of built-in ones stay. */
export async function resolveStored(
  options: WireContextOptions | undefined,
  ledger: RemoteLedger,
  signal: AbortSignal,
): Promise<Result<WireContextOptions | undefined, ContextError>> {
  const { template, ranker } = options ?? {};
  let value = options;
  if (typeof template === 'string' && !BUILT_IN.template.includes(template)) {
    const stored = new Map(await templatesIn(ledger, signal));
    const own = stored.get(template);
    const available = [...BUILT_IN.template, ...stored.keys()];
    if (own === undefined)
      return { ok: false, error: { type: 'template_not_found', template, available } };
    value = { ...value, template: own };
  }
  if (typeof ranker === 'string' && !BUILT_IN.ranker.includes(ranker)) {
    const stored = new Map(await rankersIn(ledger, signal));
    const own = stored.get(ranker);
    const message = `options.ranker: is unknown; available are ${[...BUILT_IN.ranker, ...stored.keys()].join(', ')}`;
    if (own === undefined)
      return { ok: false, error: { type: 'validation_error', message: message.slice(0, 2000) } };
    value = { ...value, ranker: own };
  }
  return { ok: true, value };
}

type Mount = ReturnType<typeof mountRoutes<typeof MEMORY_ROUTES>>;

/** Routes to list, store and delete the templates and rankers of the workspace. */
export function addContextSettingsRoutes(parts: {
  read: Mount;
  write: Mount;
  ledgerIn: (c: Context<GuardedEnv>) => { ledger: RemoteLedger; signal: AbortSignal };
}): void {
  const { read, write, ledgerIn } = parts;
  const put = async (
    c: Context<GuardedEnv>,
    kind: SettingKind,
    path: { name: string },
  ): Promise<Response> => {
    const name = readAs(SettingName, path.name);
    if (!name.ok)
      return errorResponse(
        c,
        'INVALID_QUERY',
        `Cannot store the ${kind}: its name ${name.issues[0]?.message}`,
      );
    if (BUILT_IN[kind].includes(name.value))
      return errorResponse(
        c,
        'INVALID_QUERY',
        `Cannot store the ${kind}: ${name.value} is built in`,
      );
    const body =
      kind === 'template'
        ? readJson(c.get('body'), ContextTemplatePut)
        : readJson(c.get('body'), ContextRankerPut);
    if (!body.ok)
      return errorResponse(c, 'INVALID_QUERY', body.problem, { suggestion: body.suggestion });
    const { name: named, ...members } = body.value;
    if (named !== undefined && named !== name.value)
      return errorResponse(
        c,
        'INVALID_QUERY',
        `Cannot store the ${kind}: name: is not the name in the address`,
      );
    const setting = kind === 'template' ? { name: name.value, ...members } : members;
    const { ledger, signal } = ledgerIn(c);
    const store = () => ledger.putSetting(kind, name.value, JSON.stringify(setting));
    if (await withDeadline(store, { signal, reason: 'the ledger did not answer' }))
      return jsonAnswer(setting);
    return errorResponse(
      c,
      'RATE_LIMITED',
      `Cannot store the ${kind}: the workspace has ${MAX_SETTINGS} already`,
      {
        suggestion: 'Delete one that is no longer needed, or send it with each request',
      },
    );
  };
  const remove = async (
    c: Context<GuardedEnv>,
    kind: SettingKind,
    path: { name: string },
  ): Promise<Response> => {
    const { ledger, signal } = ledgerIn(c);
    const name = readAs(SettingName, path.name);
    const gone = () => (name.ok ? ledger.deleteSetting(kind, name.value) : Promise.resolve(false));
    const isGone = await withDeadline(gone, { signal, reason: 'the ledger did not answer' });
    return isGone ? c.body(null, 204) : errorResponse(c, 'NOT_FOUND', `Cannot find this ${kind}`);
  };
  read('GET /v1/workspaces/{workspace_id}/context-templates', {}, async (c) => {
    const { ledger, signal } = ledgerIn(c);
    const templates = (await templatesIn(ledger, signal)).map(([, template]) => template);
    return jsonAnswer({
      templates,
      built_in: Object.values(DEFAULT_TEMPLATES),
    } satisfies ContextTemplates);
  });
  read('GET /v1/workspaces/{workspace_id}/context-rankers', {}, async (c) => {
    const { ledger, signal } = ledgerIn(c);
    const rankers = Object.fromEntries(await rankersIn(ledger, signal));
    return jsonAnswer({ rankers, built_in: BUILT_IN.ranker } satisfies ContextRankers);
  });
  for (const kind of ['template', 'ranker'] as const) {
    const path = `/v1/workspaces/{workspace_id}/context-${kind}s/{name}` as const;
    write(`PUT ${path}`, {}, (c, sent) => put(c, kind, sent.path));
    write(`DELETE ${path}`, {}, (c, sent) => remove(c, kind, sent.path));
  }
}

type MemoryContext = Context<GuardedEnv>;

/** Id in addresses, contexts and logs. */
export const SELF = 'memory';

/** Writes an error response and notes its code for the log. */
export function errorResponse(
  c: MemoryContext,
  code: ErrorCode,
  message?: string,
  more: { suggestion?: string | undefined; details?: Record<string, unknown> } = {},
): Response {
  c.set('outcome', code);
  return withRetryAfter(
    refusal(code, { librarian: SELF, ...(message === undefined ? {} : { message }), ...more }),
  );
}

/** Adds `Retry-After` to 429 and 503. */
export function withRetryAfter(response: Response): Response {
  const code =
    response.status === 503
      ? 'SERVICE_UNAVAILABLE'
      : response.status === 429
        ? 'RATE_LIMITED'
        : undefined;
  if (code !== undefined) {
    for (const [name, value] of Object.entries(errorHeaders(errorInfo(code))))
      response.headers.set(name, value);
  }
  return response;
}

/** The response to an error of the context engine, which has logged the cause. */
export function contextErrorResponse(c: MemoryContext, error: ContextError): Response {
  switch (error.type) {
    case 'validation_error':
      return errorResponse(c, 'INVALID_QUERY', `Cannot search memories: ${error.message}`);
    case 'template_not_found':
      return errorResponse(
        c,
        'INVALID_QUERY',
        `Cannot build the context: there is no template ${error.template}`,
        {
          suggestion: `Use one of: ${(error.available ?? []).join(', ')}`.slice(0, 900),
        },
      );
    case 'search_error':
      return errorResponse(c, 'DATA_SOURCE_ERROR');
    default:
      return errorResponse(c, isAborted(error.cause) ? 'TIMEOUT' : 'SERVICE_UNAVAILABLE');
  }
}

/** Gives an error of the store its code; other errors stay as they are. */
export function codedError(error: Error): Error {
  if (!(error instanceof StoreUnavailable)) return error;
  return new CodedError(
    isAborted(error) ? 'TIMEOUT' : 'SERVICE_UNAVAILABLE',
    'Cannot use the memories',
    {
      cause: error,
    },
  );
}

const isAborted = (cause: unknown): boolean =>
  (cause instanceof StoreUnavailable && cause.reason === 'aborted') ||
  (cause instanceof CodedError && cause.code === 'TIMEOUT');
