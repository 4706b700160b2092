import * as compactJws from '../../src/runtime/compact-jws.ts';
import * as keyDirectory from '../../src/runtime/key-directory.ts';
import * as linkCaches from '../../src/runtime/link-cache.ts';
import * as receipts from '../../src/runtime/receipt.ts';
import * as replayStores from '../../src/runtime/replay-store.ts';
import * as requestContexts from '../../src/runtime/request-context.ts';
import * as signLinks from '../../src/runtime/sign-link.ts';
import * as signedDirectories from '../../src/runtime/signed-directory.ts';
import * as verifyContexts from '../../src/runtime/verify-context.ts';
import type { Runtime } from './attack-kit.ts';

/** The code as it ships. */
export const realRuntime: Runtime = {
  ...compactJws,
  ...keyDirectory,
  ...linkCaches,
  ...receipts,
  ...replayStores,
  ...requestContexts,
  ...signLinks,
  ...signedDirectories,
  ...verifyContexts,
};
