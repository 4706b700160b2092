import type { SeededRandom } from '../../../tools/sample/shop/seeded-random.ts';
import type { Fault, FaultTarget } from '../../../tools/stand-ins/server/faults.ts';
import type { ServiceFault } from './fault-plan.ts';

/** What went wrong, by kind. */
export type FaultCounts = Record<string, number>;

/**
 * Faults of a helpdesk's API: one read in ten fails, and three writes in ten.
 *
 * @param options.lateMs Maximum delay of a write after its call timed out: below the settling time, and longer than the time until the
 * ticket is retried.
 */
export function helpdeskFaults(
  random: SeededRandom,
  counts: FaultCounts,
  { lateMs }: { lateMs: number },
) {
  return ({ method }: FaultTarget): Fault | undefined => {
    const share = random.next();
    const late = random.between(50, Math.floor(lateMs));
    const isRead = method === 'GET';
    const failing = isRead ? 0.1 : 0.3;
    if (share > failing) return undefined;
    const kinds: [name: string, fault: Fault, weight: number][] = [
      ['refused 500', { kind: 'status', status: 500 }, 3],
      ['refused 503', { kind: 'status', status: 503 }, 2],
      ['page of a proxy', { kind: 'html-502' }, 2],
      ['reset', { kind: 'reset' }, 3],
      ['reset, carried out', { kind: 'reset', executed: true }, 4],
      ['reset, carried out late', { kind: 'reset', executedAfterMs: late }, 6],
      ['reply cut', { kind: 'reset-in-body' }, 2],
      ['no JSON', { kind: 'malformed-json' }, 1],
      ['half of the JSON', { kind: 'truncated-json' }, 1],
      ['hanging', { kind: 'hang-before-headers' }, 1],
      ['hanging, carried out', { kind: 'hang-before-headers', executed: true }, 1],
      ['hanging in the body', { kind: 'hang-in-body' }, 1],
      ['429 with Retry-After', { kind: 'status', status: 429, retryAfter: 1 }, 1],
    ];
    const [name, fault] = weighted(kinds, share / failing);
    add(counts, `${isRead ? 'read' : 'write'}: ${name}`);
    return fault;
  };
}

/** One call between functions in ten fails. */
export function serviceFaults(random: SeededRandom, counts: FaultCounts) {
  return (service: string): ServiceFault => {
    const share = random.next();
    if (share > 0.1) return 'none';
    const kinds: [name: string, fault: ServiceFault, weight: number][] = [
      ['status', 'status', 3],
      ['reset', 'reset', 3],
      ['lost', 'lost', 3],
      ['hang', 'hang', 1],
    ];
    const [name, fault] = weighted(kinds, share / 0.1);
    add(counts, `${service}: ${name}`);
    return fault;
  };
}

/** One call of a model's API in five fails. */
export function modelFaults(random: SeededRandom, counts: FaultCounts) {
  return ({ path }: FaultTarget): Fault | undefined => {
    const share = random.next();
    if (share > 0.2) return undefined;
    const kinds: [name: string, fault: Fault, weight: number][] = [
      ['refused 500', { kind: 'status', status: 500 }, 3],
      ['refused 429', { kind: 'status', status: 429, retryAfter: 1 }, 1],
      ['reset', { kind: 'reset' }, 3],
      ['no JSON', { kind: 'malformed-json' }, 2],
      ['hanging', { kind: 'hang-before-headers' }, 1],
    ];
    const [name, fault] = weighted(kinds, share / 0.2);
    add(counts, `model ${path}: ${name}`);
    return fault;
  };
}

const add = (counts: FaultCounts, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** @param share 0 to 1. */
const weighted = <T>(kinds: readonly [string, T, number][], share: number): [string, T] => {
  const total = kinds.reduce((sum, [, , weight]) => sum + weight, 0);
  let left = share * total;
  for (const [name, value, weight] of kinds) {
    left -= weight;
    if (left <= 0) return [name, value];
  }
  throw new RangeError('Cannot choose: the share is above 1');
};
