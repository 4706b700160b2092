import { DurableObject } from 'cloudflare:workers';
import type { CounterBatch } from '../metrics.ts';
import { durableObjectSql } from '../storage/sql.ts';
import type { UsedDirectory } from './serve-app.ts';
import { sqlCounters, sqlDirectoryNumbers } from './sql-counters.ts';

/**
 * The counters of the whole deployment: isolates are many and short-lived, and add what they have counted every few seconds. Remembers the
 * key directories of all functions too, as the one object that each of them is bound to.
 */
export class CountersObject extends DurableObject {
  readonly #counters = sqlCounters(durableObjectSql(this.ctx.storage));
  readonly #directories = sqlDirectoryNumbers(durableObjectSql(this.ctx.storage));

  async add(batch: CounterBatch): Promise<void> {
    this.#counters.add(batch, Date.now());
  }

  async read(): Promise<Record<string, number>> {
    return this.#counters.read();
  }

  async raiseDirectory(used: UsedDirectory): Promise<number> {
    return this.#directories.raise(used);
  }
}
