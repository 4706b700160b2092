import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProductWithDesks, startWithDesks } from '../../src/dev/bench/chaos/product-with-desks.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';

let helpdesks: LocalHelpdesks;
let running: ProductWithDesks;
const lines: string[] = [];

beforeAll(async () => {
  helpdesks = await startHelpdesks();
  running = await startWithDesks({
    desks: { default: [helpdesks.desks.chatwoot] },
    // Like an expired one: the function has no identity, and support would refuse it.
    variables: { CONTEXT_DIRECTORY: 'invalid', TICKET_RETRY_MS: '10', TICKET_ATTEMPTS: '2' },
    onLog: (line) => lines.push(line),
  });
});

afterAll(async () => {
  await running?.stop();
  await helpdesks?.stop();
});

it('a webhooks function with an invalid key directory stores deliveries, and neither processes nor lists them', async () => {
  const { chatwoot } = helpdesks.desks;
  const { ticketId, messageId } = chatwoot.createTicket({ message: 'My Apollo shows 0 H/s.' });
  const delivery = { method: 'POST', ...chatwoot.sign(ticketId, messageId) };
  const answer = await fetch(new URL('/webhooks/chatwoot', running.webhooks), delivery);
  expect([answer.status, await answer.json()]).toEqual([200, { accepted: 1 }]);
  await expect
    .poll(() => lines.some((line) => /"where":"ticket".*IdentityRefused/.test(line)), { timeout: 10_000 })
    .toBe(true);
  expect(lines.filter((line) => line.includes('"where":"record"'))).toEqual([]);
  expect((await fetch(new URL('/v1/support/tickets', running.webhooks))).status).toBe(503);
  expect(chatwoot.notes(ticketId)).toEqual([]);
});
