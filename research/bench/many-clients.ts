import { Agent, request } from 'node:http';

/** A completed request. */
export interface Answered {
  /** From the first byte sent to the last one read, in milliseconds, including queueing. */
  ms: number;
  status: number;
  body: string;
}

/**
 * So many clients over one kept-alive connection each, every one sending its next request as soon as the last one is answered, until all
 * bodies are sent. In the order of `bodies`. Rejects when the server cannot be reached.
 *
 * @param options.bodies Each is posted once.
 * @param options.clients Number of concurrent requests, at least 1.
 */
export async function manyClients(
  url: URL,
  {
    headers,
    bodies,
    clients,
  }: { headers: Record<string, string>; bodies: readonly string[]; clients: number },
): Promise<Answered[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const answered: Answered[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    for (let at = next++; at < bodies.length; at = next++)
      answered[at] = await post(url, bodies[at] ?? '');
  };
  const post = (to: URL, body: string): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const sent = request(to, { agent, method: 'POST', headers }, (response) => {
        const parts: Buffer[] = [];
        response
          .on('data', (part: Buffer) => parts.push(part))
          .once('error', reject)
          .once('end', () =>
            resolve({
              ms: performance.now() - startedAt,
              status: response.statusCode ?? 0,
              body: Buffer.concat(parts).toString('utf8'),
            }),
          );
      });
      sent.once('error', reject).end(body);
    });
  try {
    await Promise.all(Array.from({ length: clients }, client));
  } finally {
    agent.destroy();
  }
  return answered;
}
