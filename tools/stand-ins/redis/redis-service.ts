import type { LocalReply } from '../server/local-server.ts';
import { objectionTo } from './command-rules.ts';
import { type CommandTable, readCommandTable } from './command-table.ts';
import { startReadReplica } from './read-replica.ts';
import { type RedisRequest, syncTokenOf } from './read-request.ts';
import type { RedisCommand, RedisConnection } from './redis-connection.ts';
import { startRedisProcess } from './redis-process.ts';
import { runEach, runTogether } from './run-commands.ts';
import { showReply } from './show-reply.ts';

export interface RedisService {
  answer(request: RedisRequest, options: { mayWrite: boolean }): Promise<LocalReply>;
  syncToken(): string;
  stop(): Promise<void>;
}

/** Commands in, answers out, with a Redis behind it; with `replicaDelayMs` a second one, for reads. */
export async function startRedisService(options: {
  maxMemoryBytes: number;
  replicaDelayMs: number | undefined;
  now(): number;
}): Promise<RedisService> {
  const { maxMemoryBytes, replicaDelayMs, now } = options;
  const redis = await startRedisProcess({ maxMemoryBytes });
  const table = await readCommandTable(redis.connection);
  const replica =
    replicaDelayMs === undefined
      ? undefined
      : await startReadReplica({ delayMs: replicaDelayMs, maxMemoryBytes, now });
  let position = 0;

  /** Runs a request. The replica receives writes in the same order as the first Redis. */
  const placeOf = (request: RedisRequest, objections: (string | undefined)[]) => {
    const written = writesIn(request, objections, table);
    if (written.length > 0) {
      position += written.length;
      replica?.follow(position, written);
      return { connection: redis.connection, position };
    }
    return replica?.readFrom(request.knownPosition) ?? { connection: redis.connection, position };
  };

  return {
    answer: async (request, { mayWrite }) => {
      const objections = request.commands.map((command) =>
        objectionTo(command, { table, mayWrite }),
      );
      const place = placeOf(request, objections);
      const reply = await run(request, objections, place.connection);
      return { ...reply, headers: { 'upstash-sync-token': syncTokenOf(place.position) } };
    },
    syncToken: () => syncTokenOf(position),
    stop: async () => {
      await Promise.all([redis.stop(), replica?.stop()]);
    },
  };
}

/** What a replica has to repeat: nothing where nothing is written. */
const writesIn = (
  { form, commands }: RedisRequest,
  objections: (string | undefined)[],
  table: CommandTable,
): RedisCommand[] => {
  const accepted = commands.filter((_, at) => objections[at] === undefined);
  const written = accepted.filter(table.writes);
  if (form !== 'transaction' || written.length === 0) return written;
  // As a whole, as it may be discarded as a whole.
  return accepted.length < commands.length ? [] : [['MULTI'], ...commands, ['EXEC']];
};

const run = async (
  { form, commands, base64 }: RedisRequest,
  objections: (string | undefined)[],
  connection: RedisConnection,
): Promise<LocalReply> => {
  if (form === 'transaction') {
    const reply = await runTogether(connection, commands, objections);
    if (reply.kind === 'array')
      return { status: 200, body: reply.items.map((item) => showReply(item, { base64 })) };
    return { status: 400, body: showReply(reply, { base64 }) };
  }
  const entries = (await runEach(connection, commands, objections)).map((reply) =>
    showReply(reply, { base64 }),
  );
  if (form === 'pipeline') return { status: 200, body: entries };
  const [entry = { error: 'ERR no reply' }] = entries;
  return { status: 'error' in entry ? 400 : 200, body: entry };
};
