import { describe, expect, it } from 'vitest';
import { createKit } from './attack-kit.ts';
import { outcomeOf } from './attacks.ts';
import { realRuntime } from './real-runtime.ts';
import { expectation, honestReceipt, RECEIPT_ATTACKS } from './receipt-attacks.ts';

const kit = await createKit(realRuntime);

describe('verifyReceipt()', () => {
  it('accepts the receipt of the answer, and returns the usage', async () => {
    const expected = await expectation(kit);
    const receipt = await realRuntime.verifyReceipt(await honestReceipt(kit, expected.linkHash), expected);
    expect(receipt).toMatchObject({ iss: 'billing', aud: 'gateway', st: 200, use: { tokens: 1200 } });
    expect(receipt.sub).toEqual([expected.linkHash]);
  });

  it('accepts usage in a unit without a limit', async () => {
    const expected = await expectation(kit);
    const text = await honestReceipt(kit, expected.linkHash);
    await expect(realRuntime.verifyReceipt(text, { ...expected, budgets: {} })).resolves.toMatchObject({ st: 200 });
  });
});

describe('verifyReceipt() and verifyContext() refuse', () => {
  for (const attack of RECEIPT_ATTACKS) {
    it(`${attack.number} ${attack.name}`, async () => {
      expect(await outcomeOf(attack.run(kit))).toEqual(attack.refused);
    });
  }
});
