import {
  createLedger,
  type Ledger,
  type RemoteLedger,
  remoteLedger,
} from '../../src/memory/store/remote-memory.ts';
import { nodeSql } from '../../tools/stand-ins/node-sql.ts';
import { objectOf } from '../platform/rpc/object-for-test.ts';

/** A ledger behind a stub like that of a Durable Object. */
export function ledgerForTest(ledger: Ledger = createLedger(nodeSql())): RemoteLedger {
  return remoteLedger(() => objectOf(ledger), 'acme');
}
