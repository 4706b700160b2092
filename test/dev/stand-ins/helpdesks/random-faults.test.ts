import { expect, it } from 'vitest';
import { randomFaults } from '../../../../src/dev/stand-ins/helpdesks/random-faults.ts';
import { seededRandom } from '../../../../src/runtime/seeded-random.ts';

const REQUEST = { method: 'GET', path: '/chatwoot', body: '' };
const faultsOf = (seed: number, options: { share: number; hangs?: boolean }) => {
  const choose = randomFaults({ random: seededRandom(seed), ...options });
  return Array.from({ length: 1000 }, () => choose(REQUEST));
};

it('chooses the same for the same seed, and lets about its share fail, in every way', () => {
  expect(faultsOf(1, { share: 0.5 })).toEqual(faultsOf(1, { share: 0.5 }));
  expect(faultsOf(1, { share: 0.5 })).not.toEqual(faultsOf(2, { share: 0.5 }));
  const faults = faultsOf(3, { share: 0.4 }).filter((fault) => fault !== undefined);
  expect([faults.length > 340, faults.length < 460]).toEqual([true, true]);
  const forms = faults.map((fault) => Object.keys(fault).join() + ('status' in fault ? fault.status : fault.kind));
  expect(new Set(forms).size).toBe(13);
  const kinds = faultsOf(4, { share: 1, hangs: false }).map((fault) => fault?.kind);
  expect(kinds).not.toContain('hang-before-headers');
});
