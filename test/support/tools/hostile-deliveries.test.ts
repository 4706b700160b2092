import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Delivery,
  DeliveryUnreadable,
  HELPDESK_IDS,
  type HelpdeskId,
  type HelpdeskTool,
} from '../../../src/support/tools/helpdesk-tool.ts';
import { helpdeskTools } from '../../../src/support/tools/helpdesk-tools.ts';
import { DELIVERIES, madeUp, payloadText } from './payload.ts';
import { verifyDelivery } from './verify-delivery.ts';

const SIGNED = [
  ...[
    'x-hub-signature',
    'x-chatwoot-signature',
    'x-chatwoot-timestamp',
    'x-zendesk-webhook-signature',
  ],
  ...[
    'x-zendesk-webhook-signature-timestamp',
    'x-helpscout-signature',
    'webhook-id',
    'webhook-timestamp',
  ],
  ...[
    'webhook-signature',
    'x-webhook-token',
    'x-hubspot-signature-v3',
    'x-hubspot-request-timestamp',
  ],
];
/** The recorded bodies of a tool. */
const samplesOf = (id: HelpdeskId) =>
  [...new Set(DELIVERIES[id].flatMap(({ sample }) => sample ?? []))].map(payloadText);
const HEADERS = { 'X-HelpScout-Event': 'convo.created' };
/** What an id may look like once it is read: it becomes part of a path, and the name of an object. */
const ID = /^[\w:-][\w.:-]{0,127}$/;

/** Reads a delivery as the product does; what is thrown beside `DeliveryUnreadable` fails the test. */
const readSafely = (tool: HelpdeskTool, delivery: Delivery): void => {
  try {
    for (const event of tool.read(delivery)) {
      if (event.kind === 'ignored') expect(event.reason.length).toBeLessThan(100);
      if (event.kind === 'message') expect(event.ticketId).toMatch(ID);
      if (event.kind === 'message' && typeof event.message === 'object')
        expect(event.message.id).toMatch(ID);
      if (event.kind === 'article' && event.articleId !== undefined)
        expect(event.articleId).toMatch(ID);
      if (event.kind === 'message' && event.ticket !== undefined) {
        expect(event.ticket.messages.length).toBeLessThanOrEqual(200);
        for (const { text } of event.ticket.messages)
          expect(text.length).toBeLessThanOrEqual(32_000);
        expect(JSON.stringify(event.ticket.metadata).length).toBeLessThanOrEqual(12_000);
      }
    }
  } catch (error) {
    if (!(error instanceof DeliveryUnreadable)) throw error;
    expect(error.message.length).toBeLessThan(300);
  }
};

/** Replaces the value at one place of a body. */
const withValue = (body: unknown, path: readonly number[], value: unknown): unknown => {
  const [step, ...rest] = path;
  if (step === undefined || typeof body !== 'object' || body === null) return value;
  const keys = Object.keys(body);
  const key = keys[step % Math.max(keys.length, 1)];
  if (key === undefined) return value;
  const inner = withValue((body as Record<string, unknown>)[key], rest, value);
  return Array.isArray(body) ? body.with(Number(key), inner) : { ...body, [key]: inner };
};

describe.each(HELPDESK_IDS)('a hostile delivery of %s', (id) => {
  const tool = helpdeskTools[id];
  it('throws only that it is unreadable, whatever bytes or JSON it contains', () => {
    const json = fc.json({ maxDepth: 5 }).map((text) => new TextEncoder().encode(text));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), json), (bytes) =>
        readSafely(tool, { ...madeUp('', HEADERS), body: new Uint8Array(bytes) }),
      ),
      { numRuns: 300 },
    );
  });
  it('throws only that it is unreadable when one value of a valid body is malformed', () => {
    const malformed = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(
        '..',
        '../../admin',
        'a/b',
        '%2e%2e',
        '',
        'x'.repeat(5000),
        '\ud800',
        '__proto__',
      ),
      // The length of the last cannot be compared, which a check of bounds does before it looks at the type.
      fc.constantFrom(-1, 1e300, 0.5, [], { length: { valueOf: 0, toString: 0 } }),
    );
    const samples = samplesOf(id).map((text): unknown => JSON.parse(text));
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(fc.nat(60), { maxLength: 6 }),
        malformed,
        (sample, path, value) => readSafely(tool, madeUp(withValue(sample, path, value), HEADERS)),
      ),
      { numRuns: 500 },
    );
  });
  it('reads a message of 100,000 open elements', () => {
    const [sample = ''] = samplesOf(id);
    readSafely(tool, madeUp(sample.replaceAll('charged twice', '<div>'.repeat(100_000)), HEADERS));
  });
  it('is refused without an exception when its headers are malformed', async () => {
    const value = fc.oneof(
      fc
        .string({ unit: 'binary-ascii', maxLength: 60 })
        .map((text) => text.replace(/[\0\r\n]/g, '')),
      fc.constantFrom('', 'sha1=', 'sha256=zz', 'v1,', 'v1, v1, v1,', 'v1a,AAAA', 'é'),
      fc.constantFrom('1768473000', '2026-01-15T10:30:00Z'),
      fc.constant('v1,AAAA '.repeat(3000)),
      fc.constant('a'.repeat(100_000)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { minLength: SIGNED.length, maxLength: SIGNED.length }),
        fc.boolean(),
        async (values, twice) => {
          const headers = new Headers();
          for (const [at, name] of SIGNED.entries()) {
            headers.append(name, values[at] ?? '');
            if (twice) headers.append(name, values[at] ?? '');
          }
          const delivery = { ...madeUp('{}'), headers };
          const secrets = [
            '',
            'a secret',
            'whsec_',
            'whsec_AAAA',
            'whpk_',
            'whpk_AAAA',
            `whpk_${'A'.repeat(43)}=`,
          ];
          expect(
            await verifyDelivery(delivery, tool.signatures, { secrets, now: 1_768_473_000_000 }),
          ).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });
  it('is refused when there is no secret, or an empty one', async () => {
    for (const secrets of [[], [''], ['', '']]) {
      const headers = { 'x-webhook-token': '', 'webhook-signature': 'v1,' };
      expect(
        await verifyDelivery(madeUp('{}', headers), tool.signatures, { secrets, now: 0 }),
      ).toBe(false);
    }
  });
});
