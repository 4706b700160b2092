import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, Response } from 'miniflare';

/** Longer than the analytics agent waits (src/agents/analytics/run-sql.ts). */
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
export const startLocalDatabases = async ({
  ids,
  state,
  limitMs = DEFAULT_LIMIT_MS,
  onRestart,
}: LocalDatabasesOptions): Promise<LocalDatabases> => {
  // Without a folder, what is stored has to outlive a killed process, too.
  const folder = state ?? mkdtempSync(join(tmpdir(), 'constellation-databases-'));
  let running = start(ids, folder);
  await running;
  const restart = async (failed: typeof running): Promise<void> => {
    // Several requests may notice the same failure.
    if (running !== failed) return;
    running = failed.then(({ miniflare }) => miniflare.dispose()).then(() => start(ids, folder));
    await running;
    onRestart?.();
  };
  return {
    serve: async (id, request) => {
      const used = running;
      const body = await request.text();
      try {
        const { url } = await used;
        const signal = AbortSignal.timeout(limitMs);
        const response = await fetch(new URL(`/${id}`, url), { method: 'POST', body, signal });
        return new Response(await response.text(), { status: response.status });
      } catch (error) {
        await restart(used);
        const isLate = error instanceof Error && error.name === 'TimeoutError';
        const cause = isLate
          ? `the statement was ended after ${limitMs / 1000} seconds`
          : 'the database was started again';
        return new Response(cause, { status: 503 });
      }
    },
    database: async (id) => (await running).miniflare.getD1Database(id),
    stop: async () => {
      await (await running).miniflare.dispose();
      if (state === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
};

const start = async (ids: readonly string[], folder: string): Promise<{ miniflare: Miniflare; url: URL }> => {
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
