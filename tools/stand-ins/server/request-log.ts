import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request as it arrived, so that a test can tell what left a function. */
export interface RecordedRequest {
  method: string;
  /** Without query, beginning with a slash; not decoded. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface RequestLog {
  requests: readonly RecordedRequest[];
  add(incoming: IncomingMessage, body: string): RecordedRequest;
  clear(): void;
}

const MAX_REQUESTS = 1000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** Keeps the last 1000 requests, and fewer when their bodies come to more than 64 million characters. */
export function createRequestLog(): RequestLog {
  const requests: RecordedRequest[] = [];
  let characters = 0;
  return {
    requests,
    add: (incoming, body) => {
      const [path = '/', query = ''] = (incoming.url ?? '/').split('?', 2);
      const { method = 'GET', headers } = incoming;
      const request = { method, path, query: new URLSearchParams(query), headers, body };
      requests.push(request);
      characters += body.length;
      while (
        requests.length > MAX_REQUESTS ||
        (characters > MAX_CHARACTERS && requests.length > 1)
      ) {
        characters -= requests.shift()?.body.length ?? 0;
      }
      return request;
    },
    clear: () => {
      requests.length = 0;
      characters = 0;
    },
  };
}
