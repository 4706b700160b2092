import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readAs } from '../../../src/contract/core/error-info.ts';

/** Addresses of a running `npm start` and its stand-ins, for other processes of the same user. */
export const RunningDesks = z.object({
  /** Address of the gateway. */
  productUrl: z.url(),
  /** Address of the stand-ins. */
  desksUrl: z.url(),
  /** For their control routes. */
  token: z.string().min(16),
});
export type RunningDesks = z.infer<typeof RunningDesks>;

const fileIn = (state: string): string => join(state, 'helpdesks.json');

export function rememberDesks(state: string, desks: RunningDesks): void {
  writeFileSync(fileIn(state), JSON.stringify(desks), { mode: 0o600 });
}

export function forgetDesks(state: string): void {
  rmSync(fileIn(state), { force: true });
}

/** The desks of the start that began last, among all states in a folder. */
export function findNewestDesks(home: string): RunningDesks | undefined {
  const states = existsSync(home) ? readdirSync(home).map((name) => join(home, name)) : [];
  const running = states.filter((state) => existsSync(fileIn(state)));
  const startedAt = (state: string): number => statSync(fileIn(state)).mtimeMs;
  const [newest] = running.toSorted((one, other) => startedAt(other) - startedAt(one));
  return newest === undefined ? undefined : findDesks(newest);
}

/** Undefined when none was left there. */
export function findDesks(state: string): RunningDesks | undefined {
  const file = fileIn(state);
  if (!existsSync(file)) return undefined;
  try {
    const read = readAs(RunningDesks, JSON.parse(readFileSync(file, 'utf8')));
    return read.ok ? read.value : undefined;
  } catch {
    return undefined;
  }
}
