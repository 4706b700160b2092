import type { Receipt } from '../../../src/platform/context/receipt.ts';
import { encodeBase64url, sha256, utf8 } from '../../../src/platform/encoding.ts';
import {
  BODY,
  type Claims,
  editClaims,
  editPart,
  headerOf,
  type Kit,
  kidOf,
  NOW,
  OP,
} from './attack-kit.ts';
import type { Attack } from './attacks.ts';

const ANSWER = utf8('{"answer":"Because of the new meter [billing.md]"}');
const RECEIPT = 'ctx-receipt+jwt';

/** A call of `gateway` to `billing`, and what `gateway` expects of the receipt. */
export async function expectation(kit: Kit) {
  const call = { signer: kit.signer('gateway'), aud: 'billing', op: OP, body: BODY, now: NOW };
  const { link, budgets } = await kit.runtime.mintContext(kit.origin(), call);
  const { directory } = kit;
  const linkHash = await sha256(utf8(link));
  const answer = { self: 'gateway', librarian: 'billing', status: 200, body: ANSWER, now: NOW };
  return { ...answer, link, linkHash, budgets, directory };
}

/** The honest receipt of `billing`. */
export async function honestReceipt(kit: Kit, linkHash: string): Promise<string> {
  const caller = { id: 'gateway', linkHash };
  const answer = {
    caller,
    status: 200,
    body: ANSWER,
    now: NOW,
    usage: { tokens: 1200 },
    receipts: [linkHash],
  };
  return kit.runtime.signReceipt(kit.signer('billing'), answer);
}

type Expected = Awaited<ReturnType<typeof expectation>>;

/** The caller gets another receipt, or expects another answer. */
const attack = (
  number: string,
  name: string,
  reason: string,
  change: {
    receipt?: (kit: Kit, expected: Expected) => Promise<string>;
    expected?: Partial<Expected> | ((kit: Kit) => Promise<Partial<Expected>>);
  },
): Attack => ({
  number,
  name,
  refused: ['UNAUTHORIZED', reason],
  run: async (kit) => {
    const expected = await expectation(kit);
    const receipt = await (change.receipt?.(kit, expected) ??
      honestReceipt(kit, expected.linkHash));
    const other =
      typeof change.expected === 'function' ? await change.expected(kit) : change.expected;
    return kit.runtime.verifyReceipt(receipt, { ...expected, ...other });
  },
});

/** The honest claims, some of them changed, signed by `billing` or by another librarian, under any kid. */
const signed = (
  number: string,
  name: string,
  reason: string,
  by: string,
  to: Claims = {},
  kid = kidOf(by),
): Attack => {
  const receipt = async (kit: Kit, { linkHash }: Expected) => {
    const [, claims = ''] = (await honestReceipt(kit, linkHash)).split('.');
    const honest: Receipt = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/')));
    return kit.link({ ...honest, ...to }, by, headerOf(kid, { typ: RECEIPT }));
  };
  return attack(number, name, reason, { receipt });
};

const changed = (number: string, name: string, reason: string, to: Claims): Attack =>
  signed(number, name, reason, 'billing', to);

/** A directory with a changed key or entry of `billing`. */
const billing = (change: { key?: object; entry?: object }) => async (kit: Kit) => {
  const ids = kit.directory
    .ids()
    .map((id) => [id, structuredClone(kit.directory.librarian(id))] as const);
  const librarians = Object.fromEntries(ids);
  Object.assign(librarians.billing ?? {}, change.entry);
  Object.assign(librarians.billing?.keys[0] ?? {}, change.key);
  const claims = { v: 1, env: 'development', seq: 8, exp: (NOW + 1000) / 1000, librarians };
  return { directory: kit.runtime.openDirectory(claims, { version: 'v2' }) };
};

const OTHER = 'the receipt is from another librarian';
const OTHER_KEY = 'the key of the receipt belongs to another librarian';
const WRONG = 'the signature of the receipt is wrong';

export const RECEIPT_ATTACKS: Attack[] = [
  attack('R1', 'an altered answer', 'the answer is not the one that was signed', {
    expected: { body: utf8('{}') },
  }),
  attack('R2', 'the receipt of another request', 'the receipt is for another request', {
    receipt: async (kit) => honestReceipt(kit, (await expectation(kit)).linkHash),
  }),
  signed('R3', 'the receipt of another librarian', OTHER, 'search', { iss: 'search' }),
  signed('R3a', "another librarian signs in billing's name", OTHER_KEY, 'search'),
  signed(
    'R3b',
    "another librarian signs with billing's kid",
    WRONG,
    'search',
    {},
    kidOf('billing'),
  ),
  signed('R3c', 'an unknown kid', 'the key of the receipt is unknown', 'billing', {}, 'billing.9'),
  changed('R4', 'more used than granted', 'more was used than granted', {
    use: { tokens: 20_001 },
  }),
  changed('R5', 'a 504 turned into a 200', 'the status is not the one that was signed', {
    st: 504,
  }),
  attack('R6', 'a link as receipt', 'the type is not the one expected here', {
    receipt: async (_, { link }) => link,
  }),
  changed('R7', 'the receipt of another caller', 'the receipt is for another caller', {
    aud: 'triage',
  }),
  attack('R8', 'a claim edited after signing', WRONG, {
    receipt: async (kit, { linkHash }) =>
      editClaims(await honestReceipt(kit, linkHash), (text) => text.replace('1200', '1100')),
  }),
  attack('R9', 'a signature of 63 bytes', 'the signature is not 64 bytes', {
    receipt: async (kit, { linkHash }) =>
      editPart(await honestReceipt(kit, linkHash), 2, (bytes) => bytes.slice(1)),
  }),
  changed('R10', 'issued in the future', 'the receipt is issued in the future', {
    iat: (NOW + 5001) / 1000,
  }),
  attack('R11', 'more than 4 KB', 'the receipt is longer than 4,096 bytes', {
    receipt: async () => 'A'.repeat(4097),
  }),
  changed('R12', 'an unknown claim', 'the receipt has other claims', { note: 'x' }),
  changed('R12a', 'a claim of another type', 'the receipt has other claims', { bd: 7 }),
  changed('R12b', 'a status that is no number', 'st or iat is not a number', { st: '200' }),
  changed('R12c', 'a negative usage', 'use is not a list of amounts', { use: { tokens: -5 } }),
  changed('R12d', 'no list of receipts', 'sub is not a list of at most 32', { sub: {} }),
  changed('R12e', 'receipts that are no hashes', 'sub holds something else than hashes', {
    sub: ['x'],
  }),
  attack('R13', 'a directory that has expired', 'the key directory has expired', {
    expected: async (kit) => ({ ...(await billing({})(kit)), now: NOW + 1000 }),
  }),
  attack('R14', 'a key that is retired', 'the key of the receipt is outside its window', {
    expected: billing({ key: { exp: NOW / 1000 } }),
  }),
  attack('R14a', 'a key that is not valid yet', 'the key of the receipt is outside its window', {
    expected: billing({ key: { nbf: (NOW + 1) / 1000 } }),
  }),
  attack('R15', 'a librarian that is revoked', 'the librarian is revoked', {
    expected: billing({ entry: { revokedBefore: (NOW + 1) / 1000 } }),
  }),
  {
    number: 'R16',
    name: 'a receipt as link',
    refused: ['UNAUTHORIZED', 'the type is not the one expected here'],
    run: async (kit) => kit.verify(await honestReceipt(kit, (await expectation(kit)).linkHash)),
  },
  {
    number: 'R16a',
    name: 'claims of a link under the type of a receipt',
    refused: ['UNAUTHORIZED', 'the type is not the one expected here'],
    run: async (kit) =>
      kit.verify(
        await kit.link(
          kit.claims(['gateway', 'billing'], 0),
          'gateway',
          headerOf(kidOf('gateway'), { typ: RECEIPT }),
        ),
      ),
  },
];

/** The 14 encodings of points of small order: seven, each with either sign (signed context 4.12). */
export const LOW_ORDER_KEYS: string[] = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
].flatMap((hex) => {
  const point = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const signed = point.map((byte, index) => (index === 31 ? byte | 0x80 : byte));
  return [encodeBase64url(point), encodeBase64url(signed)];
});
