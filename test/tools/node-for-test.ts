import { type ChildProcess, spawn } from 'node:child_process';
import { ROOT } from '../../tools/functions.ts';

/** Processes that a test has left: one that timed out does not stop them. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

interface SpawnOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** The user of the process; the current one when absent. */
  uid?: number;
}

const spawned = (
  command: string,
  args: readonly string[],
  { cwd = ROOT, env, uid }: SpawnOptions,
): [ChildProcess, Output] => {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes) => (output.stdout += bytes));
  child.stderr.on('data', (bytes) => (output.stderr += bytes));
  return [child, output];
};
interface Output {
  stdout: string;
  stderr: string;
}

/** Runs a command to its end, in the checkout unless another folder is given. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<Output & { status: number | null }> {
  const [child, output] = spawned(command, args, options);
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, ...output };
}

export function runNode(args: readonly string[], options?: SpawnOptions) {
  return runCommand(process.execPath, args, options);
}

/** `npm start -- …`, as a user would, until it says that it is ready. */
export function startProduct(args: readonly string[], options: SpawnOptions = {}) {
  return startCommand([process.execPath, ['tools/run/start.ts', ...args]], options);
}

/** A command that starts the product, until it says that it is ready. */
export async function startCommand(
  [command, args]: readonly [string, readonly string[]],
  options: SpawnOptions = {},
) {
  const [child, output] = spawned(command, args, options);
  const all = () => output.stdout + output.stderr;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [, url = '', key = ''] = await new Promise<string[]>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const ready = /^ready (\S+) key (\S+)$/m.exec(output.stdout);
      if (ready) resolve(ready);
    });
    void ended.then(() => reject(new Error(`it ended: ${all()}`)));
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return {
    url,
    key,
    output: all,
    get: async (path: string): Promise<unknown> =>
      (await fetch(new URL(path, url), { headers })).json(),
    ask: async (body: {
      query: string;
      librarian: string;
      include?: string[];
    }): Promise<{ answer: string }> => {
      const response = await fetch(new URL('/v1/ask', url), {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return (await response.json()) as { answer: string }; // what the route documents
    },
    /** Sends the signal twice, as npm does when it passes on what the terminal sent to both. Returns the exit code. */
    stop: (signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> => {
      for (let time = 0; time < 2 && child.exitCode === null; time += 1) child.kill(signal);
      return ended;
    },
  };
}
