import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fail, failUsage, IS_PUBLISHED } from '../../tools/command-line.ts';
import { productProblem } from '../../tools/node-version.js';
import { cleanLine } from './terminal.ts';

/** What `npm start` runs; beside this file in the published command line. */
const START = fileURLToPath(
  new URL(IS_PUBLISHED ? './start.js' : '../../tools/run/start.ts', import.meta.url),
);

/** Ends the process with one line if this Node is too old for the product; a checkout has its own. */
export function refuseOldNode(command: string): void {
  const problem = productProblem(command, process.versions.node, process.execPath);
  if (IS_PUBLISHED && problem !== undefined) fail(problem);
}

interface StartedFolder {
  url: string;
  key: string;
  /** Ends the product and removes its state. */
  stop(): Promise<void>;
}

/**
 * Starts the product on a folder, on a free port and with a state of its own.
 *
 * @throws {Error} With what it printed last, when it ends before it answers.
 */
export async function startFolder(
  folder: string,
  { hasModel, say }: { hasModel: boolean; say: (line: string) => void },
): Promise<StartedFolder> {
  refuseOldNode('check --kb');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    return failUsage(`--kb ${folder} is no folder`);
  const state = mkdtempSync(join(tmpdir(), 'constellation-check-'));
  const args = [START, '--kb', folder, '--port', '0', '--state', state, '--no-helpdesk'];
  const child = spawn(process.execPath, hasModel ? args : [...args, '--no-model'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exit;
    rmSync(state, { recursive: true, force: true });
  };
  say(`starting on ${cleanLine(folder)}`);
  let lastError = '';
  child.stderr.on('data', (data: Buffer) => {
    lastError = data.toString();
  });
  process.once('exit', () => child.kill());
  const ready = new Promise<{ url: string; key: string } | undefined>((resolve) => {
    // What it prints later is read too, so that it never fills the pipe.
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, url, key] = /^ready (\S+) key (\S+)$/.exec(line) ?? [];
      if (url !== undefined && key !== undefined) resolve({ url, key });
    });
    void exit.then(() => resolve(undefined));
  });
  const address = await ready;
  if (address !== undefined) return { ...address, stop };
  await stop();
  throw new Error(`Cannot start on ${folder}: ${cleanLine(lastError) || 'the product ended'}`);
}
