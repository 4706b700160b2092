import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProductWithDesks, startWithDesks } from '../../src/dev/bench/chaos/product-with-desks.ts';
import { ROOT } from '../../src/dev/functions.ts';

let running: ProductWithDesks;
const lines: string[] = [];

beforeAll(async () => {
  running = await startWithDesks({
    desks: {},
    main: join(ROOT, 'test/functions/webhooks-alarms.mjs'),
    // Out of bounds: no object can start its work.
    variables: { TICKET_RETRY_MS: '1' },
    onLog: (line) => lines.push(line),
  });
});

afterAll(() => running?.stop());

it.each(['TICKETS', 'DESKS'])(
  'an alarm of an object that cannot start its work fires again a minute later (%s)',
  async (objects) => {
    const url = new URL(`/${objects}`, running.webhooks);
    const before = Date.now();
    const faultsBefore = lines.length;
    await fetch(url, { method: 'POST' });
    await expect
      .poll(async () => Number(await (await fetch(url)).json()), { timeout: 10_000 })
      .toBeGreaterThanOrEqual(before + 60_000);
    const faults = lines.slice(faultsBefore).filter((line) => line.includes('"where":"alarm"'));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain('TicketTimesRefused');
    expect(faults[0]).not.toContain('1207');
  },
);
