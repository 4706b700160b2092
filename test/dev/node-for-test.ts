import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../src/dev/functions.ts';

/** Stripped and compiled modules, for all processes that tests start: loading them is most of what a script takes. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'constellation-compile-cache');

interface Surroundings {
  cwd?: string;
  env?: Record<string, string>;
  /** Whom the process runs as; the same user when absent. */
  uid?: number;
}

const spawned = (
  command: string,
  args: readonly string[],
  { cwd = ROOT, env, uid }: Surroundings,
): [ChildProcess, Said] => {
  const child = spawn(command, args, {
    ...{ cwd, env: { ...process.env, NODE_COMPILE_CACHE, ...env } },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes) => (said.stdout += bytes));
  child.stderr.on('data', (bytes) => (said.stderr += bytes));
  return [child, said];
};
interface Said {
  stdout: string;
  stderr: string;
}

/** Runs a command to its end, in the checkout unless another folder is given. */
export const runCommand = async (
  command: string,
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<Said & { status: number | null }> => {
  const [child, said] = spawned(command, args, surroundings);
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, ...said };
};

export const runNode = (args: readonly string[], surroundings?: Surroundings) =>
  runCommand(process.execPath, args, surroundings);

/** `npm start -- …`, as a user would, until it says that it is ready. */
export const startProduct = async (args: readonly string[], surroundings: Surroundings = {}) => {
  const [child, said] = spawned(process.execPath, ['src/dev/run/start.ts', ...args], surroundings);
  const output = () => said.stdout + said.stderr;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [, url = '', key = ''] = await new Promise<string[]>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const ready = /^ready (\S+) key (\S+)$/m.exec(said.stdout);
      if (ready) resolve(ready);
    });
    void ended.then(() => reject(new Error(`it ended: ${output()}`)));
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return {
    url,
    key,
    output,
    get: async (path: string): Promise<unknown> => (await fetch(new URL(path, url), { headers })).json(),
    ask: async (body: { query: string; librarian: string }): Promise<{ answer: string }> => {
      const response = await fetch(new URL('/v1/ask', url), { method: 'POST', headers, body: JSON.stringify(body) });
      return (await response.json()) as { answer: string }; // what the route documents
    },
    /** As npm does, which hands on what the terminal has sent to both: the signal comes twice. Gives the exit code. */
    stop: (signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> => {
      for (let time = 0; time < 2 && child.exitCode === null; time += 1) child.kill(signal);
      return ended;
    },
  };
};
