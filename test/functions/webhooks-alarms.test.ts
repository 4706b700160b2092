import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProductWithDesks, startWithDesks } from '../../src/dev/bench/chaos/product-with-desks.ts';
import { ROOT } from '../../src/dev/functions.ts';

let house: ProductWithDesks;
const lines: string[] = [];

beforeAll(async () => {
  house = await startWithDesks({
    desks: {},
    main: join(ROOT, 'test/functions/webhooks-alarms.mjs'),
    // Out of its bounds: no object can begin its work.
    variables: { TICKET_RETRY_MS: '1' },
    onLog: (line) => lines.push(line),
  });
});

afterAll(() => house?.stop());

it.each(['TICKETS', 'DESKS'])(
  'an alarm of an object that cannot begin its work rings again a minute later (%s)',
  async (objects) => {
    const url = new URL(`/${objects}`, house.webhooks);
    const before = Date.now();
    const faultsBefore = lines.length;
    await fetch(url, { method: 'POST' });
    await expect
      .poll(async () => Number(await (await fetch(url)).json()), { timeout: 10_000 })
      .toBeGreaterThanOrEqual(before + 60_000);
    const told = lines.slice(faultsBefore).filter((line) => line.includes('"where":"alarm"'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('TicketTimesRefused');
    expect(told[0]).not.toContain('1207');
  },
);
