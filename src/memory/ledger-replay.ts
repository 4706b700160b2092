import type { ReplayStore } from '../runtime/replay-store.ts';
import { untilAborted } from '../runtime/until-aborted.ts';
import type { RemoteLedger } from './remote-memory.ts';

/** The object of the call's workspace notes it: one place for all isolates, also where the memories are in Upstash. */
export const ledgerReplay = (ledgerOf: (workspace: string) => Pick<RemoteLedger, 'isFirstCall'>): ReplayStore => ({
  isFirst: (linkHash, { workspace, ...options }) =>
    untilAborted(() => ledgerOf(workspace).isFirstCall(linkHash, options), {
      signal: AbortSignal.timeout(LEDGER_MS),
      reason: 'the ledger did not answer',
    }),
});

/** To note one call takes a few milliseconds, and some hundred where the object is woken. */
const LEDGER_MS = 2000;
