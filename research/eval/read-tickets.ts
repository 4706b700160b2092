import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { SupportRequest } from '../../src/contract/wire/support-response.ts';
import { SAMPLE_TICKETS } from '../../tools/sample/files.ts';

/** The labels of a ticket: its intent, and what a reply must and must not contain. */
const Expected = z.strictObject({
  /** Id in tools/sample/taxonomy.json; `unknown` when out of scope. */
  intent: z.string(),
  /** Intents that are as good. */
  also_right: z.array(z.string()).min(1).optional(),
  /** Files of tools/sample/knowledge-base, any of which is to be among the sources; empty where none answers. */
  articles: z.array(z.string()),
  /** Whether a gap is to be named: of a product without articles, or of something that no article covers. */
  gap: z.literal(true).optional(),
  /** Words of steps that the customer has done. */
  tried: z.array(z.string()).min(1).optional(),
  /** Personal data in the ticket, all invented. */
  personal: z.array(z.string()).min(1).optional(),
  /** What a prompt injection in the ticket wants to be shown. */
  planted: z.array(z.string()).min(1).optional(),
  /** BCP 47; English when absent. */
  language: z.string().optional(),
});

/** A ticket of tools/sample/tickets.json: a request to `/v1/support/analyze`, and what is expected of the reply. */
export const SampleTicket = z.strictObject({
  id: z.string().regex(/^t-\d{3}$/),
  /** Nothing is tuned on held-out tickets, which are reported in figures only. */
  split: z.enum(['development', 'held out']),
  ...SupportRequest.pick({
    subject: true,
    message: true,
    customer_name: true,
    metadata: true,
    history: true,
  }).shape,
  expected: Expected,
});
export type SampleTicket = z.infer<typeof SampleTicket>;

/** All of them, in the order of the file. */
export function readSampleTickets(): SampleTicket[] {
  return z.array(SampleTicket).parse(JSON.parse(readFileSync(SAMPLE_TICKETS, 'utf8')));
}

/** The request that a ticket makes. */
export function requestOf({
  id: _id,
  split: _split,
  expected: _expected,
  ...request
}: SampleTicket): SupportRequest {
  return request;
}
