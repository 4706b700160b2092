import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } from 'miniflare';

/** Longer than the analytics agent waits (src/librarians/analytics/run-sql.ts). */
const DEFAULT_LIMIT_MS = 8000;

interface LocalDatabasesOptions {
  /** The databases, by id. */
  ids: readonly string[];
  /** Folder of their files; absent: nothing outlives the process. */
  state?: string | undefined;
  /** After this time a request ends together with the process of the databases. */
  limitMs?: number | undefined;
  /** After each new start of that process. */
  onRestart?: (() => void) | undefined;
}

export interface LocalDatabases {
  /** Answers the requests of `remoteD1`. */
  serve(id: string, request: { text(): Promise<string> }): Promise<Response>;
  /** Without the limit, for filling a database. */
  database(id: string): ReturnType<Miniflare['getD1Database']>;
  stop(): Promise<void>;
}

/**
 * D1 databases in a workerd of their own. SQLite cannot be interrupted there, and while it runs a statement the whole process answers nothing. So
 * it is killed when a statement takes too long, and started again: everything else goes on.
 */
export async function startLocalDatabases({
  ids,
  state,
  limitMs = DEFAULT_LIMIT_MS,
  onRestart,
}: LocalDatabasesOptions): Promise<LocalDatabases> {
  // Without a folder, what is stored has to outlive a killed process, too.
  const folder = state ?? mkdtempSync(join(tmpdir(), 'constellation-databases-'));
  let running = start(ids, folder);
  let isStopped = false;
  /** Requests without a reply, the oldest first. */
  const pending = new Set<symbol>();
  /** The request for which a process was ended. */
  const culprits = new WeakMap<typeof running, symbol>();
  await running;
  const restart = async (failed: typeof running): Promise<void> => {
    // Several requests may notice the same failure.
    if (running !== failed || isStopped) return;
    running = failed.then(({ miniflare }) => miniflare.dispose()).then(() => start(ids, folder));
    await running;
    onRestart?.();
  };
  return {
    serve: async (id, request) => {
      const body = await request.text();
      for (let attempt = 1; ; attempt += 1) {
        const used = running;
        const own = Symbol(id);
        pending.add(own);
        try {
          const { url } = await used;
          const signal = AbortSignal.timeout(limitMs);
          const response = await fetch(new URL(`/${id}`, url), { method: 'POST', body, signal });
          return new Response(await response.text(), { status: response.status });
        } catch (error) {
          // One statement runs at a time: the oldest request is the one that held up the others.
          const [oldest = own] = pending;
          const culprit = culprits.get(used) ?? oldest;
          culprits.set(used, culprit);
          const isHeldUp = culprit !== own;
          await restart(used);
          const isLate = error instanceof Error && error.name === 'TimeoutError';
          if (isLate && !isHeldUp)
            return new Response(`the statement was ended after ${limitMs / 1000} seconds`, {
              status: 503,
            });
          if (isStopped) return new Response('the databases are stopped', { status: 503 });
          // What may have been written is not written again.
          if (attempt === MAX_ATTEMPTS || !readsOnly(body))
            return new Response('the database was started again', { status: 503 });
        } finally {
          pending.delete(own);
        }
      }
    },
    database: async (id) => (await running).miniflare.getD1Database(id),
    stop: async () => {
      // A request that fails now, because its process ends, starts no new process.
      isStopped = true;
      await (await running).miniflare.dispose();
      if (state === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

const MAX_ATTEMPTS = 3;

/** Whether nothing in a request of `remoteD1` writes. */
const readsOnly = (body: string): boolean => {
  const { statements } = JSON.parse(body) as { statements: { sql: string }[] }; // as remote-d1.ts sends it
  return statements.every(({ sql }) => /^\s*(?:SELECT|EXPLAIN)\b/i.test(sql));
};

const start = async (
  ids: readonly string[],
  folder: string,
): Promise<{ miniflare: Miniflare; url: URL }> => {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      log: new Log(LogLevel.ERROR),
      telemetry: { enabled: false },
      resourcePersistencePath: folder,
      workers: [
        {
          name: 'databases',
          compatibilityDate: '2026-11-01',
          modules: [{ type: 'ESModule', path: 'index.mjs', contents: WORKER }],
          d1Databases: Object.fromEntries(ids.map((id) => [id, id])),
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0, proxy: false }],
        },
      ],
    }),
  );
  await miniflare.ready;
  return { miniflare, url: await miniflare.unsafeGetDirectURL('databases') };
};

const WORKER = `export default {
  async fetch(request, env) {
    const database = env[new URL(request.url).pathname.slice(1)];
    const { statements, raw } = await request.json();
    const prepared = statements.map(({ sql, values }) => database.prepare(sql).bind(...values));
    try {
      return Response.json(raw ? await prepared[0].raw({ columnNames: true }) : await database.batch(prepared));
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};`;
