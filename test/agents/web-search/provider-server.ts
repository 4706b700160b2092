import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a provider. */
interface ProviderRequest {
  url: URL;
  headers: IncomingMessage['headers'];
}

/** A loopback server that answers each request with the next step, and repeats the last one. */
export const providerServer = async (...steps: ((response: ServerResponse) => unknown)[]) => {
  const requests: ProviderRequest[] = [];
  const server = createServer((request, response) => {
    const step = steps[Math.min(requests.length, steps.length - 1)];
    requests.push({ url: new URL(request.url ?? '/', 'http://localhost'), headers: request.headers });
    step?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has an address with a port
  return {
    requests,
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
