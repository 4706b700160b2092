import type { RecordedRequest } from '../server/request-log.ts';
import { readCommand, readCommands, readPathCommand } from './read-commands.ts';
import type { RedisCommand } from './redis-connection.ts';

export interface RedisRequest {
  form: 'single' | 'pipeline' | 'transaction';
  commands: RedisCommand[];
  /** Whether texts are to come back in base64. */
  base64: boolean;
  /** The last write that the caller knows of; 0 when it does not say. */
  knownPosition: number;
}

/** @throws {MalformedCommands} */
export function readRequest(request: RecordedRequest): RedisRequest {
  const { path, body, headers } = request;
  const common = {
    base64: headers['upstash-encoding'] === 'base64',
    knownPosition: positionOf(String(headers['upstash-sync-token'] ?? '')),
  };
  if (path === '/pipeline')
    return { form: 'pipeline', commands: readCommands(body, 'pipeline'), ...common };
  if (path === '/multi-exec')
    return { form: 'transaction', commands: readCommands(body, 'transaction'), ...common };
  return {
    form: 'single',
    commands: [path === '/' ? readCommand(body) : readPathCommand(request)],
    ...common,
  };
}

const PREFIX = 'local:';

/** The sync token that callers send back to see all writes up to a position. */
export function syncTokenOf(position: number): string {
  return Buffer.from(`${PREFIX}${position}`).toString('base64');
}

const positionOf = (token: string): number => {
  const text = Buffer.from(token, 'base64').toString();
  return text.startsWith(PREFIX) ? Number(text.slice(PREFIX.length)) || 0 : 0;
};
