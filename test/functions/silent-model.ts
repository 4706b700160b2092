import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model that never answers, and reports when it is called and when the call is closed. */
export const startSilentModel = async () => {
  const called = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/chat/completions') !== true) return void response.writeHead(404).end('{}');
    response.on('close', () => closed.resolve());
    request.resume();
    return called.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a server that listens on a port
  const adapters = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'none', CHAT_MODEL: 'silent' };
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { adapters, called: called.promise, closed: closed.promise, stop };
};
