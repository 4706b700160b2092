import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../../src/dev/functions.ts';
import { decodeBase64url } from '../../src/signing/base64url.ts';
import { readJws, signJws } from '../../src/signing/compact-jws.ts';
import { randomHex, sha256, utf8 } from '../../src/signing/digest.ts';
import { localSigner } from '../../src/signing/local-directory.ts';
import { importSigner, makeSigningKey, type Signer } from '../../src/signing/signer.ts';
import { startServices } from '../dev/run/upgrade/services.ts';
import {
  AUDIENCE,
  type LocalIdentityProvider,
  startIdentityProvider,
} from '../functions/identity-provider-for-test.ts';

/** Attacks on `npm start` from outside, as anyone on the machine or a partner could try them. */
const PARTNER = 'partner.spy';
const QUESTION = JSON.stringify({ query: 'What was the revenue in March 2026?' });

let folder: string;
let child: ChildProcess;
let spy: Server;
let signer: Signer;
let provider: LocalIdentityProvider;
let services: Awaited<ReturnType<typeof startServices>>;
let url: string;
let key: string;
/** The last token that the partner received. */
let captured = '';
/** The output of the start. */
let output = '';

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // of a server that listens on a port
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-hostile-'));
  const { x, privateKey } = await makeSigningKey();
  signer = await importSigner(decodeBase64url(privateKey) ?? new Uint8Array(), { id: PARTNER, kid: `${PARTNER}.1` });
  spy = createServer((request, response) => {
    captured = String(request.headers['context-token']);
    response.end('{}');
  });
  const entry = { keys: [{ kid: `${PARTNER}.1`, x }], host: `127.0.0.1:${await listen(spy)}` };
  writeFileSync(join(folder, 'partners.json'), JSON.stringify({ [PARTNER]: entry }));
  services = await startServices();
  const { HELPDESKS, OWN_DESK_SECRET } = services.env;
  provider = await startIdentityProvider();
  const rights = { workspaces: ['default'], capabilities: ['kb:*', 'memory:*', 'support:*', 'answers:*', 'sql:read'] };
  const grants = [{ ...rights, claims: { groups: 'legal' }, audiences: ['legal'] }, rights];
  const OIDC_PROVIDERS = JSON.stringify([{ issuer: provider.issuer, audience: AUDIENCE, grants }]);
  const args = ['--port', '0', '--no-helpdesk', '--state', join(folder, 'state'), '--partners'];
  const withBroken = JSON.stringify({ ...JSON.parse(HELPDESKS), acme: { zendesk: { secrets: ['NO_SUCH_SECRET'] } } });
  child = spawn('node', ['src/dev/run/start.ts', ...args, join(folder, 'partners.json')], {
    ...{ cwd: ROOT, env: { ...process.env, HELPDESKS: withBroken, OWN_DESK_SECRET, OIDC_PROVIDERS } },
  });
  [url, key] = await new Promise<[string, string]>((resolve, reject) => {
    child.stdout?.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      const ready = /^ready (\S+) key (\S+)$/m.exec(output);
      if (ready) resolve([ready[1] ?? '', ready[2] ?? '']);
    });
    child.once('exit', () => reject(new Error(`it ended: ${output}`)));
  });
});

afterAll(async () => {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await ended;
  spy.close();
  provider.stop();
  await services.stop();
  rmSync(folder, { recursive: true, force: true });
});

const post = (path: string, body: string, headers: Record<string, string>) =>
  fetch(new URL(path, url), { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

const ask = async (body: object) => {
  const response = await post('/v1/ask', JSON.stringify(body), { authorization: `Bearer ${key}` });
  return (await response.json()) as { answer?: string; metadata?: { conversation?: { turns: number } } };
};

const get = async (path: string, method = 'GET') => {
  const response = await fetch(new URL(path, url), { method, headers: { authorization: `Bearer ${key}` } });
  return (await response.json()) as unknown;
};

const linkTo = async (aud: string, more: object, by: Signer) => {
  const now = Date.now();
  const op = `POST /librarians/${aud}/ask`;
  const times = { iat: now / 1000, exp: (now + 20_000) / 1000 };
  const base = { aud, jti: randomHex(8), ...times, op, bd: await sha256(utf8(QUESTION)) };
  return signJws({ ...base, ...more }, { typ: 'ctx+jwt', signer: by });
};

describe('a partner', () => {
  it('gets only rights of its directory entry, and cannot use those of the user elsewhere', async () => {
    await ask({ query: 'How warm is it?', librarian: PARTNER });
    expect(readJws(captured, 'ctx+jwt').claims.cap).toEqual([]);
    const next = { iss: PARTNER, hop: 1, prv: await sha256(utf8(captured)) };
    const token = `${captured}~${await linkTo('analytics', next, signer)}`;
    const response = await post('/librarians/analytics/ask', QUESTION, { 'context-token': token });
    expect(response.status).toBe(401);
    expect(await response.text()).not.toMatch(/\d{3}/);
  });
});

describe('another user of the machine', () => {
  it('cannot sign with the keys that tests derive from a public seed', async () => {
    const root = { tid: randomHex(16), sub: 'user:u_1', ws: 'default', amr: 'key', max: 8, cap: ['sql:read'] };
    const claims = { iss: 'gateway', hop: 0, ...root, bud: { calls: 8 } };
    const token = await linkTo('analytics', claims, await localSigner('gateway'));
    expect((await post('/librarians/analytics/ask', QUESTION, { 'context-token': token })).status).toBe(401);
  });

  it('cannot read the keys of another account', () => {
    for (const file of ['api-key', 'signing-seed'])
      expect(statSync(join(folder, 'state', file)).mode & 0o077, file).toBe(0);
  });
});

describe('DNS rebinding', () => {
  const statusFor = (host: string, path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: new URL(url).port, path, headers: { host } };
      httpRequest(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });

  it('is refused by host name', async () => {
    expect(await statusFor('rebound.example.com', '/healthz')).toBe(400);
    expect(await statusFor(`rebound.example.com:${new URL(url).port}`, '/v1/librarians')).toBe(400);
    for (const host of ['127.0.0.1', 'localhost:8787', '[::1]:1', 'desk.localhost'])
      expect(await statusFor(host, '/healthz'), host).toBe(200);
  });

  it('protection does not affect signed calls of helpdesks and partners through a tunnel', async () => {
    expect(await statusFor('tunnel.example.com', '/librarians/navigator')).toBe(200);
  });
});

describe('a caller without a valid key', () => {
  it('learns only whether a key is missing or wrong', async () => {
    const messageFor = async (headers: Record<string, string>) => {
      const response = await post('/v1/ask', QUESTION, headers);
      const { error } = (await response.json()) as { error: { message: string } }; // as every error body
      return [response.status, error.message];
    };
    const [missing, wrong] = [await messageFor({}), await messageFor({ authorization: `Bearer ck_${'x'.repeat(40)}` })];
    expect([missing?.[0], wrong?.[0]]).toEqual([401, 401]);
    expect(missing?.[1]).not.toBe(wrong?.[1]);
  });
});

describe('a caller with a key', () => {
  it('learns nothing about another person’s conversation by its id', async () => {
    const talk = (query: string, person_id: string) =>
      ask({ query, conversation_id: 'c-1', metadata: { person_id }, librarian: 'navigator' });
    await talk('How do I reset the Apollo III?', 'p-1');
    await expect
      .poll(async () => (await talk('and the Apollo II?', 'p-1')).metadata?.conversation?.turns, { timeout: 10_000 })
      .toBeGreaterThan(0);
    expect((await talk('and the Apollo II?', 'p-2')).metadata?.conversation?.turns).toBe(0);
  });

  it('is served while others at its address guess keys', async () => {
    const guess = (at: number) =>
      post('/v1/ask', QUESTION, { authorization: `Bearer ck_guess_${String(at).padStart(20, '0')}` });
    const statuses = await Promise.all(Array.from({ length: 70 }, async (_, at) => (await guess(at)).status));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await ask({ query: 'How do I update the firmware?' })).answer).toContain('update');
  });
});

describe('a caller who may not read an article', () => {
  const ID = 'policies/severance.md';
  const ABOUT_IT = 'How much is the severance payment at Quillfeather?';
  const ARTICLE = {
    title: 'Severance terms of Quillfeather',
    url: 'https://kb.example.com/severance-quillfeather',
    content:
      '# Severance terms of Quillfeather\n\nThe severance payment at Quillfeather is 7340 euros after twelve months.\n\n' +
      '## How to claim it\n\nSend the form VX-88 to the payroll office within thirty days.',
    metadata: { audience: ['legal'], device: ['Quillfeather'], intent: ['severance'] },
  };

  const credential = (who: 'owner' | 'legal' | 'sales') =>
    who === 'owner' ? key : provider.sign({ sub: who, groups: [who] });

  const shown = async (who: Parameters<typeof credential>[0], route: string, body?: unknown) => {
    const [method = 'GET', path = ''] = route.split(' ');
    const token = await credential(who);
    const headers = {
      ...{ 'content-type': 'application/json', 'a2a-version': '1.0', 'mcp-protocol-version': '2025-11-25' },
      authorization: /^\/(?:search|kb)\b/.test(path) ? `Basic ${btoa(`reader:${token}`)}` : `Bearer ${token}`,
      ...(path === '/mcp' ? { accept: 'application/json, text/event-stream' } : {}),
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(new URL(path, url), { method, headers, ...sent });
    return { status: response.status, text: await response.text() };
  };
  const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
  const tool = (name: string, given: object) => rpc('tools/call', { name, arguments: given });
  const askAbout = (who: 'legal' | 'sales') =>
    shown(who, 'POST /v1/ask', { query: ABOUT_IT, conversation_id: 'secret' });

  beforeAll(async () => {
    const put = await shown('owner', `PUT /api/kb/articles/${ID}`, ARTICLE);
    expect(put.status, put.text).toBe(201);
    const isAnswered = async () => expect((await askAbout('legal')).text).toContain('7340');
    await vi.waitFor(isAnswered, { timeout: 60_000, interval: 500 });
  });

  it('cannot distinguish its id from an unknown one', async () => {
    const guesses = (id: string): [string, unknown?][] => [
      [`GET /api/kb/articles/${id}`],
      [`GET /api/kb/text/${id}`],
      [`GET /kb/${id}`],
      ['POST /mcp', tool('read_article', { id })],
      ['POST /mcp', rpc('resources/read', { uri: `constellation://articles/${encodeURIComponent(id)}` })],
      [`DELETE /api/kb/articles/${id}`],
    ];
    const none = 'policies/nothing.md';
    for (const [at, [route, body]] of guesses(ID).entries()) {
      const [routeOfNone = '', bodyOfNone] = guesses(none)[at] ?? [];
      const hidden = await shown('sales', route, body);
      const missing = await shown('sales', routeOfNone, bodyOfNone);
      const same = hidden.text.replaceAll(ID, none).replaceAll(encodeURIComponent(ID), encodeURIComponent(none));
      expect([route, hidden.status, same]).toEqual([route, missing.status, missing.text]);
    }
    expect((await shown('legal', `GET /api/kb/articles/${ID}`)).text).toContain('7340');
  });

  it('finds no kept answer about it by the answer id', async () => {
    const { metadata } = JSON.parse((await askAbout('legal')).text) as { metadata: { answer_id: string } };
    const path = `/v1/answers/${metadata.answer_id}`;
    const read = async () => (await shown('legal', `GET ${path}`)).status;
    await expect.poll(read, { timeout: 20_000 }).toBe(200);
    for (const [route, body] of [
      [`GET ${path}`],
      [`POST ${path}/replay`, {}],
      [`POST ${path}/feedback`, { value: 'down' }],
      [`DELETE ${path}`],
    ] as const)
      expect([route, (await shown('sales', route, body)).status]).toEqual([route, 404]);
    expect(await read()).toBe(200);
  });
});

describe('a caller of a webhook address', () => {
  it('cannot deliver without the secret, and is counted in the list of tickets', async () => {
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
    const forged = { ...headers, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` };
    expect((await post('/webhooks/standard', '{"type":"ticket.created","data":{"id":"forged"}}', forged)).status).toBe(
      401,
    );
    await expect
      .poll(() => get('/v1/support/tickets?state=all'), { timeout: 10_000 })
      .toMatchObject({ helpdesks: [{ helpdesk: 'standard', refused: 1 }] });
  });

  it('reaches working connections when another is broken, which the start and GET /healthz report', async () => {
    expect(output).toMatch(/^WRONG zendesk \(acme\): .*NO_SUCH_SECRET is not set/m);
    expect(await get('/healthz')).toMatchObject({
      status: 'degraded',
      helpdesks: { connections: 2, misconfigured: ['zendesk'] },
    });
    await services.deliver(url, { id: 'beside', subject: 'Reset', text: 'How do I reset it?' });
    const tickets = () => get('/v1/support/tickets?state=done');
    await expect.poll(tickets, { timeout: 30_000 }).toMatchObject({ tickets: [{ ticket_id: 'beside' }] });
  });

  it('loses no ticket because of its size', async () => {
    await services.deliver(url, {
      id: 'long',
      subject: 'Reset',
      text: `How do I reset it?\n${'word '.repeat(130_000)}`,
    });
    await services.deliver(url, { id: 'huge', subject: 'Reset', text: 'word '.repeat(1_000_000) });
    const states = async () => {
      const { tickets } = (await get('/v1/support/tickets?state=all')) as {
        tickets: { ticket_id: string; state: string }[];
      };
      return tickets.map(({ ticket_id, state }) => `${ticket_id}: ${state}`).sort();
    };
    await expect.poll(states, { timeout: 30_000 }).toEqual(['beside: done', 'long: done', 'too large: dead']);
  });
});

it('erases the gaps of a person', async () => {
  const body = { message: 'Do you sell a zeppelin rack mount kit for the Apollo III?', metadata: { person_id: 'p-9' } };
  const gaps = async () => JSON.stringify(await get('/v1/knowledge/gaps?state=all'));
  // On a busy machine the first retrieval may time out, and stores no gap.
  const asked = async () => {
    await post('/v1/support/analyze', JSON.stringify(body), { authorization: `Bearer ${key}` });
    return gaps();
  };
  await expect.poll(asked, { timeout: 20_000, interval: 1000 }).toContain('zeppelin');
  await get('/v1/knowledge/gaps?person_id=p-9', 'DELETE');
  expect(await gaps()).not.toContain('zeppelin');
});

it('creates no key with an unknown capability', () => {
  const args = ['src/dev/release/api-key.ts', '--name', 'desk', '--capabilities', 'kb:reed'];
  const { status, stderr } = spawnSync('node', args, { cwd: ROOT, encoding: 'utf8' });
  expect([status, stderr]).toEqual([1, expect.stringContaining('no function has the capability kb:reed. There are')]);
});
