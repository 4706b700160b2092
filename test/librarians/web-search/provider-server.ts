import type { IncomingMessage, ServerResponse } from 'node:http';
import { loopbackServer } from '../../platform/http/loopback-server.ts';

/** A request to a provider. */
interface ProviderRequest {
  url: URL;
  headers: IncomingMessage['headers'];
}

/** A loopback server that answers each request with the next step, and repeats the last one. */
export async function providerServer(...steps: ((response: ServerResponse) => unknown)[]) {
  const requests: ProviderRequest[] = [];
  const server = await loopbackServer((request, response) => {
    const step = steps[Math.min(requests.length, steps.length - 1)];
    requests.push({
      url: new URL(request.url ?? '/', 'http://localhost'),
      headers: request.headers,
    });
    step?.(response);
  });
  return { requests, ...server };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}) {
  return (response: ServerResponse) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
}
