import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { importSigner, type Signer, signJws } from '../../src/platform/context/compact-jws.ts';
import { localDirectory, localSigner } from '../../src/platform/context/identity.ts';
import { RECEIPT_HEADER } from '../../src/platform/context/limits.ts';
import { decodeBase64url, randomHex, sha256, utf8 } from '../../src/platform/encoding.ts';
import { ROOT } from '../../tools/functions.ts';

const SCRIPT = join(ROOT, 'examples/third-team/weather.mjs');
export const WEATHER = 'partner.weather';

/** The output of the script. */
const run = async (args: string[], variables: Record<string, string> = {}): Promise<string> => {
  const options = { env: { PATH: process.env.PATH, ...variables } };
  return (await promisify(execFile)(process.execPath, [SCRIPT, ...args], options)).stdout;
};

const newKey = async (): Promise<[privateKey: string, entry: string]> => {
  const [line = '', entry = ''] = (await run(['keys'])).trim().split('\n');
  return [line.replace('WEATHER_KEY=', ''), entry];
};

const signerOf = (privateKey: string, kid = `${WEATHER}.1`): Promise<Signer> =>
  importSigner(decodeBase64url(privateKey)!, { id: WEATHER, kid });

/** An unregistered key under the id of a known librarian. */
export async function unknownKey(kid?: string): Promise<Signer> {
  return signerOf((await newKey())[0], kid);
}

/** The example of a partner librarian, with a proxy in each direction between it and the product. */
export async function prepareThirdTeam() {
  const [toThem, toUs] = [await startProxy(), await startProxy()];
  const [privateKey, entry] = await newKey();
  const partners = JSON.parse(entry);
  partners[WEATHER].host = `127.0.0.1:${toThem.port}`;
  const internal = await localDirectory();
  const known = Object.fromEntries(internal.ids().map((id) => [id, internal.librarian(id)]));
  const env = {
    WEATHER_KEY: privateKey,
    WEATHER_DIRECTORY: JSON.stringify({ librarians: { ...known, ...partners } }),
    WEATHER_NETWORK: `http://127.0.0.1:${toUs.port}`,
  };
  const children: ChildProcess[] = [];
  return {
    toThem,
    toUs,
    partners,
    signer: await signerOf(privateKey),
    /** Asks an internal librarian from the command line. */
    askUs: async (query: string) => JSON.parse(await run(['ask', 'navigator', query], env)),
    /** Runs the script as a server; calls of the product go there from now on. */
    serve: async (more: Record<string, string> = {}): Promise<{ url: string; stop(): void }> => {
      const child = spawn(process.execPath, [SCRIPT, 'serve', '0'], {
        env: { ...process.env, ...env, ...more },
      });
      children.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const url = /http:\S+/.exec((await lines.next()).value ?? '')?.[0] ?? '';
      toThem.target = url;
      return { url, stop: () => void child.kill() };
    },
    stop: () => {
      for (const child of children) child.kill();
      for (const { server } of [toThem, toUs]) server.close();
    },
  };
}
export type ThirdTeam = Awaited<ReturnType<typeof prepareThirdTeam>>;

export interface Forgery {
  sub?: string;
  ws?: string;
  cap?: string[];
  max?: number;
  op?: string;
  body?: string;
  /** Age of the signature. */
  ageMs?: number;
  /** Claims of every later link. */
  later?: object;
  /** The signer of the last link. */
  by?: () => Promise<Signer>;
}

/** A chain along a path, each link signed by its issuer, apart from the forgery. */
export async function forge(
  path: string[],
  question: string,
  key: Signer,
  forgery: Forgery = {},
): Promise<string> {
  const { ageMs = 0, max = 8, cap = ['kb:read'], ws = 'default', body = question } = forgery;
  const now = Date.now() - ageMs;
  const sub = forgery.sub ?? (path[0] === 'gateway' ? 'user:u_1' : `svc:${path[0]}`);
  const root = { tid: randomHex(16), sub, ws, amr: 'key', max, cap, bud: { calls: 8 } };
  const links: string[] = [];
  for (const [hop, iss] of path.slice(0, -1).entries()) {
    const aud = path[hop + 1] ?? '';
    const op = forgery.op ?? `POST /librarians/${aud}/ask`;
    const times = { iat: now / 1000, exp: (now + 30_000) / 1000 };
    const base = { iss, aud, hop, jti: randomHex(8), ...times, op, bd: await sha256(utf8(body)) };
    const own =
      hop === 0 ? root : { prv: await sha256(utf8(links[hop - 1] ?? '')), ...forgery.later };
    const by = hop === path.length - 2 ? await forgery.by?.() : undefined;
    const signer = by ?? (iss === WEATHER ? key : await localSigner(iss));
    links.push(await signJws({ ...base, ...own }, { typ: 'ctx+jwt', signer }));
  }
  return links.join('~');
}

export interface Answer {
  status: number;
  body: string;
  receipt?: string | undefined;
}

interface Proxy {
  port: number;
  target: string;
  calls: number;
  /** The context token of the last call. */
  token: string;
  tamper(answer: Answer): Answer;
  server: Server;
}

/** A proxy that passes on each call, and each answer after `tamper`. */
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
    const sent = proxy.tamper({ status: answer.status, body: await answer.text(), receipt });
    const signed = sent.receipt === undefined ? {} : { [RECEIPT_HEADER]: sent.receipt };
    response.writeHead(sent.status, { 'content-type': 'application/json', ...signed });
    response.end(sent.body);
  });
  const proxy: Proxy = {
    port: 0,
    target: '',
    calls: 0,
    token: '',
    tamper: (answer) => answer,
    server,
  };
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  proxy.port = (server.address() as AddressInfo).port;
  return proxy;
};
