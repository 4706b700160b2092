import type { MiddlewareHandler } from 'hono';
import * as z from 'zod';
import { ErrorInfo, HTTP_STATUS, readAs } from '../../../contract/core/error-info.ts';
import type { GatewayEnv } from '../../access/request-log.ts';

/** Puts errors into OpenAI's form, with our own beside it as `info`. */
export const openAIErrors: MiddlewareHandler<GatewayEnv> = async (c, next) => {
  await next();
  const { status } = c.res;
  if (status < 400) return;
  const sent = await c.res
    .clone()
    .json()
    .catch(() => undefined);
  const body = inOpenAIForm(sent, status);
  if (body === undefined) return;
  const response = Response.json(body, c.res);
  response.headers.delete('Content-Length');
  // The official clients repeat a request after any failure of the server, except where this header forbids it.
  if (!body.error.info.recoverable) response.headers.set('x-should-retry', 'false');
  c.res = undefined;
  c.res = response;
};

/** The body of one of our errors in OpenAI's form; undefined for anything else. */
export function inOpenAIForm(body: unknown, status?: number) {
  const read = readAs(z.object({ error: ErrorInfo }), body);
  if (!read.ok) return undefined;
  const info = read.value.error;
  const { type, code } = OPENAI_ERRORS[info.code] ?? {
    type: 'server_error',
    code: info.code.toLowerCase(),
  };
  const message =
    info.suggestion === undefined ? info.message : `${info.message}. ${info.suggestion}.`;
  const param = paramOf(info);
  return {
    error: {
      message: message.replaceAll('..', '.'),
      type,
      param,
      code: codeByStatus(info, { status, param }) ?? code,
      info,
    },
  };
}

/** The member that is wrong: the first one that was named. */
const paramOf = ({ details }: ErrorInfo): string | null => {
  const read = readAs(Named, details);
  if (!read.ok) return null;
  return read.value.param ?? (read.value.issues?.[0]?.path || null);
};

const Named = z.object({
  param: z.string().optional(),
  issues: z.array(z.object({ path: z.string() })).optional(),
});

/** What two of our codes stand for is distinguished by the status, or by what was not found. */
const codeByStatus = (
  { code }: ErrorInfo,
  { status = HTTP_STATUS[code], param }: { status: number | undefined; param: string | null },
): string | undefined => {
  if (status === 405) return 'method_not_allowed';
  if (status === 415) return 'unsupported_media_type';
  return code === 'NOT_FOUND' && param === null ? 'unknown_url' : undefined;
};

const OPENAI_ERRORS: Partial<Record<ErrorInfo['code'], { type: string; code: string }>> = {
  INVALID_QUERY: { type: 'invalid_request_error', code: 'invalid_value' },
  UNAUTHORIZED: { type: 'invalid_request_error', code: 'invalid_api_key' },
  NOT_FOUND: { type: 'invalid_request_error', code: 'model_not_found' },
  RATE_LIMITED: { type: 'requests', code: 'rate_limit_exceeded' },
};
