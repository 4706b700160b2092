import { loadDirectory, openDirectory, signDirectory } from '../../src/signing/key-directory.ts';
import { extendContext, mintContext, signLink } from '../../src/signing/link-claims.ts';
import { signReceipt, verifyReceipt } from '../../src/signing/receipt.ts';
import { originate } from '../../src/signing/request-context.ts';
import { linkCache, memoryReplayStore, verifyContext } from '../../src/signing/verify-context.ts';

/** The code as it ships. */
export const realRuntime = {
  extendContext,
  linkCache,
  loadDirectory,
  memoryReplayStore,
  mintContext,
  openDirectory,
  originate,
  signDirectory,
  signLink,
  signReceipt,
  verifyContext,
  verifyReceipt,
};

/** The code under attack: the real one, or a mutant of it. */
export type Runtime = typeof realRuntime;
