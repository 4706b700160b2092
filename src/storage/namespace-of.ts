import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** What can be a namespace of Upstash Vector: its SDK does not encode it, so that any other letter would change the address. */
export const isNamespace = (name: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(name);

/**
 * The namespace of a workspace's vectors, another for every kind and workspace. `memory` of `acme` is `memory_acme`; where
 * that would be longer than 64 letters, 188 bits of SHA-256 stand for the workspace: `memory-9f86d081…`. The mark after the
 * kind keeps the two forms apart.
 *
 * @param kind What the vectors are of: 1 to 16 of a-z.
 * @param workspace As the contract has it: 1 to 64 letters, digits, underscores, hyphens.
 * @throws {RangeError} For anything else.
 */
export const namespaceOf = (kind: string, workspace: string): string => {
  if (!/^[a-z]{1,16}$/.test(kind)) throw new RangeError('kind is not 1 to 16 of a-z');
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(workspace)) throw new RangeError('workspace is no workspace id');
  const plain = `${kind}_${workspace}`;
  return isNamespace(plain) ? plain : `${kind}-${bytesToHex(sha256(utf8ToBytes(workspace))).slice(0, 47)}`;
};
