import { createLedger, type Ledger, type RemoteLedger, remoteLedger } from '../../src/memory/store/remote-memory.ts';
import { nodeSql } from '../../tools/stand-ins/node-sql.ts';

/** A ledger behind a stub like that of a Durable Object. */
export const ledgerForTest = (ledger: Ledger = createLedger(nodeSql())): RemoteLedger =>
  remoteLedger(
    () => ({
      ask: async (_, method, parameters) => {
        const answer = ledger[method as keyof Ledger] as (...parameters: unknown[]) => unknown;
        return structuredClone(answer(...structuredClone(parameters)));
      },
    }),
    'acme',
  );
