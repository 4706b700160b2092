import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import {
  describeIssues,
  ErrorBody,
  type ErrorInfo,
  readAs,
} from '../../src/contract/core/error-info.ts';
import { ContextRankers, ContextTemplates } from '../../src/contract/wire/context-engine.ts';
import { HostErrorBody } from '../../src/contract/wire/host-article.ts';
import type { ContextSetting } from '../../src/contract/wire/moving.ts';
import { Taxonomy } from '../../src/contract/wire/taxonomy.ts';
import { MAX_ANSWER_BYTES } from '../../src/platform/context/limits.ts';
import { HttpFailure, retryAfterMs, send } from '../../src/platform/http/fetch-json.ts';
import { readBody } from '../../src/platform/http/read-body.ts';

/** Options of every command that works on a deployment, for `readCommandLine`. */
export const DEPLOYMENT_OPTIONS = {
  url: { type: 'string', default: 'http://127.0.0.1:8787' },
  key: { type: 'string' },
  workspace: { type: 'string' },
} as const;

export const DEPLOYMENT_HELP = `  --url <address>     the gateway (default http://127.0.0.1:8787, that of npm start)
  --key <key>         an API key; better in the environment, as CONSTELLATION_API_KEY`;

/** A reply with an error: what the deployment says about it, and its code. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface Deployment {
  /** Sends a request for the workspace and reads the reply; throws `Refusal` for an error, after retries where they help. */
  call<Schema extends z.ZodType>(
    route: string,
    schema: Schema,
    body?: unknown,
  ): Promise<z.output<Schema>>;
  /** All pages of a listing, one after the other. `path` has a query. */
  pages<Page extends { next_cursor?: string | null | undefined }>(
    path: string,
    schema: z.ZodType<Page>,
  ): AsyncGenerator<Page>;
}

const ATTEMPTS = 6;
const CALL_MS = 60_000;
const LONGEST_WAIT_MS = 120_000;
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * A deployment as its public API shows it. Every call may be repeated without harm.
 *
 * @param signal Ends the call in flight, and its wait.
 * @param say Called with a line when a call has to wait.
 * @throws {Error} When the address or the key is missing or has the wrong form.
 */
export function openDeployment(
  {
    url,
    key = process.env.CONSTELLATION_API_KEY,
    workspace,
    signal,
  }: {
    url: string;
    key?: string | undefined;
    workspace?: string | undefined;
    signal?: AbortSignal | undefined;
  },
  say: (line: string) => void,
): Deployment {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new Error(`Cannot use --url ${url}: it is no http or https address`);
  if (!key)
    throw new Error('Cannot sign in: give an API key with --key or in CONSTELLATION_API_KEY');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const call: Deployment['call'] = async (route, schema, body) => {
    const [method = 'GET', path = ''] = route.split(' ');
    const address = new URL(path, url);
    if (workspace !== undefined) address.searchParams.set('workspace_id', workspace);
    for (let attempt = 1; ; attempt += 1) {
      const reply = await request(address, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
      });
      signal?.throwIfAborted();
      if (reply.ok) return parsed(reply.text, { schema, route });
      const isLast = attempt >= ATTEMPTS;
      if (isLast || !reply.isBusy) throw new Refusal(reply.code, reply.message);
      const waitMs = Math.min(reply.waitMs ?? 1000 * 2 ** attempt, LONGEST_WAIT_MS);
      say(`${reply.message.slice(0, 200)} Trying again in ${Math.ceil(waitMs / 1000)} s`);
      await sleep(waitMs, undefined, { signal });
    }
  };
  return {
    call,
    pages: async function* (path, schema) {
      let next = '';
      for (;;) {
        const page = await call(`GET ${path}${next}`, schema);
        yield page;
        if (!page.next_cursor) return;
        next = `&cursor=${encodeURIComponent(page.next_cursor)}`;
      }
    },
  };
}

type Reply =
  | { ok: true; text: string }
  | { ok: false; isBusy: boolean; waitMs: number | undefined; code: string; message: string };

const request = async (
  address: URL,
  {
    signal,
    ...init
  }: {
    method: string;
    headers: Record<string, string>;
    body: string | undefined;
    signal: AbortSignal | undefined;
  },
): Promise<Reply> => {
  try {
    const deadline = AbortSignal.timeout(CALL_MS);
    const ends = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
    const response = await send(address, { ...init, fetch, signal: ends });
    const bytes = await readBody(response, MAX_ANSWER_BYTES);
    const text = new TextDecoder().decode(bytes);
    if (response.ok && bytes !== undefined) return { ok: true, text };
    const isBusy = BUSY.has(response.status);
    return {
      ok: false,
      isBusy,
      waitMs: retryAfterMs(response.headers, Date.now()),
      ...problemOf(response.status, text),
    };
  } catch (error) {
    const why =
      error instanceof HttpFailure && error.kind !== 'unreachable'
        ? error.message
        : 'there is no connection';
    return {
      ok: false,
      isBusy: true,
      waitMs: undefined,
      code: 'UNREACHABLE',
      message: `Cannot reach ${address.origin}: ${why}.`,
    };
  }
};

const problemOf = (status: number, text: string): { code: string; message: string } => {
  const info = errorOf(jsonOf(text));
  if (info === undefined)
    return {
      code: 'UNKNOWN',
      message: `The reply has status ${status} and is not one of Constellation: check --url.`,
    };
  const { code, message, suggestion } = info;
  return {
    code,
    message:
      suggestion === undefined ? sentence(message) : `${sentence(message)} ${sentence(suggestion)}`,
  };
};

/** The routes of a knowledge base's host have a form of error of their own. */
const errorOf = (body: unknown): ErrorInfo | undefined =>
  ErrorBody.safeParse(body).data?.error ?? HostErrorBody.safeParse(body).data?.info;

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const parsed = <Schema extends z.ZodType>(
  text: string,
  { schema, route }: { schema: Schema; route: string },
): z.output<Schema> => {
  const read = readAs(schema, text === '' ? undefined : jsonOf(text));
  if (read.ok) return read.value;
  throw new Error(
    `Cannot read the reply to ${route}: ${describeIssues(read.issues)}. Use the version that the deployment runs`,
  );
};

/** Schema of a reply without a body. */
export const NoContent = z.undefined();

export function articlePath(id: string): string {
  return `/api/kb/articles/${id.split('/').map(encodeURIComponent).join('/')}`;
}

/** The taxonomy of the workspace; undefined when there is none. */
export async function readTaxonomy(deployment: Deployment): Promise<Taxonomy | undefined> {
  try {
    return (await deployment.call('GET /v1/support/taxonomy', z.object({ taxonomy: Taxonomy })))
      .taxonomy;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** The templates and rankers of a workspace for the context of memories. */
export async function readSettings(
  deployment: Deployment,
  workspace: string,
): Promise<ContextSetting[]> {
  const path = `GET /v1/workspaces/${workspace}`;
  const { templates } = await deployment.call(`${path}/context-templates`, ContextTemplates);
  const { rankers } = await deployment.call(`${path}/context-rankers`, ContextRankers);
  return [
    ...templates.map((template) => ({ template })),
    ...Object.entries(rankers).map(([name, weights]) => ({ ranker: { name, weights } })),
  ];
}

/** A line on standard error that rewrites itself on a terminal; elsewhere at most one in two seconds. */
export function progressLine(): { show(line: string): void; say(line: string): void } {
  let shownAt = 0;
  const say = (line: string): void =>
    console.error(process.stderr.isTTY ? `\r\u001b[K${line}` : line);
  return {
    say,
    show: (line) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
      else if (Date.now() - shownAt >= 2000) {
        shownAt = Date.now();
        say(line);
      }
    },
  };
}
