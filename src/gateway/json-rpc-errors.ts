import type { MiddlewareHandler } from 'hono';
import { ErrorBody, type ErrorInfo, readAs } from '../contract/error-info.ts';
import type { GatewayEnv } from './request-log.ts';

type ErrorReply = (status: number, error: ErrorInfo, headers?: HeadersInit) => Response;

/**
 * An error of JSON-RPC that no request of its own has: its code is the HTTP status.
 *
 * @param dataOf Where a protocol has our error. Codes outside -32768 to -32000 are ours (JSON-RPC 2.0, section 5.1).
 */
export const jsonRpcError =
  (dataOf: (error: ErrorInfo) => unknown): ErrorReply =>
  (status, error, headers = {}) =>
    Response.json(
      { jsonrpc: '2.0', id: null, error: { code: status, message: error.message, data: dataOf(error) } },
      { status, headers },
    );

/** Puts errors of the gateway into the form of JSON-RPC. */
export const jsonRpcErrors =
  (reply: ErrorReply): MiddlewareHandler<GatewayEnv> =>
  async (c, next) => {
    await next();
    if (c.res.status < 400) return;
    const json: unknown = await c.res
      .clone()
      .json()
      .catch(() => undefined);
    const read = readAs(ErrorBody, json);
    if (!read.ok) return;
    const headers = new Headers(c.res.headers);
    headers.delete('Content-Length');
    const { status } = c.res;
    // Without this line Hono would keep the headers of the old body.
    c.res = undefined;
    c.res = reply(status, read.value.error, headers);
  };
