import type { RedisCommand, RedisConnection } from './redis-connection.ts';
import type { RedisReply } from './resp.ts';

interface CommandFacts {
  writes: boolean;
  /** Positions of its keys: first, last (from the end when negative), and how far apart; 0 when it has none. */
  keys: { first: number; last: number; step: number };
}

/** What Redis itself tells of its commands, and what the service makes of it. */
export interface CommandTable {
  writes(command: RedisCommand): boolean;
  keysOf(command: RedisCommand): string[];
}

export async function readCommandTable(connection: RedisConnection): Promise<CommandTable> {
  const [reply] = await connection.send([['COMMAND']]);
  const table = new Map<string, CommandFacts>();
  for (const entry of itemsOf(reply)) {
    const [name, , flags, first, last, step] = itemsOf(entry);
    const writes = itemsOf(flags).some((flag) => textOf(flag) === 'write');
    table.set(textOf(name), {
      writes,
      keys: { first: numberOf(first), last: numberOf(last), step: numberOf(step) },
    });
  }
  return {
    writes: ([name = '']) => table.get(name.toLowerCase())?.writes ?? false,
    keysOf: (command) => {
      const name = (command[0] ?? '').toLowerCase();
      const { first, last, step } = table.get(name)?.keys ?? { first: 0, last: 0, step: 0 };
      if (first === 0 || step === 0) return [];
      const end = last < 0 ? command.length + last : last;
      return command.filter((_, at) => at >= first && at <= end && (at - first) % step === 0);
    },
  };
}

const itemsOf = (reply: RedisReply | undefined): RedisReply[] =>
  reply?.kind === 'array' ? reply.items : [];
const numberOf = (reply: RedisReply | undefined): number =>
  reply?.kind === 'integer' ? reply.value : 0;
const textOf = (reply: RedisReply | undefined): string => {
  if (reply?.kind === 'bulk') return reply.bytes.toString();
  return reply?.kind === 'status' ? reply.text : '';
};
