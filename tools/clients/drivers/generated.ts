import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ANSWERED, DECLINED, isAnswer, isDecline, load, url } from './driver.ts';

/** The description of the API, as a file that generators read. */
export async function description(): Promise<string> {
  const response = await fetch(`${url}/openapi.json`);
  await writeFile('openapi.json', await response.text());
  return 'openapi.json';
}

export async function run(program: string, ...args: string[]): Promise<void> {
  try {
    await promisify(execFile)(`node_modules/.bin/${program}`, args, {
      timeout: 120_000,
      maxBuffer: 10_000_000,
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }; // as execFile documents
    throw new Error(`${program} failed: ${stdout}\n${stderr}`, { cause: error });
  }
}

/** Compiles a program that uses what was generated, strictly. */
export async function compile(file: string, program: string): Promise<void> {
  await writeFile(file, program);
  const lib = [
    '--lib',
    'es2023,dom,dom.iterable',
    '--skipLibCheck',
    '--allowImportingTsExtensions',
  ];
  const target = [
    '--noEmit',
    '--strict',
    '--target',
    'es2023',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ];
  await run('tsc', ...target, ...lib, file);
}

/** A program with a generated client that hands on what it gets. */
interface Program {
  ask(
    query: string,
    headers?: object,
  ): Promise<{
    data?: { answer: string };
    error?: { error: { code: string } };
    response: Response;
  }>;
}

/** What every generated client does with `POST /v1/ask`; the program is loaded when it is asked, as it is generated before. */
export function askActions(path: string): Record<string, () => Promise<void>> {
  const ask = async (query: string, headers?: object) =>
    (await load<Program>(path)).ask(query, headers);
  return {
    'a question answered': async () => isAnswer(`${(await ask(ANSWERED)).data?.answer} [1]`),
    'a question declined': async () => isDecline((await ask(DECLINED)).data?.answer ?? ''),
    'a bad request': async () => {
      const { error, response } = await ask(' ');
      assert.deepEqual([response.status, error?.error.code], [400, 'INVALID_QUERY']);
    },
    'a wrong key': async () => {
      const { error, response } = await ask('Why?', { Authorization: 'Bearer wrong' });
      assert.deepEqual([response.status, error?.error.code], [401, 'UNAUTHORIZED']);
    },
  };
}
