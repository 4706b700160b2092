import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { url } from './driver.ts';

/** The description of the API, as a file that generators read. */
export const description = async (): Promise<string> => {
  const response = await fetch(`${url}/openapi.json`);
  await writeFile('openapi.json', await response.text());
  return 'openapi.json';
};

export const run = async (program: string, ...args: string[]): Promise<void> => {
  try {
    await promisify(execFile)(`node_modules/.bin/${program}`, args, { timeout: 120_000, maxBuffer: 10_000_000 });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }; // as execFile documents
    throw new Error(`${program} failed: ${stdout}\n${stderr}`, { cause: error });
  }
};

/** Compiles a program that uses what was generated, strictly. */
export const compile = async (file: string, program: string): Promise<void> => {
  await writeFile(file, program);
  const lib = ['--lib', 'es2023,dom,dom.iterable', '--skipLibCheck', '--allowImportingTsExtensions'];
  const target = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'esnext', '--moduleResolution', 'bundler'];
  await run('tsc', ...target, ...lib, file);
};
