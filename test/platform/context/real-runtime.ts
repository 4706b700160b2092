import {
  loadDirectory,
  openDirectory,
  signDirectory,
} from '../../../src/platform/context/key-directory.ts';
import { extendContext, mintContext, signLink } from '../../../src/platform/context/link-claims.ts';
import { signReceipt, verifyReceipt } from '../../../src/platform/context/receipt.ts';
import { originate } from '../../../src/platform/context/request-context.ts';
import {
  linkCache,
  memoryReplayStore,
  verifyContext,
} from '../../../src/platform/context/verify-context.ts';

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
