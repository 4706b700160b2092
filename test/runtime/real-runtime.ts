import { openDirectory } from '../../src/runtime/key-directory.ts';
import { linkCache } from '../../src/runtime/link-cache.ts';
import { signReceipt, verifyReceipt } from '../../src/runtime/receipt.ts';
import { memoryReplayStore } from '../../src/runtime/replay-store.ts';
import { originate } from '../../src/runtime/request-context.ts';
import { extendContext, mintContext, signLink } from '../../src/runtime/sign-link.ts';
import { loadDirectory, signDirectory } from '../../src/runtime/signed-directory.ts';
import { verifyContext } from '../../src/runtime/verify-context.ts';

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
