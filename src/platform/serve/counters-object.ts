import type { CounterBatch, UsedDirectory } from '../metrics.ts';
import { WorkspaceObject } from '../rpc/workspace-object.ts';
import { sqlCounters, sqlDirectoryNumbers } from './sql-counters.ts';

type CountersStore = ReturnType<typeof sqlCounters> & ReturnType<typeof sqlDirectoryNumbers>;

/** The only object of its class, as all functions name it. */
const OWNER = 'deployment';

/**
 * The counters of the whole deployment: isolates are many and short-lived, and add what they have counted every few seconds. Remembers the
 * key directories of all functions too, as the one object that each of them is bound to.
 */
export class CountersObject extends WorkspaceObject<unknown, CountersStore> {
  static override readonly callable = ['add', 'read', 'raiseDirectory'];
  protected readonly librarian = 'library';

  async add(batch: CounterBatch): Promise<void> {
    this.storeOf(OWNER).add(batch, Date.now());
  }

  async read(): Promise<Record<string, number>> {
    return this.storeOf(OWNER).read();
  }

  async raiseDirectory(directory: UsedDirectory): Promise<number> {
    return this.storeOf(OWNER).raise(directory);
  }

  protected open(): CountersStore {
    return { ...sqlCounters(this.sql), ...sqlDirectoryNumbers(this.sql) };
  }
}
