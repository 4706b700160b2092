import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readRequest } from '../../../src/contract/core/read-request.ts';
import { ROUTES, type RouteName } from '../../../src/contract/routes/http-routes.ts';
import { SupportRequest } from '../../../src/contract/wire/support-response.ts';
import { exampleRequest, requestSchema } from '../../../tools/build/openapi.ts';
import { optionalMembers, withMember, withNulls } from '../wire/null-members.ts';

const DATE = '2026-11-02T09:00:00Z';
const SEARCH_OPTIONS = {
  limit: 3,
  memoryTypes: ['fact'],
  dateFrom: DATE,
  dateTo: '2026-11-03',
  minConfidence: 0.5,
  conversationId: 'c-1',
  includeRelationships: true,
  relationshipDepth: 2,
};
const TEMPLATE = {
  name: 'mine',
  memoryFormat: '{{content}}',
  separator: '\n',
  includeMetadata: false,
};
const INTENT = {
  id: 'a',
  title: 'A',
  reply_template: 'Hello,',
  examples: ['One message', 'Two messages', 'Three messages'],
  auto_send: { allowed: false },
  no_reply: {},
  escalation: [{ to: 'the manager', always: true, reason: 'It is dear.' }],
  required_facts: [{ id: 'serial', question: 'Which serial number?', patterns: ['[A-Z]{2}'] }],
};

/** Members of a body that the example of the route does not have, so that every object of its schema is there once. */
const MORE: Partial<Record<RouteName, object[]>> = {
  'POST /v1/chat/completions': [{ stream_options: { include_usage: true } }],
  'POST /v1/knowledge/search': [{ filter: { intent: 'a', device: 'b' } }],
  'POST /v1/support/analyze': [{ history: [{ from: 'customer', text: 'Hello' }] }],
  'PUT /v1/support/taxonomy': [
    {
      taxonomy: {
        version: 1,
        name: 'A shop',
        general_template: 'Hello,',
        intents: [INTENT, { ...INTENT, id: 'b', title: 'B' }],
        escalation: [{ to: 'the manager', any_of: ['lawyer'], reason: 'It is legal.' }],
      },
    },
  ],
  'PUT /api/kb/articles/{id}': [{ metadata: { author: 'Support' } }],
  'POST /v1/workspaces/{workspace_id}/memories/search': [{ options: SEARCH_OPTIONS }],
  'POST /v1/workspaces/{workspace_id}/memories/context': [
    { options: { ...SEARCH_OPTIONS, template: TEMPLATE, ranker: { recencyWeight: 1 } } },
  ],
  'POST /v1/workspaces/{workspace_id}/memories/context/preview': [
    { options: { ...SEARCH_OPTIONS, template: TEMPLATE, ranker: { recencyWeight: 1 } } },
  ],
};

const NAMES = (Object.keys(ROUTES) as RouteName[]).filter(
  (name) => requestSchema(name) !== undefined,
);
const bodiesOf = (name: RouteName): unknown[] => {
  const { body } = exampleRequest(name);
  return [body, ...(MORE[name] ?? []).map((more) => ({ ...Object(body), ...more }))];
};

describe.each(NAMES)('the body of %s', (name) => {
  const schema = requestSchema(name) ?? z.never();

  it('may have null in each optional member, at any depth, as if it were absent', () => {
    const refused = bodiesOf(name).flatMap((body) =>
      optionalMembers(schema, body).flatMap((member) => {
        const absent = schema.safeParse(withMember(body, member, undefined));
        // One of several members must be there, such as a text or a vector.
        if (!absent.success) return [];
        const read = readRequest(schema, withMember(body, member, null));
        const isSame =
          read.ok &&
          JSON.stringify(dropNulls(read.value)) === JSON.stringify(dropNulls(absent.data));
        return isSame ? [] : [member.id];
      }),
    );
    expect(refused).toEqual([]);
  });

  it('may have null in all of them at once', () => {
    for (const body of bodiesOf(name))
      expect(readRequest(schema, withNulls(schema, body))).toMatchObject({ ok: true });
  });
});

/** Some members take null themselves, and say so in their value. */
const dropNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) => (member === null ? undefined : member));

it('covers every optional member of the requests', () => {
  for (const name of NAMES) {
    for (const body of bodiesOf(name))
      expect([name, requestSchema(name)?.safeParse(body).error?.issues]).toEqual([name, undefined]);
  }
  const covered = NAMES.map((name) => {
    const schema = requestSchema(name) ?? z.never();
    return bodiesOf(name).flatMap((body) => optionalMembers(schema, body)).length;
  });
  expect(covered.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(140);
  const analysis = optionalMembers(SupportRequest, bodiesOf('POST /v1/support/analyze')[1]).map(
    ({ id }) => id,
  );
  expect(analysis).toEqual(
    expect.arrayContaining(['customer_name', 'subject', 'history', 'history[].sent_at']),
  );
});

describe('readRequest', () => {
  it('accepts the defaults of the draft generator: no name, no metadata', () => {
    const request = {
      message: 'It shows 0 H/s',
      customer_name: null,
      metadata: null,
      history: null,
    };
    expect(readRequest(SupportRequest, request)).toMatchObject({
      ok: true,
      value: { message: 'It shows 0 H/s' },
    });
  });

  it('refuses null in a required member, in a list, and in an unknown member', () => {
    for (const [request, path] of [
      [{ message: null }, 'message'],
      [{ message: 'a', history: [null] }, 'history.0'],
      [{ message: 'a', history: [{ from: 'agent', text: null }] }, 'history.0.text'],
      [{ message: 'a', shoe_size: null }, 'shoe_size'],
    ] as const) {
      expect(readRequest(SupportRequest, request)).toMatchObject({ ok: false, issues: [{ path }] });
    }
  });

  it('names only what is wrong besides', () => {
    const request = { message: 'a', customer_name: null, subject: 7 };
    expect(readRequest(SupportRequest, request)).toMatchObject({
      ok: false,
      issues: [{ path: 'subject' }],
    });
  });

  it('keeps null where values are open, and where the schema takes it', () => {
    const metadata = { seats: null, nested: { more: null }, list: [null] };
    const Open = z.strictObject({
      name: z.string().optional(),
      score: z.number().nullish(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    });
    expect(readRequest(Open, { name: null, score: null, metadata })).toEqual({
      ok: true,
      value: { score: null, metadata },
    });
  });

  it('refuses null as an entry of a dictionary, which is no optional member', () => {
    const Phrases = z.strictObject({
      title: z.string().optional(),
      phrases: z.record(z.string(), z.string()),
    });
    expect(readRequest(Phrases, { title: null, phrases: { en: null } }).ok).toBe(false);
  });

  it('reads unions, lists, tuples, defaults and pipes', () => {
    const Inner = z.strictObject({ size: z.number().optional(), name: z.string().default('none') });
    const All = z.strictObject({
      either: z.union([z.string(), Inner]).optional(),
      list: z.array(Inner).optional(),
      pair: z.tuple([z.string(), Inner]).optional(),
      piped: Inner.transform(({ name }) => name).optional(),
      prepared: z.preprocess((value) => value, Inner).optional(),
      lazy: z.lazy(() => Inner).optional(),
    });
    const inner = { size: null, name: null };
    const read = readRequest(All, {
      either: inner,
      list: [inner],
      pair: ['a', inner],
      piped: inner,
      prepared: inner,
      lazy: inner,
    });
    const plain = { name: 'none' };
    expect(read).toEqual({
      ok: true,
      value: {
        either: plain,
        list: [plain],
        pair: ['a', plain],
        piped: 'none',
        prepared: plain,
        lazy: plain,
      },
    });
  });

  it('leaves the value of the caller as it is, and carries a member called __proto__ along', () => {
    const request: unknown = JSON.parse(
      '{"message": "a", "subject": null, "__proto__": {"admin": true}}',
    );
    const before = JSON.stringify(request);
    expect(readRequest(SupportRequest, request)).toMatchObject({
      ok: false,
      issues: [{ path: '__proto__' }],
    });
    expect(JSON.stringify(request)).toBe(before);
  });
});
