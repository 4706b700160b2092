import { DurableObject } from 'cloudflare:workers';
import type { CounterBatch } from '../runtime/metrics.ts';
import { durableObjectSql } from './sql.ts';
import { sqlCounters } from './sql-counters.ts';

/** The counters of the whole deployment: isolates are many and short-lived, and add what they have counted every few seconds. */
export class CountersObject extends DurableObject {
  readonly #counters = sqlCounters(durableObjectSql(this.ctx.storage));

  async add(batch: CounterBatch): Promise<void> {
    this.#counters.add(batch, Date.now());
  }

  async read(): Promise<Record<string, number>> {
    return this.#counters.read();
  }
}
