import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LibrarianDescription } from '../../src/contract/librarian-directory.ts';
import { DelegationTrace, LibrarianResponse } from '../../src/contract/response.ts';
import { validateResponse } from '../../src/contract/validate-response.ts';
import { ROOT } from '../../src/dev/functions.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';
import { decodeBase64url } from '../../src/signing/base64url.ts';
import { readJws, signJws } from '../../src/signing/compact-jws.ts';
import { randomHex, sha256, utf8 } from '../../src/signing/digest.ts';
import { CONTEXT_HEADER, RECEIPT_HEADER } from '../../src/signing/limits.ts';
import { localDirectory, localSigner } from '../../src/signing/local-directory.ts';
import { importSigner, type Signer } from '../../src/signing/signer.ts';

const SCRIPT = join(ROOT, 'examples/third-team/weather.mjs');
const WEATHER = 'partner.weather';
const OURS = 'Can I use a normal PC power supply with my Apollo II?';
const THEIRS = 'How warm is it in Lisbon in July?';

let product: Product;
/** Stands between the product and the script, so that answers can be altered on the way; each way has its own. */
let toThem: Proxy;
let toUs: Proxy;
let weather: Child;
let env: Record<string, string>;
let key: Signer;
const logged: { librarian?: string; chain?: string[]; outcome?: string }[] = [];

beforeAll(async () => {
  toThem = await startProxy();
  toUs = await startProxy();
  const [privateKey = '', entry = ''] = (await run(['keys'], {})).trim().split('\n');
  const partners = JSON.parse(entry);
  partners[WEATHER].host = `127.0.0.1:${toThem.port}`;
  product = await startProduct({
    kb: 'sample',
    port: 0,
    partners,
    onLog: (line) => void logged.push(JSON.parse(line)),
  });
  toUs.target = product.url.origin;
  const house = await localDirectory();
  const known = Object.fromEntries(house.ids().map((id) => [id, house.librarian(id)]));
  env = {
    WEATHER_KEY: privateKey.replace('WEATHER_KEY=', ''),
    WEATHER_DIRECTORY: JSON.stringify({ librarians: { ...known, ...partners } }),
    WEATHER_NETWORK: `http://127.0.0.1:${toUs.port}`,
  };
  key = await importSigner(decodeBase64url(env.WEATHER_KEY ?? '')!, { id: WEATHER, kid: `${WEATHER}.1` });
  weather = await serveWeather({});
  await product.sync({ full: true });
});

afterAll(async () => {
  weather?.stop();
  await product?.stop();
  toThem?.server.close();
  toUs?.server.close();
});

afterEach(() => {
  toThem.tamper = toUs.tamper = (answer) => answer;
});

describe('a librarian of another team, in one file without our code,', () => {
  it('describes itself as the contract has it', async () => {
    const description = await (await fetch(`${weather.url}/librarians/${WEATHER}`)).json();
    expect(LibrarianDescription.parse(description)).toMatchObject({ id: WEATHER, keys: [{ kid: `${WEATHER}.1` }] });
  });

  it('asks an internal librarian in its own name, and accepts the receipt', async () => {
    const { status, told } = await askUs(OURS);
    expect([status, told.answer]).toEqual([200, expect.stringContaining('300 W')]);
  });

  it('is asked through our gateway, and every hop is verified', async () => {
    const { status, reply } = await askThem(THEIRS);
    expect([status, reply.answer]).toEqual([200, 'In July the mean temperature in Lisbon is 23 °C.']);
    expect(validateResponse(reply)).toMatchObject({ ok: true, warnings: [] });
    expect(hopsOf(reply)).toEqual([['gateway', WEATHER, 'answer', true]]);
  });

  it('gets those rights of the user that its entry in the directory allows, and no others', async () => {
    await askThem(THEIRS);
    const [root = ''] = toThem.token.split('~');
    expect(readJws(root, 'ctx+jwt').claims.cap).toEqual(['kb:read']);
  });

  it('delegates what it does not know, within the received chain', async () => {
    const { status, reply } = await askThem(OURS);
    expect([status, reply.answer]).toEqual([200, expect.stringContaining('300 W')]);
    expect(hopsOf(reply)).toEqual([
      ['gateway', WEATHER, 'answer', true],
      [WEATHER, 'navigator', 'answer', true],
    ]);
    expect(logged.find(({ librarian }) => librarian === 'navigator')).toMatchObject({ chain: ['gateway', WEATHER] });
    // What it says of every budget comes back to the caller.
    const [{ receipt = '' } = {}] = DelegationTrace.parse(reply.metadata?.trace).hops;
    expect(readJws(receipt, 'ctx-receipt+jwt').claims.use).toEqual({ calls: 1, tokens: 0, cost_micros: 0 });
  });

  it('sends nothing back to whom the question came from', async () => {
    const other = await serveWeather({ WEATHER_HANDS_ON_TO: 'gateway' });
    const { status, reply } = await askThem(OURS);
    other.stop();
    toThem.target = weather.url;
    expect([status, reply.error?.code]).toEqual([508, 'LOOP_DETECTED']);
    expect(toUs.calls).toBe(0);
  });
});

describe('our gateway refuses of another team', () => {
  it.each<[what: string, code: string, make: () => Promise<string>]>([
    [
      'a key that is not registered',
      'UNAUTHORIZED',
      async () => forge([WEATHER, 'navigator'], { by: await stranger() }),
    ],
    [
      'a context for another librarian',
      'UNAUTHORIZED',
      () => forge([WEATHER, 'semantic'], { op: 'POST /librarians/navigator/ask' }),
    ],
    ['a context for another path', 'UNAUTHORIZED', () => forge([WEATHER, 'navigator'], { op: 'POST /v1/navigate' })],
    [
      'another question than was signed',
      'UNAUTHORIZED',
      () => forge([WEATHER, 'navigator'], { body: '{"query":"x"}' }),
    ],
    ['a user', 'UNAUTHORIZED', () => forge([WEATHER, 'navigator'], { sub: 'user:u_1' })],
    ['another workspace', 'UNAUTHORIZED', () => forge([WEATHER, 'navigator'], { ws: 'globex' })],
    [
      'a right that it may not give',
      'UNAUTHORIZED',
      () => forge([WEATHER, 'navigator'], { cap: ['kb:write', 'kb:read'] }),
    ],
    [
      'a right of the user that its entry does not allow, even if a caller has handed it down',
      'UNAUTHORIZED',
      () => forge(['gateway', WEATHER, 'analytics'], { cap: ['kb:read', 'sql:read'] }),
    ],
    ['a question that has been here', 'LOOP_DETECTED', () => forge(['gateway', 'navigator', WEATHER, 'navigator'])],
  ])('%s', async (_, code, make) => {
    const token = await make();
    const to = token.includes('~') ? readJws(token.split('~').at(-1) ?? '', 'ctx+jwt').claims.aud : 'navigator';
    expect(await codeOf(await send(`${product.url.origin}/librarians/${to}/ask`, token))).toBe(code);
  });

  it('an answer that was altered on the way', async () => {
    toThem.tamper = ({ body, ...answer }) => ({ ...answer, body: body.replace('23 °C', '40 °C') });
    expect((await askThem(THEIRS)).reply.error?.code).toBe('DELEGATION_FAILED');
  });

  it('the receipt of another answer', async () => {
    const kept: string[] = [];
    toThem.tamper = (answer) => ({ ...answer, receipt: kept[kept.push(answer.receipt ?? '') - 2] ?? answer.receipt });
    expect((await askThem(THEIRS)).status).toBe(200);
    expect((await askThem(THEIRS)).reply.error?.code).toBe('DELEGATION_FAILED');
  });

  it('an error that was made a success', async () => {
    toThem.tamper = (answer) => ({ ...answer, status: 203 });
    expect((await askThem(THEIRS)).reply.error?.code).toBe('DELEGATION_FAILED');
  });
});

describe('the other team refuses of us', () => {
  it.each<[what: string, code: string, make: () => Promise<string>]>([
    ['garbage', 'UNAUTHORIZED', async () => 'x~y'],
    [
      'a key that is not registered',
      'UNAUTHORIZED',
      async () => forge(['gateway', WEATHER], { by: await stranger('dev.gateway.1') }),
    ],
    [
      'a key of another librarian',
      'UNAUTHORIZED',
      async () => forge(['gateway', WEATHER], { by: await localSigner('memory') }),
    ],
    [
      'a context for another librarian',
      'UNAUTHORIZED',
      () => forge(['gateway', 'navigator'], { op: `POST /librarians/${WEATHER}/ask` }),
    ],
    ['a context for another path', 'UNAUTHORIZED', () => forge(['gateway', WEATHER], { op: 'POST /v1/navigate' })],
    ['another question than was signed', 'UNAUTHORIZED', () => forge(['gateway', WEATHER], { body: '{"query":"x"}' })],
    ['a user of somebody who knows none', 'UNAUTHORIZED', () => forge(['webhooks', WEATHER], { sub: 'user:u_1' })],
    [
      'a chain that was spliced',
      'UNAUTHORIZED',
      () => forge(['gateway', 'navigator', WEATHER], { later: { prv: 'A'.repeat(43) } }),
    ],
    ['a service that speaks for another', 'UNAUTHORIZED', () => forge(['webhooks', WEATHER], { sub: 'svc:library' })],
    ['a right that nobody may give', 'UNAUTHORIZED', () => forge(['webhooks', WEATHER], { cap: ['sql:read'] })],
    ['a context of somebody who may begin none', 'UNAUTHORIZED', () => forge(['navigator', WEATHER])],
    [
      'a chain without its beginning',
      'UNAUTHORIZED',
      async () => (await forge(['gateway', 'navigator', WEATHER])).split('~')[1] ?? '',
    ],
    [
      'a right that was added on the way',
      'UNAUTHORIZED',
      () => forge(['gateway', 'navigator', WEATHER], { later: { cap: ['sql:read'] } }),
    ],
    ['a deadline that has passed', 'TIMEOUT', () => forge(['gateway', WEATHER], { now: Date.now() - 31_000 })],
    [
      'a longer chain than was allowed',
      'MAX_DEPTH_EXCEEDED',
      () => forge(['gateway', 'navigator', WEATHER], { max: 1 }),
    ],
    ['a question that has been there', 'LOOP_DETECTED', () => forge(['gateway', WEATHER, 'navigator', WEATHER])],
  ])('%s', async (_, code, make) => {
    expect(await codeOf(await send(`${weather.url}/librarians/${WEATHER}/ask`, await make()))).toBe(code);
  });

  it('the same call a second time', async () => {
    const token = await forge(['gateway', WEATHER]);
    const url = `${weather.url}/librarians/${WEATHER}/ask`;
    expect([await codeOf(await send(url, token)), await codeOf(await send(url, token))]).toEqual([
      undefined,
      'UNAUTHORIZED',
    ]);
  });

  it('an answer that was altered on the way', async () => {
    toUs.tamper = ({ body, ...answer }) => ({ ...answer, body: body.replace('300 W', '30 W') });
    await expect(askUs(OURS)).rejects.toThrow('is a receipt for another answer');
    expect((await askThem(OURS)).reply.error?.code).toBe('DELEGATION_FAILED');
  });

  it('the receipt of another call', async () => {
    const kept: string[] = [];
    toUs.tamper = (answer) => ({ ...answer, receipt: kept[kept.push(answer.receipt ?? '') - 2] ?? answer.receipt });
    expect((await askUs(OURS)).status).toBe(200);
    await expect(askUs(OURS)).rejects.toThrow('is a receipt for another call');
  });

  it('an answer without a receipt', async () => {
    toUs.tamper = ({ receipt: _, ...answer }) => answer;
    await expect(askUs(OURS)).rejects.toThrow('has no receipt');
  });
});

const askThem = async (query: string) => {
  logged.length = 0;
  toUs.calls = 0;
  const body = JSON.stringify({ query, librarian: WEATHER });
  const response = await product.fetch('/v1/ask', { method: 'POST', body });
  return { status: response.status, reply: LibrarianResponse.parse(await response.json()) };
};

const askUs = async (query: string): Promise<{ status: number; told: LibrarianResponse }> =>
  JSON.parse(await run(['ask', 'navigator', query], env));

const hopsOf = ({ metadata }: LibrarianResponse) =>
  DelegationTrace.parse(metadata?.trace).hops.map(({ from, to, outcome, verified }) => [from, to, outcome, verified]);

const QUESTION = JSON.stringify({ query: THEIRS });

const send = (url: string, token: string) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [CONTEXT_HEADER]: token },
    body: QUESTION,
  });

const codeOf = async (response: Response): Promise<string | undefined> =>
  LibrarianResponse.parse(await response.json()).error?.code;

interface Forgery {
  sub?: string;
  ws?: string;
  cap?: string[];
  max?: number;
  op?: string;
  body?: string;
  now?: number;
  /** Claims of every later link. */
  later?: object;
  /** Who signs the last link. */
  by?: Signer;
}

/** A chain along a path, each link signed by its issuer, unless something is to be wrong with it. */
const forge = async (path: string[], forgery: Forgery = {}): Promise<string> => {
  const { now = Date.now(), max = 8, cap = ['kb:read'], ws = 'default', body = QUESTION } = forgery;
  const sub = forgery.sub ?? (path[0] === 'gateway' ? 'user:u_1' : `svc:${path[0]}`);
  const root = { tid: randomHex(16), sub, ws, amr: 'key', max, cap, bud: { calls: 8 } };
  const links: string[] = [];
  for (const [hop, iss] of path.slice(0, -1).entries()) {
    const aud = path[hop + 1] ?? '';
    const op = forgery.op ?? `POST /librarians/${aud}/ask`;
    const times = { iat: now / 1000, exp: (now + 30_000) / 1000 };
    const base = { iss, aud, hop, jti: randomHex(8), ...times, op, bd: await sha256(utf8(body)) };
    const own = hop === 0 ? root : { prv: await sha256(utf8(links[hop - 1] ?? '')), ...forgery.later };
    const isLast = hop === path.length - 2;
    const signer = (isLast ? forgery.by : undefined) ?? (iss === WEATHER ? key : await localSigner(iss));
    links.push(await signJws({ ...base, ...own }, { typ: 'ctx+jwt', signer }));
  }
  return links.join('~');
};

/** A key that nobody knows, under a name that everybody knows. */
const stranger = async (kid = `${WEATHER}.1`): Promise<Signer> => {
  const [line = ''] = (await run(['keys'], {})).split('\n');
  return importSigner(decodeBase64url(line.replace('WEATHER_KEY=', ''))!, { id: WEATHER, kid });
};

const run = async (args: string[], variables: Record<string, string>): Promise<string> => {
  const options = { env: { PATH: process.env.PATH, ...variables } };
  return (await promisify(execFile)(process.execPath, [SCRIPT, ...args], options)).stdout;
};

interface Child {
  url: string;
  stop(): void;
}

/** The script as a server of its own process; calls of the product arrive there from now on. */
const serveWeather = async (more: Record<string, string>): Promise<Child> => {
  const child: ChildProcess = spawn(process.execPath, [SCRIPT, 'serve', '0'], {
    env: { ...process.env, ...env, ...more },
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const url = /http:\S+/.exec((await lines.next()).value ?? '')?.[0] ?? '';
  toThem.target = url;
  return { url, stop: () => void child.kill() };
};

interface Answer {
  status: number;
  body: string;
  receipt?: string | undefined;
}

interface Proxy {
  port: number;
  target: string;
  calls: number;
  /** That of the last call. */
  token: string;
  tamper(answer: Answer): Answer;
  server: Server;
}

/** Passes on what comes, and what is answered after somebody may have tampered with it. */
const startProxy = async (): Promise<Proxy> => {
  const server = createServer(async (request, response) => {
    proxy.calls += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { 'context-token': token = '', 'content-type': type = '' } = request.headers;
    proxy.token = String(token);
    const answer = await fetch(new URL(request.url ?? '', proxy.target), {
      method: request.method ?? 'GET',
      headers: { 'context-token': proxy.token, 'content-type': type },
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const receipt = answer.headers.get(RECEIPT_HEADER) ?? undefined;
    const told = proxy.tamper({ status: answer.status, body: await answer.text(), receipt });
    response.writeHead(told.status, {
      'content-type': 'application/json',
      ...(told.receipt === undefined ? {} : { [RECEIPT_HEADER]: told.receipt }),
    });
    response.end(told.body);
  });
  const proxy: Proxy = { port: 0, target: '', calls: 0, token: '', tamper: (answer) => answer, server };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
};
