import { randomUUID } from 'node:crypto';
import { type LocalReply, type LocalServer, startLocalServer } from './local-server.ts';
import { MAX_REQUEST_BYTES, objectionTo } from './redis/command-rules.ts';
import { readCommandTable } from './redis/command-table.ts';
import { MalformedCommands, readCommand, readCommands, readPathCommand } from './redis/read-commands.ts';
import type { RedisCommand } from './redis/redis-connection.ts';
import { startRedisProcess } from './redis/redis-process.ts';
import { runEach, runTogether } from './redis/run-commands.ts';
import { type ReplyEntry, showReply } from './redis/show-reply.ts';
import type { RecordedRequest } from './request-log.ts';

export interface RedisServerOptions {
  /** Any free one when it is not said. */
  port?: number;
  /** Made up when it is not said. */
  token?: string;
  readOnlyToken?: string;
  /** 256 MiB, as on the free plan, when it is not said. */
  maxMemoryBytes?: number;
}

export interface RedisServer extends LocalServer {
  token: string;
  readOnlyToken: string;
}

/** Speaks the REST protocol of Upstash Redis, as its SDK 1.39.0 uses it, in front of a redis-server of its own. */
export const startRedisServer = async (options: RedisServerOptions = {}): Promise<RedisServer> => {
  const { port, token = randomUUID(), readOnlyToken = randomUUID() } = options;
  const redis = await startRedisProcess({ maxMemoryBytes: options.maxMemoryBytes ?? 256 * 1024 * 1024 });
  const table = await readCommandTable(redis.connection);
  let writes = 0;

  const run = async (request: RecordedRequest, mayWrite: boolean): Promise<LocalReply> => {
    const base64 = request.headers['upstash-encoding'] === 'base64';
    const objection = (command: RedisCommand) => objectionTo(command, { table, mayWrite });
    const count = (commands: readonly RedisCommand[]) => {
      if (mayWrite) writes += commands.filter(table.writes).length;
    };
    if (request.path === '/pipeline') {
      const commands = readCommands(request.body, 'pipeline');
      count(commands);
      const replies = await runEach(redis.connection, commands, objection);
      return { status: 200, body: replies.map((reply) => showReply(reply, { base64 })) };
    }
    if (request.path === '/multi-exec') {
      const commands = readCommands(request.body, 'transaction');
      count(commands);
      const reply = await runTogether(redis.connection, commands, objection);
      if (reply.kind !== 'array') return answerOf(showReply(reply, { base64 }));
      return { status: 200, body: reply.items.map((item) => showReply(item, { base64 })) };
    }
    const command = request.path === '/' ? readCommand(request.body) : readPathCommand(request);
    count([command]);
    const [reply] = await runEach(redis.connection, [command], objection);
    return answerOf(reply ? showReply(reply, { base64 }) : { error: 'ERR no reply' });
  };

  const handle = async (request: RecordedRequest): Promise<LocalReply> => {
    const given = tokenOf(request);
    if (given !== token && given !== readOnlyToken) return refused(401);
    const isBodyForm = ['/', '/pipeline', '/multi-exec'].includes(request.path);
    if (request.method !== 'POST' && (isBodyForm || request.method !== 'GET')) return refused(405);
    const actual = Buffer.byteLength(request.body);
    if (actual > MAX_REQUEST_BYTES) {
      return refused(400, `ERR max request size exceeded. Limit: ${MAX_REQUEST_BYTES} bytes, Actual: ${actual} bytes`);
    }
    try {
      return await run(request, given === token);
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
      return { ...reply, headers: { ...reply.headers, 'upstash-sync-token': syncToken(writes) } };
    },
    close: redis.stop,
  });
  return { ...server, token, readOnlyToken };
};

const USUAL_MESSAGES: Record<number, string> = {
  401: 'WRONGPASS invalid or missing auth token',
  405: 'ERR method not allowed',
  429: 'ERR max requests limit exceeded',
};

const refusal = (status: number, message = USUAL_MESSAGES[status] ?? 'ERR internal error') => ({ error: message });

const refused = (status: number, message?: string): LocalReply => ({ status, body: refusal(status, message) });

const answerOf = (entry: ReplyEntry): LocalReply => ({ status: 'error' in entry ? 400 : 200, body: entry });

const tokenOf = ({ headers, query }: RecordedRequest): string | null =>
  /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? query.get('_token');

const syncToken = (writes: number): string => Buffer.from(`local:${writes}`).toString('base64');
