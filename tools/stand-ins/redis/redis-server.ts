import { randomUUID } from 'node:crypto';
import { type LocalReply, type LocalServer, startLocalServer } from '../server/local-server.ts';
import type { RecordedRequest } from '../server/request-log.ts';
import { MAX_REQUEST_BYTES } from './command-rules.ts';
import { MalformedCommands } from './read-commands.ts';
import { readRequest } from './read-request.ts';
import { startRedisService } from './redis-service.ts';

export interface RedisServerOptions {
  /** Any free one when it is not said. */
  port?: number;
  /** Made up when it is not said. */
  token?: string;
  readOnlyToken?: string;
  /** 256 MiB, as on the free plan, when it is not said. */
  maxMemoryBytes?: number;
  /**
   * With it, reads come from a replica that learns of writes so many milliseconds late, or as soon as a reader sends the
   * sync token of the write. Without it, every read sees every write.
   */
  replicaDelayMs?: number;
  /** Milliseconds since 1970; for the replica's delay alone. */
  now?: () => number;
}

export interface RedisServer extends LocalServer {
  token: string;
  readOnlyToken: string;
}

/** Speaks the REST protocol of Upstash Redis, as its SDK 1.39.0 uses it, in front of a redis-server of its own. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const {
    port,
    token = randomUUID(),
    readOnlyToken = randomUUID(),
    now = Date.now,
    replicaDelayMs,
  } = options;
  const { maxMemoryBytes = 256 * 1024 * 1024 } = options;
  const service = await startRedisService({ maxMemoryBytes, replicaDelayMs, now });

  const handle = async (request: RecordedRequest): Promise<LocalReply> => {
    const given = tokenOf(request);
    if (given !== token && given !== readOnlyToken) return refused(401);
    const isBodyForm = ['/', '/pipeline', '/multi-exec'].includes(request.path);
    if (request.method !== 'POST' && (isBodyForm || request.method !== 'GET')) return refused(405);
    const actual = Buffer.byteLength(request.body);
    if (actual > MAX_REQUEST_BYTES) {
      return refused(
        400,
        `ERR max request size exceeded. Limit: ${MAX_REQUEST_BYTES} bytes, Actual: ${actual} bytes`,
      );
    }
    try {
      return await service.answer(readRequest(request), { mayWrite: given === token });
    } catch (error) {
      if (error instanceof MalformedCommands) return refused(400, error.message);
      throw error;
    }
  };

  const server = await startLocalServer({
    port,
    refusal,
    handle: async (request) => {
      const reply = await handle(request);
      return { ...reply, headers: { 'upstash-sync-token': service.syncToken(), ...reply.headers } };
    },
    close: service.stop,
  });
  return { ...server, token, readOnlyToken };
}

const USUAL_MESSAGES: Record<number, string> = {
  401: 'WRONGPASS invalid or missing auth token',
  405: 'ERR method not allowed',
  429: 'ERR max requests limit exceeded',
};

const refusal = (status: number, message = USUAL_MESSAGES[status] ?? 'ERR internal error') => ({
  error: message,
});

const refused = (status: number, message?: string): LocalReply => ({
  status,
  body: refusal(status, message),
});

const tokenOf = ({ headers, query }: RecordedRequest): string | null =>
  /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? query.get('_token');
