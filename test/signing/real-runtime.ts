import { openDirectory } from '../../src/signing/key-directory.ts';
import { linkCache } from '../../src/signing/link-cache.ts';
import { signReceipt, verifyReceipt } from '../../src/signing/receipt.ts';
import { memoryReplayStore } from '../../src/signing/replay-store.ts';
import { originate } from '../../src/signing/request-context.ts';
import { extendContext, mintContext, signLink } from '../../src/signing/sign-link.ts';
import { loadDirectory, signDirectory } from '../../src/signing/signed-directory.ts';
import { verifyContext } from '../../src/signing/verify-context.ts';

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
