import { createHash, createHmac } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LogLine } from '../../../src/platform/log.ts';
import type { EventMessage } from '../../../src/support/tickets/ticket-objects.ts';
import { createApp } from '../../../src/support/tickets/webhooks-app.ts';
import { readConnections } from '../../../src/support/tools/connections.ts';
import {
  DeliveryUnreadable,
  type HelpdeskEvent,
  type HelpdeskTool,
} from '../../../src/support/tools/helpdesk-tool.ts';
import { HELP_SCOUT } from '../../../src/support/tools/signature-schemes.ts';

/** A tool that verifies by the header `proof`, and reads the body as events. */
const TOOL: HelpdeskTool = {
  id: 'chatwoot',
  name: 'Test',
  signatures: [{ algorithm: 'token', header: 'proof', encoding: 'text' }],
  read: ({ body }) => {
    const text = new TextDecoder().decode(body);
    if (text === 'unreadable') throw new DeliveryUnreadable('Cannot read: my name is Dana');
    if (text === 'broken') throw new Error('a bug of ours');
    return JSON.parse(text) as HelpdeskEvent[];
  },
  client: () => {
    throw new Error('is not written to');
  },
};

const MESSAGE: HelpdeskEvent = { kind: 'message', ticketId: '1207', message: { id: '990001' } };
const STORED = { kind: 'event', workspace: 'default', helpdesk: 'chatwoot', event: MESSAGE };
const MIB = 1024 * 1024;
const SECRETS = {
  NEW: 'the newest secret of this desk',
  OLD: 'the oldest secret of this desk',
  ACME: 'the secret of acme, which is long',
};
const CONNECTIONS = readConnections({
  HELPDESKS: JSON.stringify({
    default: { chatwoot: { secrets: ['NEW', 'OLD'] }, zendesk: { secrets: ['UNSET'] } },
    tokenless: { chatwoot: { secrets: ['NEW'], token: 'UNSET' } },
    rotating: { chatwoot: { secrets: ['UNSET', 'NEW'] } },
    acme: { chatwoot: { secrets: ['ACME'] } },
  }),
  ...SECRETS,
});

interface Parts {
  store?: (message: EventMessage) => Promise<void>;
  storeLater?: (message: EventMessage) => Promise<void>;
  signatures?: HelpdeskTool['signatures'];
}
const appForTest = ({
  store = async () => undefined,
  storeLater = async () => undefined,
  signatures = TOOL.signatures,
}: Parts = {}) => {
  const lines: LogLine[] = [];
  const kept: EventMessage[] = [];
  const later: EventMessage[] = [];
  const listed: unknown[] = [];
  const refused: string[] = [];
  const app = createApp({
    connections: CONNECTIONS,
    tools: { chatwoot: { ...TOOL, signatures } },
    log: (line) => lines.push(line),
    store: (event) => {
      kept.push(event);
      return store(event);
    },
    countRefused: async (workspace, helpdesk, count) =>
      void refused.push(`${workspace} ${helpdesk} ${count}`),
    listOversized: async (workspace, delivery) => void listed.push([workspace, delivery]),
    storeLater: (event) => {
      later.push(event);
      return storeLater(event);
    },
  });
  const post = async (
    path = 'chatwoot',
    { proof = SECRETS.NEW, body = [MESSAGE] as BodyInit | object[] } = {},
  ) => {
    const content = Array.isArray(body) ? JSON.stringify(body) : (body as BodyInit);
    const response = await app.request(`/webhooks/${path}`, {
      method: 'POST',
      headers: { proof },
      body: content,
    });
    const { status, headers } = response;
    return { status, headers, json: (await response.json()) as Record<string, unknown> };
  };
  return { app, post, lines, kept, later, listed, refused };
};

describe('POST /webhooks/{helpdesk}', () => {
  it('stores the events of a verified delivery in their object', async () => {
    const { post, kept, later } = appForTest();
    expect(await post()).toMatchObject({ status: 200, json: { accepted: 1 } });
    expect([kept, later]).toEqual([[STORED], []]);
  });
  it.each([
    ['chatwoot/acme', SECRETS.ACME, 'acme'],
    ['chatwoot/acme', SECRETS.NEW, undefined],
    ['chatwoot', SECRETS.ACME, undefined],
    ['chatwoot', SECRETS.OLD, 'default'],
    ['chatwoot/tokenless', SECRETS.NEW, 'tokenless'],
    ['chatwoot/rotating', SECRETS.NEW, 'rotating'],
    ['chatwoot/rotating', 'wrong', undefined],
  ])(
    'verifies a delivery to %s with the secrets of its workspace: %s',
    async (path, proof, workspace) => {
      const { post, kept } = appForTest();
      expect((await post(path, { proof })).status).toBe(workspace === undefined ? 401 : 200);
      expect(kept.map((event) => event.workspace)).toEqual(
        workspace === undefined ? [] : [workspace],
      );
    },
  );
  const UNKNOWN =
    'chatwoot/other front zammad __proto__/__proto__ chatwoot/__proto__ chatwoot/constructor';
  it.each(UNKNOWN.split(' '))(
    'refuses %s exactly like a wrong signature, but does not count it',
    async (path) => {
      const { post, kept, refused } = appForTest();
      const wrong = await post('chatwoot', { proof: 'wrong' });
      const unknown = await post(path);
      expect([unknown.status, unknown.json]).toEqual([401, wrong.json]);
      for (const { headers } of [wrong, unknown])
        expect(headers.get('WWW-Authenticate')).toBe('WebhookSignature');
      expect(kept).toEqual([]);
      await vi.waitFor(() => expect(refused).toEqual(['default chatwoot 1']));
    },
  );
  it('asks for the same delivery later when no secret of the connection is set', async () => {
    const { status, headers, json } = await appForTest().post('zendesk');
    expect([status, headers.get('Retry-After')]).toEqual([503, '5']);
    expect(json).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', recoverable: true } });
  });
  it.each([
    ['that are ignored', [{ kind: 'ignored', reason: 'a private note' }], 'a private note'],
    ['that cannot be read', 'unreadable', 'not what the tool sends'],
    ['with a long id', [{ ...MESSAGE, ticketId: 'x'.repeat(201) }], 'an id is empty or too long'],
  ])('accepts and drops verified deliveries %s', async (_, body, reason) => {
    const { post, kept, lines } = appForTest();
    expect(await post('chatwoot', { body })).toMatchObject({ status: 200, json: { accepted: 0 } });
    expect(kept).toEqual([]);
    expect(lines.find(({ event }) => event === 'request')).toMatchObject({ reason });
    expect(JSON.stringify(lines)).not.toContain('Dana');
  });
  it('stores automatic mail to be listed with its reason, and accepts it as no message', async () => {
    const reason = 'an automatic reply';
    const listed = { ticketId: '1207', messageId: '990001', reason };
    const { post, kept, lines } = appForTest();
    expect((await post('chatwoot', { body: [{ kind: 'ignored', reason, listed }] })).json).toEqual({
      accepted: 0,
    });
    expect(kept).toEqual([{ ...STORED, event: { ...MESSAGE, automatic: reason } }]);
    expect(lines.find(({ event }) => event === 'request')).toMatchObject({ reason });
  });
  it('reads a delivery of 4 MiB, lists a larger one that is verified, and refuses one of more than 32 MiB', async () => {
    const { post, listed, kept } = appForTest();
    const events = (bytes: number) => JSON.stringify([MESSAGE]).padEnd(bytes);
    expect((await post('chatwoot', { body: events(4 * MIB) })).json).toEqual({ accepted: 1 });
    const body = events(4 * MIB + 1);
    expect(await post('chatwoot', { body })).toMatchObject({ status: 200, json: { accepted: 0 } });
    const hash = createHash('sha256').update(body).digest('base64url');
    expect(listed).toEqual([['default', { helpdesk: 'chatwoot', bytes: 4 * MIB + 1, hash }]]);
    expect((await post('chatwoot', { proof: 'wrong', body })).status).toBe(401);
    const refused = await post('chatwoot', { body: new Uint8Array(32 * MIB + 1) });
    expect(refused).toMatchObject({ status: 400, json: { error: { code: 'INVALID_QUERY' } } });
    expect([listed.length, kept.length]).toEqual([1, 1]);
  });
  it('verifies a large body as it arrives, without holding it', async () => {
    setFlagsFromString('--expose-gc');
    // The flag gives it to new contexts only.
    const collectGarbage = runInNewContext('gc') as () => void;
    const { app, listed } = appForTest({ signatures: [HELP_SCOUT] });
    const chunk = new Uint8Array(MIB).fill(32);
    const hmac = createHmac('sha1', SECRETS.NEW);
    for (let count = 0; count < 10; count += 1) hmac.update(chunk);
    const released: WeakRef<Uint8Array>[] = [];
    let mostHeld = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        // A WeakRef that was read is released only between tasks.
        await new Promise((resolve) => setTimeout(resolve));
        collectGarbage();
        // The first 4 MiB are kept: the body could end there.
        const later = released.slice(5);
        mostHeld = Math.max(mostHeld, later.filter((piece) => piece.deref() !== undefined).length);
        if (released.length === 10) return controller.close();
        const piece = chunk.slice();
        released.push(new WeakRef(piece));
        controller.enqueue(piece);
      },
    });
    const headers = { 'X-HelpScout-Signature': hmac.digest('base64') };
    const init = { method: 'POST', headers, body, duplex: 'half' };
    const response = await app.request('/webhooks/chatwoot', init as RequestInit);
    expect([response.status, listed]).toMatchObject([200, [['default', { bytes: 10 * MIB }]]]);
    expect(mostHeld).toBeLessThan(4);
  });
  it('answers INTERNAL_ERROR without details when a tool has a bug', async () => {
    const { status, json } = await appForTest().post('chatwoot', { body: 'broken' });
    expect([status, JSON.stringify(json)]).toEqual([500, expect.not.stringContaining('bug')]);
  });
});

it.each([
  ['HEAD', '/webhooks/intercom', 200],
  ['HEAD', '/webhooks/intercom/acme', 200],
  ['GET', '/webhooks/intercom', 404],
])('%s %s answers %i', async (method, path, status) => {
  expect((await appForTest().app.request(path, { method })).status).toBe(status);
});

describe('an object that is down', () => {
  afterEach(() => vi.restoreAllMocks());
  /** The sum of the timeouts that were set: how long a response takes at most. */
  const longestMs = (timeouts: { mock: { calls: number[][] } }) =>
    timeouts.mock.calls.reduce((sum, [ms = 0]) => sum + ms, 0);
  const hang = () => new Promise<never>(() => {});
  const fail = () => Promise.reject(new Error('the object is overloaded'));
  const DOWN = [
    ['fails', fail],
    ['hangs', hang],
  ] as const;
  it.each(DOWN)(
    'and %s: the workspace stores the whole delivery, and the response comes within a second',
    async (_, store) => {
      const timeouts = vi.spyOn(AbortSignal, 'timeout');
      const { post, later } = appForTest({ store });
      expect(await post()).toMatchObject({ status: 200, json: { accepted: 1 } });
      expect(later).toEqual([STORED]);
      expect(longestMs(timeouts)).toBeLessThan(1000);
    },
  );
  it.each(DOWN)(
    'with a workspace that %s too: the tool has to repeat the delivery, in time',
    async (_, storeLater) => {
      const timeouts = vi.spyOn(AbortSignal, 'timeout');
      const { status, headers } = await appForTest({ store: hang, storeLater }).post();
      expect([status, headers.get('Retry-After')]).toEqual([503, '5']);
      expect(longestMs(timeouts)).toBeLessThan(1000);
    },
  );
  it('for one of several messages: the whole delivery is repeated, which is harmless', async () => {
    let calls = 0;
    const { post } = appForTest({
      store: async () => (calls++ === 0 ? fail() : undefined),
      storeLater: fail,
    });
    expect(
      (await post('chatwoot', { body: [MESSAGE, { ...MESSAGE, ticketId: '1208' }] })).status,
    ).toBe(503);
  });
});
