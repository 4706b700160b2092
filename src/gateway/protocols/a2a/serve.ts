import { Extensions, type StreamResponse } from '@a2a-js/sdk';
import { isLegacyJsonRpcMethod } from '@a2a-js/sdk/compat/v0_3';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2AError, VersionNotSupportedError } from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { describeIssues, type ErrorCode } from '../../../contract/core/error-info.ts';
import { isWithin, parseJson } from '../../../contract/core/json-object.ts';
import { readRequest } from '../../../contract/core/read-request.ts';
import { type A2aRequest, type A2aWholeReply, JsonRpcRequest } from '../../../contract/wire/a2a.ts';
import { errorInfoOf } from '../../../platform/context/error-info-of.ts';
import { eventStream } from '../../../platform/http/event-stream.ts';
import { logLine } from '../../../platform/log.ts';
import type { A2aHandler } from './tasks.ts';

/** The version of the protocol that is served. */
export const VERSION = '1.0';
/** A request without a version is one of 0.3 (A2A 1.0, section 3.6.2). Its methods have other names, and are answered in its form. */
export const LEGACY_VERSION = '0.3';
/** Fits the longest question in any script, with its envelope. */
const MAX_BODY_BYTES = 64 * 1024;
const LIMITS = { maxDepth: 24, maxLength: 64_000 };

type RpcId = JsonRpcRequest['id'];
type Replied = Awaited<ReturnType<JsonRpcTransportHandler['handle']>>;
type LegacyReplied = Awaited<ReturnType<LegacyJsonRpcTransportHandler['handle']>>;
type Reply = Exclude<Replied | LegacyReplied, AsyncGenerator>;

/**
 * Answers one request of the JSON-RPC binding. Every failure is an error of the protocol.
 *
 * @param handlerFor Returns the operations for the caller; the signal aborts when the caller has disconnected.
 */
export async function serveA2a(
  request: A2aRequest,
  handlerFor: (gone: AbortSignal) => A2aHandler,
  { owner }: { owner: string },
): Promise<Response | A2aWholeReply> {
  const read = readEnvelope(request);
  if ('failure' in read) return json(read.failure);
  const { id = null } = read.value;
  const context = contextOf(request, owner);
  const { requestedVersion = LEGACY_VERSION } = context;
  const isLegacy =
    isLegacyJsonRpcMethod(read.value.method) &&
    (requestedVersion === VERSION || isLegacyVersion(requestedVersion));
  if (!isLegacy && requestedVersion !== VERSION)
    return json(errorReply(id, unsupported(requestedVersion)));
  // The JSON-RPC envelope is checked above; the handler parses the parameters and dispatches the method.
  const gone = new AbortController();
  const Rpc = isLegacy ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
  const rpc = new Rpc(guarded(handlerFor(gone.signal)));
  const replied = await rpc.handle({ ...read.value, id, params: read.value.params ?? {} }, context);
  if (!(Symbol.asyncIterator in replied)) return json(withCode(replied), context);
  try {
    // An error before the first event is returned as plain JSON, not as a stream.
    const first = await replied.next();
    const response = stream(id, { first, rest: replied, gone });
    for (const [name, value] of Object.entries(activated(context)))
      response.headers.set(name, value);
    return response;
  } catch (error) {
    return json(errorReply(id, error), context);
  }
}

const readEnvelope = ({ body }: A2aRequest): { value: JsonRpcRequest } | { failure: Reply } => {
  if (body.length > MAX_BODY_BYTES) {
    return {
      failure: envelopeError(
        -32600,
        `Cannot read the request: it is longer than ${MAX_BODY_BYTES} bytes`,
      ),
    };
  }
  const value = parseJson(new TextDecoder().decode(body));
  if (value === undefined)
    return { failure: envelopeError(-32700, 'Cannot read the request: it is not JSON') };
  if (!isWithin(value, LIMITS)) {
    return {
      failure: envelopeError(
        -32600,
        'Cannot read the request: it is nested too deeply or too large',
      ),
    };
  }
  const read = readRequest(JsonRpcRequest, value);
  if (read.ok) return { value: read.value };
  return {
    failure: envelopeError(-32600, `Cannot read the request: ${describeIssues(read.issues)}`),
  };
};

const contextOf = ({ version, extensions }: A2aRequest, owner: string): ServerCallContext =>
  new ServerCallContext({
    requestedVersion: version.trim().slice(0, 20) || LEGACY_VERSION,
    requestedExtensions: Extensions.parseServiceParameter(extensions.slice(0, 2000)),
    user: { isAuthenticated: true, userName: owner },
  });

const isLegacyVersion = (version: string): boolean => /^0\.3(?:\.\d+)?$/.test(version);

const unsupported = (version: string): VersionNotSupportedError =>
  new VersionNotSupportedError(
    `Cannot answer in version ${version}: send the header A2A-Version: ${VERSION}`,
  );

const envelopeError = (code: number, message: string): Reply =>
  withCode({ jsonrpc: '2.0', id: null, error: { code, message } });

const errorReply = (id: RpcId, error: unknown): Reply =>
  withCode({
    jsonrpc: '2.0',
    id: id ?? null,
    error: JsonRpcTransportHandler.mapToJSONRPCError(error),
  });

const INFO = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', domain: 'a2a-protocol.org' };

/** Our code for each reason of the protocol. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  TASK_NOT_FOUND: 'NOT_FOUND',
  INTERNAL_ERROR: 'INTERNAL_ERROR',
};

/** Adds our code to the details of an error. An error without details means that the request could not be parsed. */
const withCode = (reply: Reply): Reply => {
  if (!('error' in reply)) return reply;
  // The library made it, as it made what it gets back.
  const error = reply.error as RpcError;
  const { code, message, data = [{ ...INFO, reason: 'INVALID_REQUEST' }] } = error;
  const isUnread = code === -32603 && error.data === undefined;
  const said = isUnread ? 'Cannot read the request: its parameters are invalid' : message;
  const details = data.map((detail) => {
    const known = CODES[detail.reason ?? ''] ?? 'INVALID_QUERY';
    return { ...detail, metadata: { code: known, ...detail.metadata } };
  });
  return {
    ...reply,
    error: { code: isUnread ? -32602 : code, message: said, data: details },
  } as Reply;
};

interface RpcError {
  code: number;
  message: string;
  data?: { reason?: string; metadata?: object }[];
}

const json = (reply: Reply, context?: ServerCallContext): A2aWholeReply => ({
  headers: { 'Content-Type': 'application/json', ...activated(context) },
  body: JSON.stringify(reply),
});

/** The header that names the extensions in use. */
const activated = (context: ServerCallContext | undefined): Record<string, string> => {
  const extensions = context?.activatedExtensions ?? [];
  return extensions.length === 0
    ? {}
    : { 'A2A-Extensions': Extensions.toServiceParameter(extensions) };
};

/** A stream that the caller may close at any time; the task goes on. */
const stream = (
  id: RpcId,
  {
    first,
    rest,
    gone,
  }: {
    first: IteratorResult<Reply, void>;
    rest: AsyncGenerator<Reply, void, undefined>;
    gone: AbortController;
  },
): Response =>
  eventStream(async (send, closed) => {
    // Ends the wait for the next event too.
    closed.addEventListener('abort', () => gone.abort(), { once: true });
    try {
      for (let next = first; next.done !== true; next = await rest.next()) {
        if (!send(undefined, JSON.stringify(next.value))) break;
      }
    } catch (error) {
      send(undefined, JSON.stringify(errorReply(id, error)));
    }
    gone.abort();
    await rest.return(undefined);
  });

/** The same operations, with unexpected errors logged and replaced by ones that expose no internals. */
const guarded = (handler: A2aHandler): A2aHandler => {
  const reported = (error: unknown): A2AError => {
    if (error instanceof A2AError) return error;
    const { code, message } = errorInfoOf(error, {
      librarian: 'a2a',
      where: 'task',
      log: logLine,
      now: Date.now(),
    });
    return new A2AError({ message, metadata: { code } });
  };
  const once =
    <Given, Result>(work: (given: Given, context: ServerCallContext) => Promise<Result>) =>
    (given: Given, context: ServerCallContext): Promise<Result> =>
      work(given, context).catch((error: unknown) => {
        throw reported(error);
      });
  const each = <Given>(
    work: (
      given: Given,
      context: ServerCallContext,
    ) => AsyncGenerator<StreamResponse, void, undefined>,
  ) =>
    async function* (
      given: Given,
      context: ServerCallContext,
    ): AsyncGenerator<StreamResponse, void, undefined> {
      try {
        yield* work(given, context);
      } catch (error) {
        throw reported(error);
      }
    };
  return {
    ...handler,
    sendMessage: once(handler.sendMessage),
    getTask: once(handler.getTask),
    listTasks: once(handler.listTasks),
    cancelTask: once(handler.cancelTask),
    getAuthenticatedExtendedAgentCard: once(handler.getAuthenticatedExtendedAgentCard),
    sendMessageStream: each(handler.sendMessageStream),
    resubscribe: each(handler.resubscribe),
  };
};
