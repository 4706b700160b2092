import { once } from 'node:events';
import { connect } from 'node:net';
import { createReplyReader, encodeCommand, type RedisReply } from './resp.ts';

export type RedisCommand = readonly string[];

/**
 * One connection to Redis. Commands handed over together are sent in one piece: between them no other command of this
 * connection runs, which is what MULTI and EXEC need.
 */
export interface RedisConnection {
  /** One reply for each command, in their order. Errors of Redis are replies; a lost connection rejects. */
  send(commands: readonly RedisCommand[]): Promise<RedisReply[]>;
  close(): void;
}

/**
 * By hand, as client libraries (`redis`, `ioredis`) do not tell a status from a text, which the encoding over HTTP
 * depends on, and as nothing is needed of what else they do.
 */
export async function connectRedis(socketPath: string): Promise<RedisConnection> {
  const waiting: { resolve(reply: RedisReply): void; reject(error: Error): void }[] = [];
  let lost: Error | undefined;
  const socket = connect(socketPath);
  const lose = (error: Error) => {
    lost ??= error;
    for (const each of waiting.splice(0)) each.reject(lost);
  };
  const read = createReplyReader((reply) => waiting.shift()?.resolve(reply));
  socket.on('data', (chunk) => {
    try {
      read(chunk);
    } catch (error) {
      socket.destroy(error instanceof Error ? error : new Error('Cannot read a reply of Redis'));
    }
  });
  socket.on('error', lose);
  socket.on('close', () => lose(new Error('The connection to Redis ended')));
  await once(socket, 'connect');
  return {
    send: (commands) => {
      if (lost) return Promise.reject(lost);
      const replies = commands.map(
        () => new Promise<RedisReply>((resolve, reject) => waiting.push({ resolve, reject })),
      );
      socket.write(Buffer.concat(commands.map(encodeCommand)));
      return Promise.all(replies);
    },
    close: () => socket.destroy(),
  };
}
