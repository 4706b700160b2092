import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectRedis, type RedisConnection } from './redis-connection.ts';

export interface RedisProcess {
  connection: RedisConnection;
  stop(): Promise<void>;
}

const START_MS = 10_000;

// Redis ends, and its folder goes, as soon as the input of this shell ends: when asked to, and also when the process that
// started it is gone.
const KEEPER =
  'exec 3<&0; redis-server "$@" & server=$!; { cat <&3 >/dev/null; kill "$server" 2>/dev/null; } & ' +
  'wait "$server"; rm -rf -- "$0"';

/** Starts a Redis of its own, reachable through a socket file, that writes nothing to the disk. */
export async function startRedisProcess({
  maxMemoryBytes,
}: {
  maxMemoryBytes: number;
}): Promise<RedisProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'constellation-redis-'));
  const socketPath = join(folder, 'redis.sock');
  const settings = {
    port: 0,
    unixsocket: socketPath,
    dir: folder,
    save: '',
    appendonly: 'no',
    databases: 1,
    maxmemory: maxMemoryBytes,
    'maxmemory-policy': 'noeviction',
    loglevel: 'warning',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const keeper = spawn('sh', ['-c', KEEPER, folder, ...options], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  const listen = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2000);
  };
  keeper.stdout.on('data', listen);
  keeper.stderr.on('data', listen);
  keeper.stdin.on('error', () => {}); // It ended by itself; `exit` tells.
  const exited = once(keeper, 'exit');
  const stop = async () => {
    keeper.stdin.end();
    await exited;
  };

  const deadline = Date.now() + START_MS;
  for (;;) {
    const connection = await connectRedis(socketPath).catch(() => undefined);
    if (connection) {
      return {
        connection,
        stop: () => {
          connection.close();
          return stop();
        },
      };
    }
    if (keeper.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`Cannot start redis-server: ${output.trim() || 'it does not answer'}`);
    }
    await delay(10);
  }
}
