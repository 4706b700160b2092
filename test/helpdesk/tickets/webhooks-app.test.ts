import { createHash, createHmac } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { Healthz } from '../../../src/contract/librarian.ts';
import { readConnections } from '../../../src/helpdesk/connections.ts';
import {
  DeliveryUnreadable,
  type HelpdeskEvent,
  type HelpdeskTool,
  type SignatureScheme,
} from '../../../src/helpdesk/helpdesk-tool.ts';
import { HELP_SCOUT } from '../../../src/helpdesk/signature-schemes.ts';
import type { EventMessage, TicketMessage } from '../../../src/helpdesk/tickets/ticket-objects.ts';
import { createApp } from '../../../src/helpdesk/tickets/webhooks-app.ts';
import type { LogLine } from '../../../src/runtime/log.ts';

/** A tool that verifies by the header `proof`, and reads the body as events. */
const tool: HelpdeskTool = {
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

const message: HelpdeskEvent = { kind: 'message', ticketId: '1207', message: { id: '990001' } };

setFlagsFromString('--expose-gc');
// The flag gives it to new contexts only.
const collectGarbage = runInNewContext('gc') as () => void;

const MIB = 1024 * 1024;
const SECRETS = {
  new: 'the newest secret of this desk',
  old: 'the oldest secret of this desk',
  acme: 'the secret of acme, which is long',
};
const CONNECTIONS = readConnections({
  HELPDESKS: JSON.stringify({
    default: { chatwoot: { secrets: ['NEW', 'OLD'] }, zendesk: { secrets: ['UNSET'] } },
    tokenless: { chatwoot: { secrets: ['NEW'], token: 'UNSET' } },
    rotating: { chatwoot: { secrets: ['UNSET', 'NEW'] } },
    acme: { chatwoot: { secrets: ['ACME'] } },
  }),
  ...{ NEW: SECRETS.new, OLD: SECRETS.old, ACME: SECRETS.acme },
});

interface Parts {
  store?: (message: EventMessage) => Promise<string | undefined>;
  enqueue?: (message: TicketMessage) => Promise<void>;
  signatures?: readonly SignatureScheme[];
}
const appForTest = ({ store = async () => '1207', enqueue = async () => undefined, signatures }: Parts = {}) => {
  const lines: LogLine[] = [];
  const kept: unknown[] = [];
  const queued: TicketMessage[] = [];
  const listed: unknown[] = [];
  const refused = new Map<string, number>();
  const app = createApp({
    ...{
      connections: CONNECTIONS,
      tools: { chatwoot: { ...tool, ...(signatures && { signatures }) } },
      log: (line) => lines.push(line),
    },
    store: async (event) => {
      kept.push(event);
      return store(event);
    },
    countRefused: async (workspace, helpdesk, count) => {
      const place = `${workspace} ${helpdesk}`;
      refused.set(place, (refused.get(place) ?? 0) + count);
    },
    listOversized: async (workspace, delivery) => void listed.push([workspace, delivery]),
    enqueue: async (event) => {
      queued.push(event);
      await enqueue(event);
    },
  });
  const post = async (path: string, { proof = SECRETS.new, body = JSON.stringify([message]) as BodyInit } = {}) => {
    const response = await app.request(path, { method: 'POST', headers: { proof }, body });
    const { status, headers } = response;
    return { status, headers, json: (await response.json()) as Record<string, unknown> };
  };
  return { app, post, lines, kept, queued, listed, refused };
};

describe('POST /webhooks/{helpdesk}', () => {
  it('stores the events of a verified delivery, and queues their tickets', async () => {
    const { post, kept, queued } = appForTest();
    expect(await post('/webhooks/chatwoot')).toMatchObject({ status: 200, json: { accepted: 1 } });
    expect(kept).toEqual([{ kind: 'event', workspace: 'default', helpdesk: 'chatwoot', event: message }]);
    expect(queued).toEqual([{ kind: 'ticket', workspace: 'default', helpdesk: 'chatwoot', ticketId: '1207' }]);
  });
  it('takes the workspace from the address, and verifies with its secret', async () => {
    const { post, kept } = appForTest();
    expect((await post('/webhooks/chatwoot/acme', { proof: SECRETS.acme })).status).toBe(200);
    expect(kept).toMatchObject([{ workspace: 'acme' }]);
    expect((await post('/webhooks/chatwoot/acme', { proof: SECRETS.new })).status).toBe(401);
    expect((await post('/webhooks/chatwoot', { proof: SECRETS.acme })).status).toBe(401);
    expect((await post('/webhooks/chatwoot', { proof: SECRETS.old })).status).toBe(200);
  });
  it('refuses unknown workspaces and tools exactly like a wrong signature', async () => {
    const { post, kept } = appForTest();
    const wrong = await post('/webhooks/chatwoot', { proof: 'wrong' });
    const unknown = [
      'chatwoot/other',
      'front',
      'zammad',
      '__proto__/__proto__',
      'chatwoot/__proto__',
      'chatwoot/constructor',
    ];
    for (const { status, json, headers } of [
      wrong,
      ...(await Promise.all(unknown.map((at) => post(`/webhooks/${at}`)))),
    ]) {
      expect([status, json]).toEqual([401, wrong.json]);
      expect(headers.get('WWW-Authenticate')).toBe('WebhookSignature');
    }
    expect(kept).toEqual([]);
  });
  it('counts deliveries that no secret verifies, but not for unknown workspaces and tools', async () => {
    const { post, refused } = appForTest();
    const wrong = ['chatwoot', 'chatwoot', 'chatwoot', 'chatwoot/acme', 'chatwoot/other', 'front', 'zendesk'];
    await Promise.all(wrong.map((path) => post(`/webhooks/${path}`, { proof: 'wrong' })));
    await post('/webhooks/chatwoot');
    await vi.waitFor(() => expect(Object.fromEntries(refused)).toEqual({ 'default chatwoot': 3, 'acme chatwoot': 1 }));
  });
  it('names unusable connections in the log and GET /healthz', async () => {
    const { app, lines } = appForTest();
    const health = Healthz.parse(await (await app.request('/healthz')).json());
    expect(health).toMatchObject({
      status: 'degraded',
      helpdesks: { connections: 5, misconfigured: ['zendesk', 'chatwoot'] },
    });
    expect(lines.map((line) => 'cause' in line && line.cause)).toEqual([
      'Cannot reach the helpdesk: the secret UNSET is not set',
      'Cannot reach the helpdesk: the secret UNSET is not set',
    ]);
  });
  it('asks for the same delivery later when no secret of the connection is set', async () => {
    const { post } = appForTest();
    const { status, headers, json } = await post('/webhooks/zendesk');
    expect([status, headers.get('Retry-After')]).toEqual([503, '5']);
    expect(json).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE', recoverable: true } });
  });
  it('stores a delivery although the API token or one of two secrets is not set', async () => {
    const { post, kept } = appForTest();
    expect((await post('/webhooks/chatwoot/tokenless')).status).toBe(200);
    expect((await post('/webhooks/chatwoot/rotating')).status).toBe(200);
    expect((await post('/webhooks/chatwoot/rotating', { proof: 'wrong' })).status).toBe(401);
    expect(kept).toMatchObject([{ workspace: 'tokenless' }, { workspace: 'rotating' }]);
  });
  it('accepts and drops ignored deliveries, and verified ones that cannot be read', async () => {
    const { post, kept, lines } = appForTest();
    const ignored = JSON.stringify([{ kind: 'ignored', reason: 'a private note' }]);
    const long = JSON.stringify([{ ...message, ticketId: 'x'.repeat(201) }]);
    for (const body of [ignored, 'unreadable', long])
      expect(await post('/webhooks/chatwoot', { body })).toMatchObject({ status: 200, json: { accepted: 0 } });
    expect(kept).toEqual([]);
    const requests = lines.filter(({ event }) => event === 'request');
    expect(requests.map((line) => 'reason' in line && line.reason)).toEqual([
      'a private note',
      'not what the tool sends',
      'an id is empty or too long',
    ]);
    expect(JSON.stringify(lines)).not.toContain('Dana');
  });
  it('reads a delivery of 4 MiB, lists a larger one that is verified, and refuses one of more than 32 MiB', async () => {
    const { post, listed, kept } = appForTest();
    const events = (bytes: number) => JSON.stringify([message]).padEnd(bytes);
    expect((await post('/webhooks/chatwoot', { body: events(4 * MIB) })).json).toEqual({ accepted: 1 });
    expect(kept).toHaveLength(1);
    const larger = await post('/webhooks/chatwoot', { body: events(4 * MIB + 1) });
    expect([larger.status, larger.json, kept.length]).toEqual([200, { accepted: 0 }, 1]);
    const hash = createHash('sha256')
      .update(events(4 * MIB + 1))
      .digest('base64url');
    expect(listed).toEqual([['default', { helpdesk: 'chatwoot', bytes: 4 * MIB + 1, hash }]]);
    expect((await post('/webhooks/chatwoot', { proof: 'wrong', body: events(4 * MIB + 1) })).status).toBe(401);
    const refused = await post('/webhooks/chatwoot', { body: new Uint8Array(32 * MIB + 1) });
    expect([refused.status, refused.json]).toMatchObject([400, { error: { code: 'INVALID_QUERY' } }]);
    expect(listed).toHaveLength(1);
  });
  it('verifies a body of 30 MiB as it arrives, without holding it', async () => {
    const { app, listed } = appForTest({ signatures: [HELP_SCOUT] });
    const chunk = new Uint8Array(3 * MIB).fill(32);
    const hmac = createHmac('sha1', SECRETS.new);
    for (let count = 0; count < 10; count += 1) hmac.update(chunk);
    const released: WeakRef<Uint8Array>[] = [];
    let mostHeld = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        // A WeakRef that was read is released only between tasks.
        await new Promise((resolve) => setTimeout(resolve));
        collectGarbage();
        mostHeld = Math.max(mostHeld, released.filter((piece) => piece.deref() !== undefined).length);
        if (released.length === 10) return controller.close();
        const piece = chunk.slice();
        released.push(new WeakRef(piece));
        controller.enqueue(piece);
      },
    });
    const headers = { 'X-HelpScout-Signature': hmac.digest('base64') };
    const init = { method: 'POST', headers, body, duplex: 'half' };
    const response = await app.request('/webhooks/chatwoot', init as RequestInit);
    expect([response.status, listed]).toMatchObject([200, [['default', { bytes: 30 * MIB }]]]);
    expect(mostHeld).toBeLessThan(5);
  });
  it('answers INTERNAL_ERROR without details when a tool has a bug', async () => {
    const { post } = appForTest();
    const { status, json } = await post('/webhooks/chatwoot', { body: 'broken' });
    expect(status).toBe(500);
    expect(JSON.stringify(json)).not.toContain('bug');
  });
});

describe('HEAD /webhooks/{helpdesk}', () => {
  it('answers 200, and GET 404', async () => {
    const { app } = appForTest();
    expect((await app.request('/webhooks/intercom', { method: 'HEAD' })).status).toBe(200);
    expect((await app.request('/webhooks/intercom/acme', { method: 'HEAD' })).status).toBe(200);
    expect((await app.request('/webhooks/intercom')).status).toBe(404);
  });
});

describe('an object that is down', () => {
  const hang = () => new Promise<never>(() => {});
  const fail = async () => {
    throw new Error('the object is overloaded');
  };
  const DOWN = [
    ['fails', fail],
    ['hangs', hang],
  ] as const;
  it.each(DOWN)('and %s: the whole delivery is queued, and the response comes within a second', async (_, store) => {
    const { post, queued } = appForTest({ store });
    const startedAt = performance.now();
    expect(await post('/webhooks/chatwoot')).toMatchObject({ status: 200, json: { accepted: 1 } });
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(queued).toEqual([{ kind: 'event', workspace: 'default', helpdesk: 'chatwoot', event: message }]);
  });
  it.each(DOWN)(
    'with a queue that %s as well: the tool has to repeat the delivery, and knows within a second',
    async (_, enqueue) => {
      const { post } = appForTest({ store: hang, enqueue });
      const startedAt = performance.now();
      const { status, headers } = await post('/webhooks/chatwoot');
      expect([status, headers.get('Retry-After')]).toEqual([503, '5']);
      expect(performance.now() - startedAt).toBeLessThan(1000);
    },
  );
  it('does not matter when only the queue is down: the alarm starts the work', async () => {
    const { post } = appForTest({ enqueue: fail });
    expect((await post('/webhooks/chatwoot')).status).toBe(200);
  });
  it('for one of several messages: the whole delivery is repeated, which is harmless', async () => {
    let calls = 0;
    const { post } = appForTest({ store: async () => (calls++ === 0 ? fail() : '1207'), enqueue: fail });
    const two = [message, { ...message, ticketId: '1208' }];
    expect((await post('/webhooks/chatwoot', { body: JSON.stringify(two) })).status).toBe(503);
  });
});
