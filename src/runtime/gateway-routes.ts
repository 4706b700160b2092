import * as z from 'zod';
import type { Progress } from '../contract/ask-events.ts';
import { ErrorCode, ErrorInfo } from '../contract/error-info.ts';
import type { GatewayCall } from '../contract/gateway-call.ts';
import { readAs } from '../contract/issue.ts';
import { EVENT_STREAM, EVENTS_AT_END, isEventStream, readEvents, type StreamedEvent } from '../http/event-stream.ts';
import { readBody } from '../http/read-body.ts';
import { readProgress } from './progress.ts';

/** A route has refused or failed; `info` is visible to the caller. */
export class RouteFailed extends Error {
  override readonly name = 'RouteFailed';

  readonly info: ErrorInfo;

  constructor(info: ErrorInfo) {
    super(info.message);
    this.info = info;
  }
}

interface Sent {
  body?: object | undefined;
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  signal: AbortSignal;
}

export interface AskReporting {
  signal: AbortSignal;
  progress: Progress;
  isLive?: boolean | undefined;
}

/** The routes of the gateway, with the credentials of the caller. All throw `RouteFailed`. */
export interface Routes {
  json(method: 'GET' | 'POST', path: string, sent: Sent): Promise<unknown>;
  /** @param reporting.isLive Whether `progress` gets events as they happen, or the statements alone at the end; true when absent. */
  ask(body: object, reporting: AskReporting): Promise<unknown>;
  article(id: string, sent: Sent): Promise<unknown>;
  /** The text that offsets of quotes refer to. */
  text(id: string, sent: Sent): Promise<unknown>;
  /** The path of the memories of the caller's workspace. */
  memories(): string;
}

/** A whole article, or a page of twenty. */
const MAX_REPLY_BYTES = 33_554_432;

/** The address does not matter: the call leads to the gateway itself. */
const ADDRESS = 'http://127.0.0.1';

/** @param options.workspace The one that the caller was authenticated for. */
export const routesOf = (call: GatewayCall, { workspace }: { workspace: string }): Routes => {
  const send = async (method: string, path: string, { body, query = {}, signal }: Sent, accept: string) => {
    signal.throwIfAborted();
    const url = new URL(path, ADDRESS);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    url.searchParams.set('workspace_id', workspace);
    const headers: Record<string, string> = { Accept: accept };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const request = new Request(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    const response = await call(request);
    // A cancelled body ends the work behind it, through every function.
    return new Response(response.body?.pipeThrough(new TransformStream(), { signal }), response);
  };
  const json: Routes['json'] = async (method, path, sent) => {
    const response = await send(method, path, sent, 'application/json');
    const bytes = await readBody(response, MAX_REPLY_BYTES);
    return jsonOf(response.ok, bytes === undefined ? undefined : new TextDecoder().decode(bytes));
  };
  const pathOf = (id: string): string => id.split('/').map(encodeURIComponent).join('/');
  return {
    json,
    ask: async (body, { signal, progress, isLive = true }) => {
      // A stream either way: one that is closed ends the work behind it.
      const response = await send('POST', '/v1/ask', { body, signal }, isLive ? EVENT_STREAM : EVENTS_AT_END);
      if (!isEventStream(response.headers)) return jsonOf(response.ok, await response.text());
      let last: StreamedEvent | undefined;
      const onEvent = (event: StreamedEvent): void => {
        if (event.name === 'done' || event.name === 'error') last ??= event;
        else {
          const read = readProgress(event);
          if (read !== undefined) progress(read);
        }
      };
      await readEvents(response, { maxBytes: MAX_REPLY_BYTES, onEvent });
      return jsonOf(last?.name === 'done', last?.data);
    },
    article: (id, sent) => json('GET', `/api/kb/articles/${pathOf(id)}`, sent),
    text: (id, sent) => json('GET', `/api/kb/text/${pathOf(id)}`, sent),
    memories: () => `/v1/workspaces/${workspace}/memories`,
  };
};

const BROKEN: ErrorInfo = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'Cannot answer: the connection behind the gateway broke off',
  recoverable: true,
  suggestion: 'Repeat the call in a few seconds',
};

const jsonOf = (isOk: boolean, text: string | undefined): unknown => {
  const value = parsed(text);
  if (isOk && value !== undefined) return value;
  const failed = readAs(Failure, value);
  throw new RouteFailed((failed.ok ? (failed.value.info ?? failed.value.error) : undefined) ?? BROKEN);
};

/** `{ error }`, or the form of the host API, which has it as `info`. */
const Failure = z.object({
  info: ErrorInfo.optional(),
  error: z.union([ErrorInfo, ErrorCode.transform(() => undefined)]),
});

const parsed = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
};
