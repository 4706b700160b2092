import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a provider is asked, as it came in. */
interface Asked {
  url: URL;
  headers: IncomingMessage['headers'];
}

/** A server on the loopback interface that answers each request with the next step, the last one again and again. */
export const providerServer = async (...steps: ((response: ServerResponse) => unknown)[]) => {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const step = steps[Math.min(asked.length, steps.length - 1)];
    asked.push({ url: new URL(request.url ?? '/', 'http://localhost'), headers: request.headers });
    step?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has an address with a port
  return {
    asked,
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
