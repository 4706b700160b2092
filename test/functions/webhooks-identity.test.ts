import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProductWithDesks, startWithDesks } from '../../src/dev/bench/chaos/product-with-desks.ts';
import { type LocalHelpdesks, startHelpdesks } from '../../src/dev/stand-ins/helpdesks/start-helpdesks.ts';

let helpdesks: LocalHelpdesks;
let house: ProductWithDesks;
const lines: string[] = [];

beforeAll(async () => {
  helpdesks = await startHelpdesks();
  house = await startWithDesks({
    desks: { default: [helpdesks.desks.chatwoot] },
    // As one that has expired: the function cannot say who it is, and support would not listen to it.
    variables: { CONTEXT_DIRECTORY: 'of no use', TICKET_RETRY_MS: '10', TICKET_ATTEMPTS: '2' },
    onLog: (line) => lines.push(line),
  });
});

afterAll(async () => {
  await house?.stop();
  await helpdesks?.stop();
});

it('a webhooks function whose key directory is of no use stores deliveries, and neither processes nor lists them', async () => {
  const { chatwoot } = helpdesks.desks;
  const { ticketId, messageId } = chatwoot.createTicket({ message: 'My Apollo shows 0 H/s.' });
  const delivery = { method: 'POST', ...chatwoot.sign(ticketId, messageId) };
  const answer = await fetch(new URL('/webhooks/chatwoot', house.webhooks), delivery);
  expect([answer.status, await answer.json()]).toEqual([200, { accepted: 1 }]);
  await expect
    .poll(() => lines.some((line) => /"where":"ticket".*IdentityRefused/.test(line)), { timeout: 10_000 })
    .toBe(true);
  expect(lines.filter((line) => line.includes('"where":"record"'))).toEqual([]);
  expect((await fetch(new URL('/v1/support/tickets', house.webhooks))).status).toBe(503);
  expect(chatwoot.notes(ticketId)).toEqual([]);
});
