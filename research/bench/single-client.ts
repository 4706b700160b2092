import { Agent, request } from 'node:http';

export interface Percentiles {
  /** Milliseconds. */
  p50: number;
  p99: number;
}

/** One client over one kept-alive connection, one request after the other; the load generator counts whole milliseconds only. */
export function singleClient(headers: Record<string, string>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = (url: URL, body: string, more: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const sent = request(
        url,
        { agent, method: 'POST', headers: { ...headers, ...more } },
        (response) => {
          response
            .resume()
            .once('end', () =>
              ANSWERS.has(response.statusCode ?? 0)
                ? resolve(performance.now() - startedAt)
                : reject(new Error(`status ${response.statusCode}`)),
            );
        },
      );
      sent.once('error', reject).end(body);
    });
  return { post, close: () => agent.destroy() };
}

/** 404 says that a question is for none of the librarians. */
const ANSWERS = new Set([200, 404]);

export function percentilesOf(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
