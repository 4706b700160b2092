import type { RedisCommand, RedisConnection } from './redis-connection.ts';
import type { RedisReply } from './resp.ts';

/** Why each command is not even tried, in their order; `undefined` when it is. */
type Objections = readonly (string | undefined)[];

/** Runs each command that nothing is to be said against; for the others the objection is the reply. */
export async function runEach(
  connection: RedisConnection,
  commands: readonly RedisCommand[],
  objections: Objections,
): Promise<RedisReply[]> {
  const replies = (
    await connection.send(commands.filter((_, at) => objections[at] === undefined))
  ).values();
  return objections.map(
    (text) => (text === undefined ? replies.next().value : undefined) ?? error(text ?? 'ERR'),
  );
}

/** Runs all commands as one transaction, or none: then the reply is the one error that was the reason. */
export async function runTogether(
  connection: RedisConnection,
  commands: readonly RedisCommand[],
  objections: Objections,
): Promise<RedisReply> {
  const objection = objections.find((text) => text !== undefined);
  if (objection !== undefined) return error(objection);
  const replies = await connection.send([['MULTI'], ...commands, ['EXEC']]);
  const refused = replies.slice(0, -1).find(({ kind }) => kind === 'error');
  return refused ?? replies.at(-1) ?? error('ERR no reply to EXEC');
}

const error = (text: string): RedisReply => ({ kind: 'error', text });
