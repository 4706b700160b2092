import { nodeSql } from '../../src/dev/stand-ins/node-sql.ts';
import { createLedger, type Ledger, type RemoteLedger, remoteLedger } from '../../src/memory/remote-memory.ts';

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
