import { describe, expect, it } from 'vitest';
import { createKit } from './attack-kit.ts';
import { ATTACKS, CONTROLS, outcomeOf } from './attacks.ts';
import { realRuntime } from './real-runtime.ts';

const kit = await createKit(realRuntime);

describe('verifyContext() accepts', () => {
  for (const { number, name, run, gives, expected } of CONTROLS) {
    it(`${number} ${name}`, async () => {
      expect(gives(await run(kit))).toEqual(expected);
    });
  }
});

describe('verifyContext() and the senders refuse', () => {
  for (const { number, name, refused, run } of ATTACKS) {
    it(`${number} ${name}: ${refused[0]}`, async () => {
      expect(await outcomeOf(run(kit))).toEqual(refused);
    });
  }
});

describe('verifyContext() with a cache', () => {
  /** How many signatures are checked when one token is verified twice. */
  const signaturesChecked = async (cache: ReturnType<typeof realRuntime.linkCache> | undefined): Promise<number> => {
    let checked = 0;
    const key = (kid: string) => {
      const known = kit.directory.key(kid);
      if (known === undefined) return undefined;
      const verify: typeof known.verify = (...signed) => {
        checked += 1;
        return known.verify(...signed);
      };
      return { ...known, verify };
    };
    const token = await kit.travel(['gateway', 'triage', 'search', 'billing']);
    for (let round = 0; round < 2; round += 1) await kit.verify(token, { directory: { ...kit.directory, key }, cache });
    return checked;
  };

  it('verifies the signatures of earlier links once, the last one always', async () => {
    expect(await signaturesChecked(undefined)).toBe(6);
    expect(await signaturesChecked(realRuntime.linkCache())).toBe(4);
  });
});
