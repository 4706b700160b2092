import type { CommandTable } from './command-table.ts';
import type { RedisCommand } from './redis-connection.ts';

export const MAX_REQUEST_BYTES = 10 * 1024 * 1024;
const MAX_KEY_BYTES = 32 * 1024;

/** What a REST request has no connection for, what waits, what is not a tenant's business, and scripts, which we never run. */
const NOT_OFFERED = new Set(
  (
    'auth client hello quit reset select readonly readwrite asking watch unwatch multi exec discard ' +
    'blpop brpop blmove brpoplpush blmpop bzpopmin bzpopmax bzmpop wait waitaof ' +
    'subscribe psubscribe ssubscribe unsubscribe punsubscribe sunsubscribe monitor sync psync ' +
    'shutdown config debug save bgsave bgrewriteaof replicaof slaveof failover cluster module migrate swapdb move ' +
    'eval eval_ro evalsha evalsha_ro fcall fcall_ro script function ' +
    'latency slowlog replconf restore-asking pfdebug pfselftest lolwut'
  ).split(' '),
);
/** Read-only tokens may not look through all keys. */
const ENUMERATES = new Set(['scan', 'keys']);

/** Why the service does not even try a command, in the words of its error; `undefined` when it does. */
export function objectionTo(
  command: RedisCommand,
  { table, mayWrite }: { table: CommandTable; mayWrite: boolean },
): string | undefined {
  const [name = ''] = command;
  const lower = name.toLowerCase();
  const blocks =
    (lower === 'xread' || lower === 'xreadgroup') && command.some((part) => /^block$/i.test(part));
  if (NOT_OFFERED.has(lower) || blocks)
    return `ERR Command is not available: '${name.slice(0, 64)}'`;
  if (!mayWrite && (table.writes(command) || ENUMERATES.has(lower))) {
    return `NOPERM this user has no permissions to run the '${lower}' command`;
  }
  for (const key of table.keysOf(command)) {
    const bytes = Buffer.byteLength(key);
    if (bytes > MAX_KEY_BYTES)
      return `ERR max key size exceeded. Limit: ${MAX_KEY_BYTES} bytes, Actual: ${bytes} bytes`;
  }
  return undefined;
}
