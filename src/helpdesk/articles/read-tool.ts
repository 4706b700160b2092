import type * as z from 'zod';
import type { ErrorCode } from '../../contract/error-info.ts';
import { readAs } from '../../contract/read-as.ts';
import { discard, readBody } from '../../http/read-body.ts';
import { parseJson } from '../parse-json.ts';
import { retryAfterOf } from '../retry-after.ts';
import { SourceFailed } from './source-failed.ts';

/** The API that articles are read from. */
export interface ArticleApi {
  /** Without a slash at its end. */
  apiUrl: string;
  /** Who we are. */
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now: () => number;
}

interface ToolCall<Schema extends z.ZodType> {
  method?: 'GET' | 'POST';
  /** Begins with a slash; values in it are encoded. */
  path: string;
  /** What is read of the reply. */
  reply: Schema;
  signal: AbortSignal;
}

/** Some fifty articles of the greatest length that is taken in. */
const MAX_REPLY_BYTES = 24 * 1024 * 1024;

/**
 * Reads JSON from a tool's API: no redirects, at most 24 MiB.
 *
 * @throws {SourceFailed} When there is no such reply.
 */
export const readTool = async <Schema extends z.ZodType>(
  api: ArticleApi,
  { method = 'GET', path, reply, signal }: ToolCall<Schema>,
): Promise<z.output<Schema>> => {
  const response = await api
    .fetch(`${api.apiUrl}${path}`, {
      method,
      headers: { Accept: 'application/json', 'User-Agent': 'constellation-sources', ...api.headers },
      redirect: 'manual',
      signal,
    })
    .catch((cause: unknown) => {
      throw new SourceFailed('SERVICE_UNAVAILABLE', signal.aborted ? 'no answer in time' : 'it cannot be reached', {
        cause,
      });
    });
  if (response.status !== 200) throw statusFailure(response, api.now());
  const read = readAs(reply, await readReply(response));
  if (!read.ok) throw new SourceFailed('DATA_SOURCE_ERROR', 'the reply is not what its documentation says');
  return read.value;
};

/** The same where the answer may be that there is no such thing any more. */
export const readToolIfThere = async <Schema extends z.ZodType>(
  api: ArticleApi,
  call: ToolCall<Schema>,
): Promise<z.output<Schema> | undefined> => {
  try {
    return await readTool(api, call);
  } catch (error) {
    if (error instanceof SourceFailed && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
};

const readReply = async (response: Response): Promise<unknown> => {
  const bytes = await readBody(response, MAX_REPLY_BYTES).catch((cause: unknown) => {
    throw new SourceFailed('SERVICE_UNAVAILABLE', 'the reply broke off', { cause });
  });
  if (bytes === undefined)
    throw new SourceFailed('DATA_SOURCE_ERROR', `a reply has more than ${MAX_REPLY_BYTES} bytes`);
  try {
    return parseJson(bytes);
  } catch (cause) {
    throw new SourceFailed('DATA_SOURCE_ERROR', 'the reply is cut off or no JSON', { cause });
  }
};

const statusFailure = (response: Response, now: number): SourceFailed => {
  const { status, body } = response;
  discard(body);
  const retryAfterMs = retryAfterOf(response, now);
  return new SourceFailed(codeOf(status), `status is ${status}${ADVICE[status] ?? ''}`, { retryAfterMs });
};

/** What may pass keeps a status that says so, and what does not keeps one that does not. */
const codeOf = (status: number): ErrorCode => {
  if (status === 429) return 'RATE_LIMITED';
  if (status === 408 || status === 425 || status >= 500) return 'SERVICE_UNAVAILABLE';
  if (status === 401 || status === 403) return 'UNAUTHORIZED';
  return status === 404 || status === 410 ? 'NOT_FOUND' : 'INVALID_QUERY';
};

const ADVICE: Readonly<Record<number, string>> = {
  401: ': the token is refused',
  403: ': the token may not read the help center',
  404: ': check the apiUrl and what else the source names',
};
