import type { RecordedRequest } from '../server/request-log.ts';
import type { RedisCommand } from './redis-connection.ts';

/** The request is none; the message is what the service says. */
export class MalformedCommands extends Error {
  override readonly name = 'MalformedCommands';
}

/** `["SET", "k", 1]`. @throws {MalformedCommands} */
export function readCommand(body: string): RedisCommand {
  const command = commandOf(parse(body));
  if (!command) throw new MalformedCommands('ERR failed to parse command');
  return command;
}

/** `[["SET", "k", 1], ["GET", "k"]]`. @throws {MalformedCommands} */
export function readCommands(body: string, form: 'pipeline' | 'transaction'): RedisCommand[] {
  const parsed = parse(body);
  if (!Array.isArray(parsed)) throw new MalformedCommands(`ERR failed to parse ${form} request`);
  if (parsed.length === 0) throw new MalformedCommands(`ERR empty ${form} request`);
  return parsed.map((each) => {
    const command = commandOf(each);
    if (!command) throw new MalformedCommands(`ERR failed to parse ${form} request`);
    return command;
  });
}

/** `/set/key/value?EX=100`; a body comes after the path, the query after both. @throws {MalformedCommands} */
export function readPathCommand({ path, query, body }: RecordedRequest): RedisCommand {
  const parts = path.slice(1).split('/').map(decode);
  if (body !== '') parts.push(body);
  for (const [name, value] of query)
    if (name !== '_token') parts.push(name, ...(value === '' ? [] : [value]));
  return parts;
}

const commandOf = (value: unknown): RedisCommand | undefined => {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const isPlain = value.every((part) => typeof part === 'string' || typeof part === 'boolean');
  return isPlain ? value.map(String) : undefined;
};

/** Numbers as they were written: those beyond 2^53 would change on the way through JavaScript. */
const parse = (body: string): unknown => {
  const asWritten = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value;
  try {
    // The third argument of a reviver is of ES2026; the types do not have it yet.
    return JSON.parse(body, asWritten as (key: string, value: unknown) => unknown);
  } catch {
    return undefined;
  }
};

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new MalformedCommands('ERR failed to parse command');
  }
};
