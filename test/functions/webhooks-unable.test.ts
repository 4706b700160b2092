import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  type ProductWithDesks,
  startWithDesks,
  type WithDesksOptions,
} from '../../research/bench/chaos/product-with-desks.ts';
import { ROOT } from '../../tools/functions.ts';
import { startHelpdesks } from '../../tools/stand-ins/helpdesks/start-helpdesks.ts';

/** Webhooks functions that cannot start their work. */
let running: ProductWithDesks;
let lines: string[];
const start = async (
  options: Pick<WithDesksOptions, 'desks' | 'main' | 'variables'>,
): Promise<void> => {
  lines = [];
  running = await startWithDesks({ ...options, onLog: (line) => lines.push(line) });
};
afterEach(() => running?.stop());

it('an alarm of an object that cannot start its work fires again a minute later', async () => {
  // Out of bounds: no object can start its work.
  const variables = { TICKET_RETRY_MS: '1' };
  await start({ desks: {}, main: join(ROOT, 'test/functions/webhooks-alarms.mjs'), variables });
  for (const objects of ['TICKETS', 'DESKS']) {
    const url = new URL(`/${objects}`, running.webhooks);
    const before = Date.now();
    lines = [];
    await fetch(url, { method: 'POST' });
    await expect
      .poll(async () => Number(await (await fetch(url)).json()), { timeout: 60_000 })
      .toBeGreaterThanOrEqual(before + 60_000);
    const faults = lines.filter((line) => line.includes('"where":"alarm"'));
    expect([objects, faults]).toEqual([
      objects,
      [expect.stringMatching(/SettingRefused.*TICKET_RETRY_MS/)],
    ]);
    expect(faults[0]).not.toContain('1207');
  }
});

it('a function with an invalid key directory stores deliveries, and neither processes nor lists them', async () => {
  const helpdesks = await startHelpdesks();
  const { chatwoot } = helpdesks.desks;
  // Like an expired one: the function has no identity, and support would refuse it.
  const variables = { CONTEXT_DIRECTORY: 'invalid', TICKET_RETRY_MS: '10', TICKET_ATTEMPTS: '2' };
  await start({ desks: { default: [chatwoot] }, variables });
  const { ticketId, messageId } = chatwoot.createTicket({ message: 'My Apollo shows 0 H/s.' });
  const delivery = { method: 'POST', ...chatwoot.sign(ticketId, messageId) };
  const answer = await fetch(new URL('/webhooks/chatwoot', running.webhooks), delivery);
  expect([answer.status, await answer.json()]).toEqual([200, { accepted: 1 }]);
  const isRefused = () =>
    lines.some((line) => /"where":"ticket".*SettingRefused.*CONTEXT_DIRECTORY/.test(line));
  await expect.poll(isRefused, { timeout: 60_000 }).toBe(true);
  expect(lines.filter((line) => line.includes('"where":"record"'))).toEqual([]);
  expect((await fetch(new URL('/v1/support/tickets', running.webhooks))).status).toBe(503);
  expect(chatwoot.notes(ticketId)).toEqual([]);
  await helpdesks.stop();
});
