import { join } from 'node:path';
import { ROOT } from '../../functions.ts';
import type { LocalWorker } from '../local-cloud.ts';

const MAIN = join(ROOT, 'tools/run/relays/index.ts');

/** `relay-1` to `relay-<count>`. */
export function relayIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `relay-${index + 1}`);
}

/** Relays that can all hand on to one another, and what a function needs to know of them. */
export function relayWorkers(count: number): {
  workers: LocalWorker[];
  services: Record<string, string>;
  vars: Record<string, string>;
} {
  const ids = relayIds(count);
  const services = Object.fromEntries(ids.map((id) => [id.toUpperCase().replaceAll('-', '_'), id]));
  const workers = ids.map((id) => ({ name: id, main: MAIN, vars: { RELAY_ID: id }, services }));
  return { workers, services, vars: { CONTEXT_LOCAL_LIBRARIANS: ids.join(',') } };
}
