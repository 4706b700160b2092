import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Circuits, createCircuits, type Lesson } from '../../../src/runtime/delegation/circuits.ts';

const well = async (): Promise<Lesson> => ({ health: 'well' });
const broken = async (): Promise<Lesson> => ({ health: 'broken' });
const unknown = async (): Promise<Lesson> => ({ health: 'unknown' });

const repeat = async (times: number, run: () => Promise<unknown>) => {
  for (let round = 0; round < times; round += 1) await run();
};

/** Long enough for any circuit to allow a probe. */
const LATER_MS = 61_000;
const later = () => vi.setSystemTime(Date.now() + LATER_MS);

const opened = async (circuits: Circuits = createCircuits(), key = 'default/a') => {
  await repeat(5, () => circuits.run(key, broken));
  return circuits;
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('createCircuits()', () => {
  it('lets four failures in a row pass, and refuses after the fifth', async () => {
    const circuits = createCircuits();
    await repeat(4, () => circuits.run('default/a', broken));
    expect(await circuits.run('default/a', broken)).toEqual({ health: 'broken' });
    expect(await circuits.run('default/a', well)).toBeUndefined();
  });

  it('counts only failures in a row', async () => {
    const circuits = createCircuits();
    await repeat(4, () => circuits.run('default/a', broken));
    await circuits.run('default/a', well);
    await repeat(4, () => circuits.run('default/a', broken));
    expect(await circuits.run('default/a', well)).toEqual({ health: 'well' });
  });

  it('learns nothing from what teaches nothing', async () => {
    const circuits = createCircuits();
    await repeat(20, () => circuits.run('default/a', unknown));
    expect(await circuits.run('default/a', well)).toEqual({ health: 'well' });
    await repeat(4, () => circuits.run('default/a', broken));
    await repeat(5, () => circuits.run('default/a', unknown));
    await circuits.run('default/a', broken);
    expect(await circuits.run('default/a', well)).toBeUndefined();
  });

  it('closes nothing to another workspace or target', async () => {
    const circuits = await opened();
    expect(await circuits.run('other/a', well)).toEqual({ health: 'well' });
    expect(await circuits.run('default/b', well)).toEqual({ health: 'well' });
  });

  it('lets one call probe after a while, and refuses the others at once', async () => {
    const circuits = await opened();
    later();
    const { promise, resolve } = Promise.withResolvers<Lesson>();
    const probe = circuits.run('default/a', () => promise);
    let asked = 0;
    const others = await Promise.all(
      [1, 2, 3].map(() =>
        circuits.run('default/a', () => {
          asked += 1;
          return well();
        }),
      ),
    );
    expect([others, asked]).toEqual([[undefined, undefined, undefined], 0]);
    resolve({ health: 'well' });
    expect(await probe).toEqual({ health: 'well' });
    expect(await circuits.run('default/a', well)).toEqual({ health: 'well' });
  });

  it('rests on after a probe that failed', async () => {
    const circuits = await opened();
    later();
    expect(await circuits.run('default/a', broken)).toEqual({ health: 'broken' });
    expect(await circuits.run('default/a', well)).toBeUndefined();
    later();
    expect(await circuits.run('default/a', well)).toEqual({ health: 'well' });
  });

  it('takes a probe that was given up for none: the next call probes, and decides', async () => {
    const circuits = await opened();
    later();
    expect(await circuits.run('default/a', unknown)).toEqual({ health: 'unknown' });
    expect(await circuits.run('default/a', broken)).toEqual({ health: 'broken' });
    expect(await circuits.run('default/a', well)).toBeUndefined();
  });

  it('is not stuck when the request that probes ends without a word', async () => {
    const circuits = await opened();
    later();
    void circuits.run('default/a', () => new Promise<Lesson>(() => undefined));
    expect(await circuits.run('default/a', well)).toBeUndefined();
    vi.setSystemTime(Date.now() + 3001);
    expect(await circuits.run('default/a', well)).toEqual({ health: 'well' });
    expect(await circuits.run('default/a', well)).toEqual({ health: 'well' });
  });

  it('is not reopened by a probe that comes back when another has closed it', async () => {
    const circuits = await opened();
    later();
    const { promise, resolve } = Promise.withResolvers<Lesson>();
    const late = circuits.run('default/a', () => promise);
    vi.setSystemTime(Date.now() + 3001);
    await circuits.run('default/a', well);
    resolve({ health: 'broken' });
    await late;
    expect(await circuits.run('default/a', well)).toEqual({ health: 'well' });
  });

  it('remembers a bounded number of targets', async () => {
    const circuits = createCircuits({ limit: 2 });
    await opened(circuits);
    await circuits.run('default/b', well);
    expect(await circuits.run('default/a', well)).toBeUndefined();
    await circuits.run('default/c', well);
    await circuits.run('default/d', well);
    expect(await circuits.run('default/a', well)).toEqual({ health: 'well' });
  });
});
