import { describe, expect, it } from 'vitest';
import { createFaults } from '../../../src/dev/stand-ins/server/faults.ts';

const to = (path: string, body = '') => ({ method: 'POST', path, body });

describe('createFaults()', () => {
  it('gives counted faults out in the order they were asked for, then none', () => {
    const faults = createFaults();
    faults.next(2, { kind: 'reset' });
    faults.next(1, { kind: 'html-502' });
    const kinds = [1, 2, 3, 4].map(() => faults.take(to('/query'))?.kind);
    expect(kinds).toEqual(['reset', 'reset', 'html-502', undefined]);
  });

  it('falls back to the latest lasting fault when nothing is counted', () => {
    const faults = createFaults();
    faults.always({ kind: 'reset' });
    faults.always({ kind: 'malformed-json' });
    faults.next(1, { kind: 'html-502' });
    const kinds = [1, 2, 3].map(() => faults.take(to('/query'))?.kind);
    expect(kinds).toEqual(['html-502', 'malformed-json', 'malformed-json']);
  });

  it('counts only requests of its scope', () => {
    const faults = createFaults();
    faults.next(1, { kind: 'reset' }, '/query');
    faults.next(1, { kind: 'html-502' }, /^\/up/);
    faults.next(1, { kind: 'malformed-json' }, ({ body }) => body.includes('secret'));
    expect(faults.take(to('/query-data'))).toBeUndefined();
    expect(faults.take(to('/query/namespace'))?.kind).toBe('reset');
    expect(faults.take(to('/query'))).toBeUndefined();
    expect(faults.take(to('/upsert'))?.kind).toBe('html-502');
    expect(faults.take(to('/fetch', 'a secret'))?.kind).toBe('malformed-json');
  });

  it('asks for a fault where no other holds', () => {
    const faults = createFaults();
    faults.sometimes(({ path }) => (path === '/upsert' ? { kind: 'reset' } : undefined));
    faults.next(1, { kind: 'html-502' });
    const kinds = ['/upsert', '/upsert', '/query'].map((path) => faults.take(to(path))?.kind);
    expect(kinds).toEqual(['html-502', 'reset', undefined]);
    faults.none();
    expect(faults.take(to('/upsert'))).toBeUndefined();
  });

  it('forgets everything with none()', () => {
    const faults = createFaults();
    faults.next(1, { kind: 'reset' });
    faults.always({ kind: 'reset' });
    faults.none();
    expect(faults.take(to('/query'))).toBeUndefined();
  });
});
