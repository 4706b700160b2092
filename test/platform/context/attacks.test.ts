import { describe, expect, it } from 'vitest';
import { createKit } from './attack-kit.ts';
import { ATTACKS, type Attack, CONTROLS, outcomeOf } from './attacks.ts';
import { DIRECTORY_ATTACKS, EXPECTED, productionClaims, ROOT_KEY } from './directory-attacks.ts';
import { realRuntime } from './real-runtime.ts';
import { expectation, honestReceipt, RECEIPT_ATTACKS } from './receipt-attacks.ts';

const kit = await createKit(realRuntime);

describe.each<[string, Attack[]]>([
  ['verifyContext() and the senders', ATTACKS],
  ['verifyReceipt() and verifyContext()', RECEIPT_ATTACKS],
  ['loadDirectory()', DIRECTORY_ATTACKS],
])('%s refuse', (_, attacks) => {
  it.each(attacks)('$number $name: $refused.0', async ({ refused, run }) => {
    expect(await outcomeOf(run(kit))).toEqual(refused);
  });
});

describe('verifyContext()', () => {
  it.each(CONTROLS)('accepts $number $name', async ({ run, gives, expected }) => {
    expect(gives(await run(kit))).toEqual(expected);
  });
  it.each([
    ['without a cache', undefined, 6],
    ['of earlier links once, of the last one always, with a cache', realRuntime.linkCache(), 4],
  ])('verifies signatures %s', async (_, cache, expected) => {
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
    for (let round = 0; round < 2; round += 1)
      await kit.verify(token, { directory: { ...kit.directory, key }, cache });
    expect(checked).toBe(expected);
  });
});

it('verifyReceipt() accepts the receipt of the answer, and returns the usage, also in a unit without a limit', async () => {
  const expected = await expectation(kit);
  const text = await honestReceipt(kit, expected.linkHash);
  const receipt = await realRuntime.verifyReceipt(text, expected);
  expect(receipt).toMatchObject({ iss: 'billing', aud: 'gateway', st: 200, use: { tokens: 1200 } });
  expect(receipt.sub).toEqual([expected.linkHash]);
  await expect(
    realRuntime.verifyReceipt(text, { ...expected, budgets: {} }),
  ).resolves.toMatchObject({ st: 200 });
});

it('loadDirectory() accepts a directory signed by the root, with its own version, also again', async () => {
  const load = async (seq: number) => {
    const claims = { ...(await productionClaims()), seq };
    const text = await realRuntime.signDirectory(claims, { privateKey: ROOT_KEY });
    return realRuntime.loadDirectory(text, { ...EXPECTED, lastSeq: seq });
  };
  const [first, second] = [await load(7), await load(8)];
  expect(first.key('billing.1')?.librarian).toBe('billing');
  expect(first).toMatchObject({ env: 'production' });
  expect(first.version).not.toBe(second.version);
});
