import { describe, expect, it } from 'vitest';
import { createKit } from './attack-kit.ts';
import { outcomeOf } from './attacks.ts';
import { DIRECTORY_ATTACKS, EXPECTED, productionClaims, ROOT_KEY } from './directory-attacks.ts';
import { realRuntime } from './real-runtime.ts';

const kit = await createKit(realRuntime);

describe('loadDirectory()', () => {
  it('accepts a directory signed by the root, with its own version', async () => {
    const claims = await productionClaims();
    const texts = await Promise.all(
      [claims, { ...claims, seq: 8 }].map((version) => realRuntime.signDirectory(version, { privateKey: ROOT_KEY })),
    );
    const [first, second] = await Promise.all(texts.map((text) => realRuntime.loadDirectory(text, EXPECTED)));
    expect(first?.key('billing.1')?.librarian).toBe('billing');
    expect(first?.version).not.toBe(second?.version);
  });

  it('accepts the same directory again', async () => {
    const text = await realRuntime.signDirectory(await productionClaims(), { privateKey: ROOT_KEY });
    await expect(realRuntime.loadDirectory(text, { ...EXPECTED, lastSeq: 7 })).resolves.toMatchObject({
      env: 'production',
    });
  });
});

describe('loadDirectory() refuses', () => {
  for (const attack of DIRECTORY_ATTACKS) {
    it(`${attack.number} ${attack.name}`, async () => {
      expect(await outcomeOf(attack.run(kit))).toEqual(attack.refused);
    });
  }
});
