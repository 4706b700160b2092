import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createSqlGate } from '../../../src/librarians/analytics/sql-gate.ts';
import BENIGN from './benign-statements.json' with { type: 'json' };
import { SKEWED_TABLES, statements } from './generated-statements.ts';
import { OPEN_TABLES, shopForTests } from './shop-for-test.ts';

const shop = shopForTests();
/** More by `GATE_STATEMENTS=5000 vitest run test/librarians/analytics/sql-cost.test.ts`, another series by `GATE_SEED`. */
const COUNT = Number(process.env.GATE_STATEMENTS ?? 500);
const SEED = Number(process.env.GATE_SEED ?? 32);
/** Lower than in the product, so that what is admitted takes milliseconds. */
const MAX_WORK = 300_000;
const TABLES = [...OPEN_TABLES, 'events', 'pairs'];

beforeAll(async () => {
  for (const sql of SKEWED_TABLES) await shop.query(sql);
});

describe('the cost of a statement', () => {
  it('is never above the bound when it is admitted: by rows that SQLite reads', {
    timeout: 3_600_000,
  }, async () => {
    const gate = createSqlGate({ database: shop.database, tables: TABLES, maxWork: MAX_WORK });
    const tally = { admitted: 0, refused: 0, invalid: 0, closest: 0 };
    const above: { sql: string; rows: number; work: number }[] = [];
    for (const sql of fc.sample(statements, { numRuns: COUNT, seed: SEED })) {
      const judged = await gate.judge(sql);
      if (!judged.ok) {
        tally[judged.hint === undefined ? 'refused' : 'invalid'] += 1;
        continue;
      }
      tally.admitted += 1;
      const { statement, work = 0 } = judged.value;
      const rows = await shop.rowsRead(statement.sql);
      tally.closest = Math.max(tally.closest, rows / work);
      if (rows > work) above.push({ sql, rows, work });
    }
    console.log(tally);
    expect(above).toEqual([]);
    expect(tally.admitted).toBeGreaterThan(COUNT / 10);
    expect(tally.refused).toBeGreaterThan(COUNT / 10);
  });
  it('is at least the rows that SQLite reads, for each statement that is admitted', async () => {
    const gate = createSqlGate({ database: shop.database, tables: TABLES });
    for (const sql of BENIGN) {
      const judged = await gate.judge(sql);
      if (!judged.ok) throw new Error(`${judged.reason} ${sql}`);
      expect(await shop.rowsRead(judged.value.statement.sql), sql).toBeLessThanOrEqual(
        judged.value.work ?? 0,
      );
    }
  });
});
