import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signJws } from '../../src/platform/context/compact-jws.ts';
import { localSigner } from '../../src/platform/context/identity.ts';
import { randomHex, sha256, utf8 } from '../../src/platform/encoding.ts';
import { ROOT } from '../../tools/functions.ts';
import { earlyInMinute } from '../early-in-minute.ts';
import { startServices } from '../tools/run/upgrade/services.ts';

/** Attacks on `npm start` from outside, as anyone on the machine could try them. */
const QUESTION = JSON.stringify({ query: 'What was the revenue in March 2026?' });
let folder: string;
let child: ChildProcess;
let services: Awaited<ReturnType<typeof startServices>>;
let url: string;
let key: string;
/** The output of the start. */
let output = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'constellation-hostile-'));
  services = await startServices();
  const { OWN_DESK_SECRET } = services.env;
  // A connection that works, and a broken one.
  const acme = { zendesk: { secrets: ['NO_SUCH_SECRET'] } };
  const HELPDESKS = JSON.stringify({ ...JSON.parse(services.env.HELPDESKS), acme });
  const args = [
    'tools/run/start.ts',
    '--port',
    '0',
    '--no-helpdesk',
    '--state',
    join(folder, 'state'),
  ];
  child = spawn('node', args, { cwd: ROOT, env: { ...process.env, HELPDESKS, OWN_DESK_SECRET } });
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
  await services.stop();
  rmSync(folder, { recursive: true, force: true });
});

const post = (path: string, body: string, headers: Record<string, string>) =>
  fetch(new URL(path, url), {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

const get = async (path: string) => {
  const response = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${key}` } });
  return (await response.json()) as unknown;
};

it('accepts no context that is signed with the keys which tests derive from a public seed', async () => {
  const now = Date.now() / 1000;
  const root = {
    tid: randomHex(16),
    sub: 'user:u_1',
    ws: 'default',
    amr: 'key',
    max: 8,
    cap: ['sql:read'],
  };
  const call = {
    aud: 'analytics',
    op: 'POST /librarians/analytics/ask',
    bd: await sha256(utf8(QUESTION)),
  };
  const claims = {
    iss: 'gateway',
    hop: 0,
    jti: randomHex(8),
    iat: now,
    exp: now + 20,
    bud: { calls: 8 },
  };
  const signer = await localSigner('gateway');
  const token = await signJws({ ...claims, ...root, ...call }, { typ: 'ctx+jwt', signer });
  expect(
    (await post('/librarians/analytics/ask', QUESTION, { 'context-token': token })).status,
  ).toBe(401);
});
it('stores keys that another account of the machine cannot read', () => {
  for (const file of ['api-key', 'signing-seed'])
    expect(statSync(join(folder, 'state', file)).mode & 0o077, file).toBe(0);
});
it('refuses DNS rebinding by host name, but not calls of librarians through a tunnel', async () => {
  const statusFor = (host: string, path: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: new URL(url).port, path, headers: { host } };
      httpRequest(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
  for (const [status, host, path] of [
    [400, 'rebound.example.com', '/healthz'],
    [400, `rebound.example.com:${new URL(url).port}`, '/v1/librarians'],
    [400, 'rebound.example.com', '/webhooks/zendesk'],
    [405, 'localhost', '/webhooks/zendesk'],
    [200, '127.0.0.1', '/healthz'],
    [200, 'localhost:8787', '/healthz'],
    [200, '[::1]:1', '/healthz'],
    [200, 'desk.localhost', '/healthz'],
    [200, 'tunnel.example.com', '/librarians/navigator'],
  ] as const)
    expect(await statusFor(host, path), `${host}${path}`).toBe(status);
});
it('tells a caller without a valid key only whether the key is missing or wrong, and serves others while keys are guessed', async () => {
  const ask = async (authorization?: string) => {
    const body = JSON.stringify({ ...JSON.parse(QUESTION), include: ['navigator'] });
    const response = await post(
      '/v1/ask',
      body,
      authorization === undefined ? {} : { authorization },
    );
    return { status: response.status, text: await response.text() };
  };
  const guess = (at: number) => ask(`Bearer ck_guess_${String(at).padStart(20, '0')}`);
  const messageOf = ({ text }: { text: string }) =>
    (JSON.parse(text) as { error: { message: string } }).error.message;
  const [missing, wrong, another] = [await ask(), await guess(0), await guess(1)];
  expect([missing.status, wrong.status]).toEqual([401, 401]);
  expect([messageOf(wrong), messageOf(missing)]).toEqual([
    messageOf(another),
    expect.not.stringMatching(messageOf(wrong)),
  ]);
  await earlyInMinute();
  const statuses = await Promise.all(
    Array.from({ length: 70 }, async (_, at) => (await guess(at)).status),
  );
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(await ask(`Bearer ${key}`)).toMatchObject({
    status: 200,
    text: expect.stringContaining('revenue'),
  });
});
it('reports a broken helpdesk connection, and loses no ticket of the others, whatever its size', async () => {
  expect(output).toMatch(/^WRONG zendesk \(acme\): .*NO_SUCH_SECRET is not set/m);
  const helpdesks = { connections: 2, misconfigured: ['zendesk'] };
  expect(await get('/healthz')).toMatchObject({ status: 'degraded', helpdesks });
  for (const [id, words] of [
    ['beside', 1],
    ['long', 130_000],
    ['huge', 1_000_000],
  ] as const)
    await services.deliver(url, {
      id,
      subject: 'Reset',
      text: `How do I reset it?\n${'word '.repeat(words)}`,
    });
  const states = async () => {
    const { tickets } = (await get('/v1/support/tickets?state=all')) as {
      tickets: Record<string, string>[];
    };
    return tickets.map(({ ticket_id, state }) => `${ticket_id}: ${state}`).sort();
  };
  await expect
    .poll(states, { timeout: 60_000 })
    .toEqual(['beside: done', 'long: done', 'too large: dead']);
});
it('creates no key with an unknown capability', () => {
  const args = ['tools/release/api-key.ts', '--name', 'desk', '--capabilities', 'kb:reed'];
  const { status, stderr } = spawnSync('node', args, { cwd: ROOT, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining('no function has the capability kb:reed. There are'),
  ]);
});
