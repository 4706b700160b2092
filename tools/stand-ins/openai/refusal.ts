import type { LocalReply } from '../server/local-server.ts';

export interface RefusalOptions {
  code?: string | undefined;
  param?: string | undefined;
  type?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** An error as the service words it: `{ error: { message, type, param, code } }`. */
export function refusal(status: number, message: string, options: RefusalOptions = {}): LocalReply {
  return {
    status,
    body: refusalBody(status, message, options),
    headers: { 'x-request-id': `req_refused_${status}`, ...options.headers },
  };
}

export function refusalBody(status: number, message: string, options: RefusalOptions = {}) {
  // The two that share a status differ in their message.
  const isQuota = status === 429 && /quota/i.test(message);
  const {
    code = isQuota ? 'insufficient_quota' : (CODES[status] ?? null),
    type = isQuota
      ? 'insufficient_quota'
      : (TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')),
    param = null,
  } = options;
  return { error: { message, type, param, code } };
}

const CODES: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  429: 'rate_limit_exceeded',
};
const TYPES: Readonly<Record<number, string>> = { 429: 'requests' };

export const USUAL_MESSAGES: Readonly<Record<number, string>> = {
  401: 'Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.',
  403: 'You are not allowed to generate from this model.',
  408: 'Request timed out.',
  413: 'The request is too large.',
  429: 'Rate limit reached for requests. Please try again later.',
  500: 'The server had an error while processing your request. Sorry about that!',
  503: 'The engine is currently overloaded, please try again later.',
};
