import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../tools/functions.ts';
import type { SeededRandom } from '../../../tools/sample/shop/seeded-random.ts';
import {
  LOCAL_DESK_IDS,
  type LocalDesk,
  type SignedDelivery,
} from '../../../tools/stand-ins/helpdesks/desk/local-desk.ts';
import type { LocalHelpdesks } from '../../../tools/stand-ins/helpdesks/start-helpdesks.ts';

/** A ticket of the chaos test, with a unique word. */
export interface ChaosTicket {
  workspace: string;
  desk: LocalDesk;
  ticketId: string;
  messageId: string;
  /** In the customer's name and in the message. */
  token: string;
}

/** Customer messages, distributed over the tools of both workspaces. */
export function createChaosTickets(
  helpdesks: Readonly<Record<string, LocalHelpdesks>>,
  { count, random }: { count: number; random: SeededRandom },
): ChaosTicket[] {
  const samples = JSON.parse(readFileSync(join(ROOT, 'tools/sample/tickets.json'), 'utf8')) as {
    message: string;
  }[];
  const workspaces = Object.keys(helpdesks);
  return Array.from({ length: count }, (_, at) => {
    const workspace = random.pick(workspaces);
    const desk = helpdesks[workspace]?.desks[random.pick(LOCAL_DESK_IDS)];
    if (desk === undefined) throw new Error('Cannot create a ticket: there is no such desk');
    const token = `Zq${letters(at)}x${letters(random.between(0, 456_975))}`;
    const { message } = random.pick(samples);
    const customer = { name: `${token} Ortiz`, email: `${token.toLowerCase()}@example.net` };
    const ids = desk.createTicket({
      message: `${message}\n\nMy reference is ${token}.`,
      subject: `About ${token}`,
      customer,
    });
    return { workspace, desk, token, ...ids };
  });
}

/** 0 is `aaaa`, 456,975 is `zzzz`. */
const letters = (number: number): string =>
  Array.from({ length: 4 }, (_, at) =>
    String.fromCharCode(97 + (Math.floor(number / 26 ** (3 - at)) % 26)),
  ).join('');

/** Every ticket's delivery one to five times, in any order. */
export function dealDeliveries(
  tickets: readonly ChaosTicket[],
  random: SeededRandom,
): ChaosTicket[] {
  const deliveries = tickets.flatMap((ticket) =>
    Array.from({ length: random.between(1, 5) }, () => ticket),
  );
  for (let at = deliveries.length - 1; at > 0; at -= 1) {
    const other = random.between(0, at);
    const [one, two] = [deliveries[at], deliveries[other]];
    if (one === undefined || two === undefined) continue;
    [deliveries[at], deliveries[other]] = [two, one];
  }
  return deliveries;
}

/** Signed for each attempt, like a repeated delivery of a real tool. */
export function deliveryOf({ desk, ticketId, messageId }: ChaosTicket): SignedDelivery {
  return desk.sign(ticketId, messageId);
}

/** Problems of the tickets' notes, one sentence each; empty when each ticket has exactly one note of its own. */
export function judgeNotes(tickets: readonly ChaosTicket[]): {
  notes: number;
  own: number;
  problems: string[];
} {
  const tokens = tickets.map(({ token }) => token);
  const problems: string[] = [];
  let [count, own] = [0, 0];
  for (const { desk, workspace, ticketId, token } of tickets) {
    const where = `${workspace} ${desk.id} ${ticketId}`;
    const notes = desk.notes(ticketId);
    count += notes.length;
    if (notes.length !== 1) problems.push(`${where} has ${notes.length} notes`);
    if (desk.seenByCustomer(ticketId).length !== 1)
      problems.push(`${where} shows its customer more than the message`);
    for (const { body } of notes) {
      if (body.includes(token)) own += 1;
      const foreign = tokens.filter((other) => other !== token && body.includes(other));
      if (foreign.length > 0)
        problems.push(`${where} holds words of ${foreign.length} other tickets`);
    }
  }
  return { notes: count, own, problems };
}
