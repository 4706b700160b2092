/** `npx constellation ticket`: one ticket of a local helpdesk, from the customer's message to the note (docs/helpdesks.md). */
import type * as z from 'zod';
import { readAs } from '../../src/contract/core/error-info.ts';
import { fail, helpIfAsked, orUsageError, startCommand } from '../command-line.ts';
import {
  type ControlledTicket,
  TicketNotes,
  WrittenTicket,
} from '../stand-ins/helpdesks/control-routes.ts';
import {
  findDesks,
  findNewestDesks,
  type RunningDesks,
} from '../stand-ins/helpdesks/running-desks.ts';
import { STATE_HOME } from './start-options.ts';
import { TICKET_HELP, type TicketOptions, ticketOptions } from './ticket-options.ts';

const POLL_MS = 250;
const NOTE_MS = 60_000;
/** A second note would be there by then. */
const SETTLE_MS = 3000;
const CALL_MS = 10_000;

await main().catch((error: unknown) =>
  fail(error instanceof Error ? error.message : String(error)),
);

async function main(): Promise<void> {
  helpIfAsked(TICKET_HELP);
  const options = orUsageError(() => ticketOptions(process.argv.slice(2)));
  const { state, tool, isForged, times } = options;
  const running = state === undefined ? findNewestDesks(STATE_HOME) : findDesks(state);
  if (running === undefined) {
    throw new Error(
      `Cannot find a running Constellation in ${state ?? STATE_HOME}: start one with ${startCommand()} (without --no-helpdesk)`,
    );
  }
  const productUrl = options.url ?? running.productUrl;
  await checkProduct(productUrl);
  const { ticketId, delivery } = await control(
    running,
    `/${tool}/tickets`,
    WrittenTicket,
    ticketOf(options),
  );
  console.log(`${tool} ticket ${ticketId}: ${options.name} writes "${options.message}"`);
  const webhook = new URL(`/webhooks/${tool}`, productUrl);
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 1) statuses.push(await deliver(webhook, delivery));
  if (isForged) return reportForged(statuses);
  if (statuses.some((status) => status !== 200))
    throw new Error('Cannot go on: the webhook refused the delivery');
  const read = () => control(running, `/${tool}/tickets/${ticketId}`, TicketNotes);
  await waitForNote(read);
  if (times > 1) await pause(SETTLE_MS);
  report(await read(), times);
}

function ticketOf({ message, subject, name, product, isForged }: TicketOptions): ControlledTicket {
  const email = `${name.toLowerCase().replace(/[^a-z0-9]+/g, '.')}@example.net`;
  const fields = product === '' ? {} : { product };
  return { message, subject, customer: { name, email }, fields, isForged };
}

async function checkProduct(url: string): Promise<void> {
  const response = await fetch(new URL('/healthz', url), {
    signal: AbortSignal.timeout(CALL_MS),
  }).catch(() => undefined);
  await response?.body?.cancel();
  if (!response?.ok) throw new Error(`Cannot reach Constellation at ${url}: is it still running?`);
}

/** A call of the stand-ins' control routes; a POST where there is a body. */
async function control<Schema extends z.ZodType>(
  { desksUrl, token }: RunningDesks,
  path: string,
  reply: Schema,
  body?: ControlledTicket,
): Promise<z.output<Schema>> {
  const response = await fetch(`${desksUrl}/control${path}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(CALL_MS),
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  }).catch(() => undefined);
  const read = response?.ok ? readAs(reply, await response.json()) : undefined;
  if (read?.ok) return read.value;
  throw new Error(`Cannot reach the local helpdesks at ${desksUrl}: is it still running?`);
}

async function deliver(
  webhook: URL,
  { headers, body }: WrittenTicket['delivery'],
): Promise<number> {
  const startedAt = performance.now();
  const init = { method: 'POST', headers, body, signal: AbortSignal.timeout(CALL_MS) };
  const response = await fetch(webhook, init).catch(() => undefined);
  if (response === undefined) throw new Error(`Cannot deliver to ${webhook}: there was no answer`);
  await response.arrayBuffer();
  console.log(
    `delivered to ${webhook}: ${response.status} in ${Math.round(performance.now() - startedAt)} ms`,
  );
  return response.status;
}

function reportForged(statuses: readonly number[]): void {
  if (statuses.some((status) => status !== 401))
    throw new Error('A delivery with a wrong signature was not refused');
  console.log('refused, as a delivery with a wrong signature has to be; no note is written');
}

async function waitForNote(read: () => Promise<TicketNotes>): Promise<void> {
  const startedAt = performance.now();
  for (;;) {
    const { notes, drafts } = await read();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    if (notes.length + drafts.length > 0)
      return console.log(`${clear()}the note came after ${seconds} s`);
    if (performance.now() - startedAt > NOTE_MS) {
      throw new Error(
        `${clear()}Cannot see a note after ${NOTE_MS / 1000} s; ${startCommand('--verbose')} shows what goes on`,
      );
    }
    if (process.stdout.isTTY) process.stdout.write(`\r\u001b[Kwaiting for the note, ${seconds} s`);
    await pause(POLL_MS);
  }
}

function report({ notes, drafts }: TicketNotes, times: number): void {
  for (const { id, body } of notes) console.log(`\n--- note ${id}\n${body}\n---`);
  for (const { id, body } of drafts) console.log(`\n--- draft ${id}\n${body}\n---`);
  if (times > 1)
    console.log(`\n${times} deliveries, ${notes.length} ${notes.length === 1 ? 'note' : 'notes'}`);
  if (notes.length > 1 || drafts.length > 1)
    throw new Error('There must be no more than one for a message');
}

function clear(): string {
  return process.stdout.isTTY ? '\r\u001b[K' : '';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
