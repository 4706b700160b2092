import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createFaults, type Fault, type Faults } from './faults.ts';
import { createRequestLog, type RecordedRequest } from './request-log.ts';

export interface LocalReply {
  status: number;
  /** Sent as JSON; a string is sent as it is. */
  body: unknown;
  headers?: OutgoingHttpHeaders;
  /** Sent in place of `body`, each in a write of its own; when it throws, the connection breaks off. */
  chunks?: AsyncIterable<Uint8Array>;
}

/** The part of a local service that differs: what it answers. */
export interface LocalService {
  /** @param fault Only for kinds that the service itself has to play: `fewer-results`. */
  handle(request: RecordedRequest, fault: Fault | undefined): LocalReply | Promise<LocalReply>;
  /** How the service words a refusal: the body that goes with a status; without `message` in its usual words. */
  refusal(status: number, message?: string, request?: RecordedRequest): unknown;
  /** What goes with it beside the headers of the fault. */
  refusalHeaders?(status: number, request: RecordedRequest): OutgoingHttpHeaders;
  /** Ends what the service itself holds. */
  close?(): Promise<void>;
  port?: number | undefined;
}

export interface LocalServer {
  /** `http://127.0.0.1:<port>`, no slash at the end. */
  url: string;
  port: number;
  faults: Faults;
  /** What has arrived, oldest first: the last 1000, or fewer when they are large. */
  requests: readonly RecordedRequest[];
  forgetRequests(): void;
  /** Does at once what faults with `executedAfterMs` have left for later. */
  finishLate(): Promise<void>;
  /** Ends the server and every connection, also those that hang. */
  stop(): Promise<void>;
}

/** A vector upsert of 1000 × 3072 numbers is about 60 MB. */
const MAX_BODY_BYTES = 80 * 1024 * 1024;

/** Serves one local service on the loopback interface: records requests, plays faults, and can be stopped. */
export async function startLocalServer(service: LocalService): Promise<LocalServer> {
  const faults = createFaults();
  const log = createRequestLog();
  const ending = new AbortController();
  const late = new Set<() => Promise<void>>();

  const doLater = (request: RecordedRequest, fault: Fault, afterMs: number): void => {
    const run = async () => {
      if (!late.delete(run)) return;
      clearTimeout(timer);
      await service.handle(request, fault);
    };
    const timer = Number.isFinite(afterMs)
      ? setTimeout(() => void run().catch(() => {}), afterMs).unref()
      : undefined;
    late.add(run);
  };

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(incoming);
    if (body === undefined)
      return send(response, { status: 413, body: service.refusal(413, 'Request is too large') });
    const request = log.add(incoming, body);
    const fault = faults.take(request);
    const refused = fault && refusalOf(fault, service, request);
    if (refused) return send(response, refused);
    if (fault?.kind === 'delay') await delay(fault.ms, undefined, { signal: ending.signal });
    if (isSilent(fault) && fault.executedAfterMs !== undefined)
      doLater(request, fault, fault.executedAfterMs);
    if (isSilent(fault) && !fault.executed) return endSilently(response, fault);
    const reply = await service.handle(request, fault);
    if (isSilent(fault)) return endSilently(response, fault);
    const isPlain = fault === undefined || fault.kind === 'delay';
    if (reply.chunks && isPlain) return await sendChunks(response, reply, reply.chunks);
    sendWith(
      response,
      reply.chunks ? { ...reply, body: await joined(reply.chunks) } : reply,
      fault,
    );
  };

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (ending.signal.aborted || response.headersSent || response.destroyed)
        return void response.destroy();
      const message = error instanceof Error ? error.message : 'unknown';
      send(response, {
        status: 500,
        body: service.refusal(500, `Local server failed: ${message}`),
      });
    });
  });
  server.keepAliveTimeout = 0; // A client that reuses a connection never finds it just ended.
  server.listen(service.port ?? 0, '127.0.0.1');
  await once(server, 'listening').catch(async (error: unknown) => {
    await service.close?.();
    throw error;
  });
  // A server that listens on a port, not on a pipe, has an address of this form.
  const { port } = server.address() as AddressInfo;

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    ending.abort();
    late.clear();
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
    await service.close?.();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    faults,
    requests: log.requests,
    forgetRequests: log.clear,
    finishLate: async () => {
      await Promise.all([...late].map((run) => run()));
    },
    stop: () => (stopped ??= stop()),
  };
}

type Silence = Extract<Fault, { executed?: boolean }>;
const isSilent = (fault: Fault | undefined): fault is Silence =>
  fault?.kind === 'hang-before-headers' || fault?.kind === 'reset';

const endSilently = (response: ServerResponse, fault: Silence): void => {
  if (fault.kind === 'reset') response.socket?.resetAndDestroy();
};

const refusalOf = (
  fault: Fault,
  service: LocalService,
  request: RecordedRequest,
): LocalReply | undefined => {
  if (fault.kind === 'html-502') {
    const body =
      '<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>';
    return { status: 502, body, headers: { 'content-type': 'text/html' } };
  }
  if (fault.kind === 'malformed-json')
    return { status: 200, body: 'upstream connect error, no JSON at all' };
  if (fault.kind !== 'status') return undefined;
  const wait = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
  const headers = { ...service.refusalHeaders?.(fault.status, request), ...fault.headers, ...wait };
  return {
    status: fault.status,
    body: service.refusal(fault.status, fault.message, request),
    headers,
  };
};

const sendWith = (response: ServerResponse, reply: LocalReply, fault: Fault | undefined): void => {
  const body = textOf(reply.body);
  const half = body.slice(0, Math.ceil(body.length / 2));
  const breaksOff = fault?.kind === 'hang-in-body' || fault?.kind === 'reset-in-body';
  if (!breaksOff) {
    send(response, { ...reply, body: fault?.kind === 'truncated-json' ? half : body });
    return;
  }
  response.writeHead(reply.status, headersOf(reply, Buffer.byteLength(body)));
  response.write(half, () => {
    if (fault.kind === 'reset-in-body') response.destroy();
  });
};

const send = (response: ServerResponse, reply: LocalReply): void => {
  const body = textOf(reply.body);
  response.writeHead(reply.status, headersOf(reply, Buffer.byteLength(body)));
  response.end(body);
};

const sendChunks = async (
  response: ServerResponse,
  { status, headers }: LocalReply,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> => {
  response.writeHead(status, headers);
  response.flushHeaders();
  for await (const chunk of chunks) {
    if (response.destroyed) return;
    await new Promise<void>((resolve) => response.write(chunk, () => resolve()));
  }
  response.end();
};

const joined = async (chunks: AsyncIterable<Uint8Array>): Promise<string> =>
  Buffer.concat(await Array.fromAsync(chunks)).toString('utf8');

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

const headersOf = (reply: LocalReply, length: number): OutgoingHttpHeaders => ({
  'content-type': 'application/json',
  'content-length': length,
  ...reply.headers,
});

/** @returns `undefined` when it is too long. */
const readBody = async (incoming: IncomingMessage): Promise<string | undefined> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return length > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
};
