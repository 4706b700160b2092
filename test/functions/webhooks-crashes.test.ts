import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FaultPlan, startFaultPlan } from '../../research/bench/chaos/fault-plan.ts';
import {
  type ProductWithDesks,
  startWithDesks,
} from '../../research/bench/chaos/product-with-desks.ts';
import { TicketsResponse } from '../../src/contract/wire/tickets.ts';
import { ROOT } from '../../tools/functions.ts';
import { LOCAL_DESK_IDS } from '../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import {
  type LocalHelpdesks,
  startHelpdesks,
} from '../../tools/stand-ins/helpdesks/start-helpdesks.ts';

let helpdesks: LocalHelpdesks;
let plan: FaultPlan;
let running: ProductWithDesks;
/** Steps at which an object was reset. */
const crashes: string[] = [];

beforeAll(async () => {
  helpdesks = await startHelpdesks();
  plan = await startFaultPlan(() => 'none');
  running = await startWithDesks({
    plan,
    desks: { default: Object.values(helpdesks.desks) },
    support: {
      name: 'support-for-test',
      main: join(ROOT, 'test/support/tickets/support-for-test.ts'),
    },
    main: join(ROOT, 'research/bench/chaos/crashing-webhooks.mjs'),
    variables: {
      TICKET_RETRY_MS: '10',
      TICKET_SETTLE_MS: '200',
      TICKET_CALL_MS: '500',
      TICKET_ANALYSE_MS: '500',
      CRASHES: 'every-step',
    },
    write: 'both',
    onLog: (line) => {
      const [, step] = /"event":"crash","step":"([^"]+)"/.exec(line) ?? [];
      if (step !== undefined) crashes.push(step);
    },
  });
});

afterAll(async () => {
  await running?.stop();
  await plan?.stop();
  await helpdesks?.stop();
});

const listed = async (state: string) =>
  TicketsResponse.parse(
    await (await running.product.fetch(`/v1/support/tickets?state=${state}`)).json(),
  ).tickets;

describe('an object that is reset once at each of its steps', () => {
  it('leaves one note and at most one draft in the ticket of each tool', async () => {
    const tickets = LOCAL_DESK_IDS.map((id) => {
      const desk = helpdesks.desks[id];
      return { id, desk, ...desk.createTicket({ message: `A message in ${id}.` }) };
    });
    for (const { id, desk, ticketId, messageId } of tickets) {
      // After a reset several reach the object before it has loaded its state.
      const init = { method: 'POST', ...desk.sign(ticketId, messageId) };
      const deliver = async () =>
        (await fetch(new URL(`/webhooks/${id}`, running.webhooks), init)).status;
      expect(await Promise.all(Array.from({ length: 5 }, deliver))).toEqual([
        200, 200, 200, 200, 200,
      ]);
    }
    await expect
      .poll(async () => (await listed('done')).length, { timeout: 60_000 })
      .toBe(tickets.length);
    for (const { desk, ticketId } of tickets) expect(desk.notes(ticketId)).toHaveLength(1);
    const drafts = tickets.map(({ id, desk, ticketId }) => [id, desk.drafts(ticketId).length]);
    expect(Object.fromEntries(drafts)).toEqual({
      chatwoot: 0,
      zendesk: 0,
      intercom: 0,
      zammad: 1,
      'help-scout': 1,
    });
    const met = Map.groupBy(crashes, (step) => step);
    expect(Object.fromEntries([...met].map(([step, times]) => [step, times.length]))).toEqual({
      'ticket read': 5,
      analysed: 5,
      composed: 5,
      'about to write': 5,
      'reply of the write': 5,
      'looked for the note': 5,
      written: 5,
      'about to save the draft': 2,
      'draft saved': 2,
      done: 5,
    });
  });
});
