import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an unreliable service does with a call; `lost`: it does the work, but its response is lost. */
export type ServiceFault = 'none' | 'hang' | 'status' | 'reset' | 'lost';

export interface FaultPlan {
  /** For `PLAN_URL` of the service of that name. */
  urlOf(service: string): string;
  stop(): Promise<void>;
}

/** Serves the fault of each call to unreliable services. */
export async function startFaultPlan(
  choose: (service: string) => ServiceFault,
): Promise<FaultPlan> {
  const server = createServer((request, response) => {
    const kind = choose((request.url ?? '').slice(1));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ kind }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port, not on a pipe, has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (service) => `http://127.0.0.1:${port}/${service}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
