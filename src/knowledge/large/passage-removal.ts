import { earliest } from '../../platform/jobs/job-runner.ts';
import type { Sql } from '../../platform/storage/sql.ts';
import { StoreUnavailable } from '../../platform/storage/store-unavailable.ts';
import type { HybridIndex } from './hybrid-index.ts';
import type { LargeStateStore } from './large-state.ts';
import type { PassageLedger } from './passage-ledger.ts';
import { isRemoved, removalDueAt } from './publication-rule.ts';

/** Removes from the index what no reader needs any more. */
export interface PassageRemoval {
  /**
   * Deletes records of dead versions, clears namespaces that no edition reads, and drops tombstones, as far as it is due.
   *
   * @returns Whether tombstones were dropped, which the next manifest says.
   * @throws {StoreUnavailable}
   */
  run(): Promise<boolean>;
  dueAt(): number | undefined;
}

/** Records deleted by one request. */
const AT_ONCE = 1000;
const LIMIT_MS = 20_000;
const AGAIN_MS = 60_000;

export function passageRemoval({
  sql,
  ledger,
  state,
  indexOf,
  now,
}: {
  sql: Sql;
  ledger: PassageLedger;
  state: LargeStateStore;
  indexOf: (generation: number) => HybridIndex;
  now: () => number;
}): PassageRemoval {
  /** After a failure. */
  let againAt = 0;

  const removeDead = async (): Promise<void> => {
    const due = ledger.removable(now(), AT_ONCE);
    for (const generation of new Set(due.map((version) => version.generation))) {
      const versions = due.filter((version) => version.generation === generation);
      const ids = versions.flatMap((version) => version.ids);
      const index = indexOf(generation);
      const limits = { signal: AbortSignal.timeout(LIMIT_MS) };
      await index.delete(ids, limits);
      const stored = await index.stored(ids, limits);
      if (!isRemoved({ stored: stored.size, pending: await index.pending(limits) }))
        throw new StoreUnavailable('unavailable', 'Cannot remove passages: some are still there');
      sql.transaction(() => ledger.markRemoved(versions, now()));
    }
  };

  const clearRetired = async (): Promise<void> => {
    for (const { generation, at } of state.read().retired) {
      if (removalDueAt(at) > now()) continue;
      await indexOf(generation).clear({ signal: AbortSignal.timeout(LIMIT_MS) });
      sql.transaction(() => {
        ledger.forget(generation);
        const retired = state.read().retired.filter((each) => each.generation !== generation);
        state.change({ retired });
      });
    }
  };

  return {
    run: async () => {
      againAt = now() + AGAIN_MS;
      await removeDead();
      await clearRetired();
      const isLess = sql.transaction(() => {
        const count = ledger.drop(now());
        if (count > 0) state.change({ changes: state.read().changes + 1 });
        return count > 0;
      });
      againAt = 0;
      return isLess;
    },
    dueAt: () => {
      const cleared = state.read().retired.map(({ at }) => removalDueAt(at));
      const due = earliest(ledger.dueAt(), ...cleared);
      return due === undefined ? undefined : Math.max(due, againAt);
    },
  };
}
