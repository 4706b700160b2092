import { type Bytes, sha256 } from '../encoding.ts';
import { readJws, type Signer, signJws } from './compact-jws.ts';
import type { KeyDirectory } from './key-directory.ts';
import { type Amounts, LEEWAY_MS, MAX_BUDGETS } from './limits.ts';
import { HASH, millis } from './link-claims.ts';
import { demand } from './request-context.ts';

/** A receipt: a librarian's signature over exactly these response bytes for exactly this call. */
export interface Receipt {
  iss: string;
  /** The caller. */
  aud: string;
  /** Hash of the link of the call. */
  req: string;
  /** HTTP status. */
  st: number;
  /** Hash of the answer's bytes. */
  bd: string;
  /** Seconds since 1970. */
  iat: number;
  /** What was spent, in the units of the budgets. */
  use: Record<string, number>;
  /** Hashes of the receipts that the answer is based on. */
  sub: string[];
}

/** A librarian's response, and its caller. */
interface Answer {
  /** The caller and the hash of its link. */
  caller: { id: string; linkHash: string };
  status: number;
  /** Exactly as sent. */
  body: Bytes;
  now: number;
  usage?: Amounts | undefined;
  receipts?: readonly string[] | undefined;
}

/** The value of `Context-Receipt`. */
export async function signReceipt(signer: Signer, answer: Answer): Promise<string> {
  const receipt: Receipt = {
    iss: signer.id,
    aud: answer.caller.id,
    req: answer.caller.linkHash,
    st: answer.status,
    bd: await sha256(answer.body),
    iat: answer.now / 1000,
    use: Object.fromEntries(Object.entries(answer.usage ?? {}).slice(0, MAX_BUDGETS)),
    sub: [...(answer.receipts ?? [])].slice(0, MAX_SUB_RECEIPTS),
  };
  return signJws(receipt, { typ: 'ctx-receipt+jwt', signer });
}

/** The two parties of a receipt. */
interface Parties {
  /** The caller. */
  self: string;
  /** The librarian that it called. */
  librarian: string;
  directory: KeyDirectory;
  now: number;
}

/** The caller's own call and the response to it. */
interface Expectation extends Parties {
  linkHash: string;
  /** Budgets that it handed down. */
  budgets: Readonly<Record<string, number>>;
  status: number;
  body: Bytes;
}

/** Verifies a receipt against the call and the answer it came with. @throws {ContextRefused} UNAUTHORIZED, with the reason. */
export async function verifyReceipt(text: string, expected: Expectation): Promise<Receipt> {
  const { receipt, checkSignature } = openReceipt(text, expected);
  demand(receipt.req === expected.linkHash, 'the receipt is for another request');
  demand(receipt.st === expected.status, 'the status is not the one that was signed');
  for (const [name, amount] of Object.entries(receipt.use)) {
    demand(amount <= (expected.budgets[name] ?? amount), 'more was used than granted');
  }
  await checkSignature();
  demand((await sha256(expected.body)) === receipt.bd, 'the answer is not the one that was signed');
  return receipt;
}

/**
 * Verifies a receipt between two other librarians, whose call and response are unknown here: that `librarian` signed it for `self`.
 *
 * @throws {ContextRefused} UNAUTHORIZED, with the reason.
 */
export async function verifyForeignReceipt(text: string, parties: Parties): Promise<Receipt> {
  const { receipt, checkSignature } = openReceipt(text, parties);
  await checkSignature();
  return receipt;
}

/** All checks that need no cryptography. */
const openReceipt = (text: string, { self, librarian, directory, now }: Parties) => {
  demand(text.length <= MAX_RECEIPT_LENGTH, 'the receipt is longer than 4,096 bytes');
  const jws = readJws(text, 'ctx-receipt+jwt');
  const receipt = checkReceiptClaims(jws.claims);
  demand(receipt.iss === librarian, 'the receipt is from another librarian');
  demand(receipt.aud === self, 'the receipt is for another caller');
  const key = directory.key(jws.kid);
  demand(now < directory.expiresAtMs, 'the key directory has expired');
  demand(key !== undefined, 'the key of the receipt is unknown');
  demand(key.librarian === receipt.iss, 'the key of the receipt belongs to another librarian');
  demand(
    receipt.iat >= key.nbf && receipt.iat < key.exp,
    'the key of the receipt is outside its window',
  );
  demand(
    receipt.iat >= (directory.librarian(receipt.iss)?.revokedBefore ?? 0),
    'the librarian is revoked',
  );
  demand(millis(receipt.iat) <= now + LEEWAY_MS, 'the receipt is issued in the future');
  const checkSignature = async (): Promise<void> =>
    demand(await key.verify(jws.signature, jws.signed), 'the signature of the receipt is wrong');
  return { receipt, checkSignature };
};

const MAX_RECEIPT_LENGTH = 4096;
const MAX_SUB_RECEIPTS = 32;
const MEMBERS = new Set(['iss', 'aud', 'req', 'st', 'bd', 'iat', 'use', 'sub']);

const checkReceiptClaims = (claims: Record<string, unknown>): Receipt => {
  const { iss, aud, req, st, bd, iat, use, sub } = claims;
  const areStrings = [iss, aud, req, bd].every((text) => typeof text === 'string');
  demand(
    areStrings && Object.keys(claims).every((name) => MEMBERS.has(name)),
    'the receipt has other claims',
  );
  demand(
    Number.isInteger(st) && typeof iat === 'number' && Number.isFinite(iat),
    'st or iat is not a number',
  );
  demand(isAmounts(use), 'use is not a list of amounts');
  demand(Array.isArray(sub) && sub.length <= MAX_SUB_RECEIPTS, 'sub is not a list of at most 32');
  demand(
    sub.every((hash) => typeof hash === 'string' && HASH.test(hash)),
    'sub holds something else than hashes',
  );
  // Each member has just been checked.
  return claims as unknown as Receipt;
};

const isAmounts = (use: unknown): use is Record<string, number> => {
  if (typeof use !== 'object' || use === null || Array.isArray(use)) return false;
  const amounts = Object.values(use);
  return (
    amounts.length <= MAX_BUDGETS &&
    amounts.every((amount) => Number.isSafeInteger(amount) && amount >= 0)
  );
};
