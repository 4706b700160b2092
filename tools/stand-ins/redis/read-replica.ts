import type { RedisCommand, RedisConnection } from './redis-connection.ts';
import { startRedisProcess } from './redis-process.ts';

/**
 * A second Redis that receives writes late. It repeats the commands themselves, so that what is random in them (`SPOP`) may come out
 * otherwise than on the first.
 */
export interface ReadReplica {
  /** Hands over commands that bring the first Redis to a position. */
  follow(position: number, commands: readonly RedisCommand[]): void;
  /** For a reader who knows of a position: catches up with it, and with all that the delay has passed for. */
  readFrom(known: number): { connection: RedisConnection; position: number };
  stop(): Promise<void>;
}

export async function startReadReplica(options: {
  delayMs: number;
  maxMemoryBytes: number;
  now(): number;
}): Promise<ReadReplica> {
  const { delayMs, now } = options;
  const { connection, stop } = await startRedisProcess(options);
  const waiting: { position: number; commands: readonly RedisCommand[]; due: number }[] = [];
  let position = 0;
  return {
    follow: (next, commands) => {
      waiting.push({ position: next, commands, due: now() + delayMs });
    },
    readFrom: (known) => {
      for (
        let next = waiting[0];
        next && (next.position <= known || next.due <= now());
        next = waiting[0]
      ) {
        waiting.shift();
        position = next.position;
        // Replies are those of the first Redis; one connection keeps the order. A lost one fails the read that follows.
        connection.send(next.commands).catch(() => {});
      }
      return { connection, position };
    },
    stop,
  };
}
