import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importSigner, makeSigningKey, type Signer, signJws } from '../../src/signing/compact-jws.ts';
import { decodeBase64url, randomHex, sha256, utf8 } from '../../src/signing/encoding.ts';
import type { DirectoryEntry } from '../../src/signing/key-directory.ts';
import { CONTEXT_HEADER, RECEIPT_HEADER } from '../../src/signing/limits.ts';
import { signReceipt } from '../../src/signing/receipt.ts';

/** Partner librarians, each with one fault. */
const FAULTS = {
  /** Fails, and signs its error. */
  500: async () => ({ status: 500, body: { error: { code: 'INTERNAL_ERROR', message: 'Cannot answer: broken' } } }),
  /** Sends HTML without a receipt. */
  'invalid-json': async () => ({ status: 200, text: '<!doctype html><title>It works</title>', receipt: 'none' }),
  /** Signs an invalid Response. */
  'invalid-response': async () => ({ status: 200, body: { answer: '', confidence: 2 } }),
  /** Signs another answer than it sends. */
  receipt: async () => ({ status: 200, body: { answer: 'Trust me.' }, receipt: 'of something else' }),
  /** Exceeds the size limit. */
  huge: async () => ({ status: 200, body: { answer: 'x'.repeat(6_000_000) } }),
  /** Sends the question back to its caller, against the rules. */
  loop: async (call: ReceivedCall) => ({ status: 508, body: await askBack(call) }),
  /** Answers after the deadline. */
  slow: async ({ closed }: ReceivedCall) => {
    await closed;
    return { status: 200, body: { answer: 'Too late.' } };
  },
} satisfies Record<string, (call: ReceivedCall) => Promise<FaultyReply>>;
type FaultName = keyof typeof FAULTS;

interface ReceivedCall {
  signer: Signer;
  /** The chain as received. */
  token: string;
  gateway: string;
  closed: Promise<void>;
}

interface FaultyReply {
  status: number;
  body?: unknown;
  text?: string;
  receipt?: string;
}

export interface Misbehaving {
  /** For the key directory; `partner.<fault>` each, and `partner.down`, whose port is closed. */
  partners: Record<string, DirectoryEntry>;
  /** Origin of the gateway, for questions that are sent back. */
  gateway: string;
  /** Calls received, by id. */
  calls: string[];
  close(): Promise<void>;
}

/** A local server with one librarian per fault. */
export const serveMisbehaving = async (): Promise<Misbehaving> => {
  const signers = new Map<string, Signer>();
  const served: Misbehaving = { partners: {}, gateway: '', calls: [], close: async () => {} };
  const server = createServer(async (request, response) => {
    const id = /^\/librarians\/([^/]+)\/ask$/.exec(request.url ?? '')?.[1] ?? '';
    const signer = signers.get(id);
    const fault = FAULTS[id.replace('partner.', '') as FaultName];
    if (signer === undefined || fault === undefined) return void response.writeHead(404).end();
    served.calls.push(id);
    const closed = new Promise<void>((resolve) => void response.once('close', resolve));
    request.resume();
    const token = String(request.headers[CONTEXT_HEADER.toLowerCase()]);
    const reply: FaultyReply = await fault({ signer, token, gateway: served.gateway, closed });
    const body = reply.text ?? JSON.stringify(reply.body);
    response.writeHead(reply.status, {
      'Content-Type': 'application/json',
      ...(await receiptHeader(reply, { signer, token, body })),
    });
    response.end(body);
  });
  const host = `127.0.0.1:${await listen(server)}`;
  for (const fault of Object.keys(FAULTS)) {
    const id = `partner.${fault}`;
    const { privateKey, x } = await makeSigningKey();
    const pkcs8 = decodeBase64url(privateKey);
    if (pkcs8 === undefined) throw new Error('Cannot read the key that was just made');
    signers.set(id, await importSigner(pkcs8, { id, kid: `${id}.1` }));
    served.partners[id] = { keys: [{ kid: `${id}.1`, x }], host };
  }
  served.partners['partner.down'] = { keys: [], host: `127.0.0.1:${await closedPort()}` };
  served.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return served;
};

const receiptHeader = async (
  { status, receipt }: FaultyReply,
  { signer, token, body }: { signer: Signer; token: string; body: string },
): Promise<Record<string, string>> => {
  if (receipt === 'none') return {};
  const link = token.split('~').at(-1) ?? '';
  const caller = { id: String(claimsOf(link).iss), linkHash: await sha256(utf8(link)) };
  const signed = receipt === undefined ? utf8(body) : utf8(receipt);
  return { [RECEIPT_HEADER]: await signReceipt(signer, { caller, status, body: signed, now: Date.now() }) };
};

/** Signs a link to its caller, which its own rules would refuse. */
const askBack = async ({ signer, token, gateway }: ReceivedCall): Promise<unknown> => {
  const last = token.split('~').at(-1) ?? '';
  const { iss, hop, exp } = claimsOf(last);
  const body = JSON.stringify({ query: 'And now?' });
  const claims = {
    ...{ iss: signer.id, aud: iss, hop: Number(hop) + 1, prv: await sha256(utf8(last)), jti: randomHex(8) },
    ...{ iat: Date.now() / 1000, exp, op: `POST /librarians/${iss}/ask`, bd: await sha256(utf8(body)) },
  };
  const link = await signJws(claims, { typ: 'ctx+jwt', signer });
  const response = await fetch(`${gateway}/librarians/${iss}/ask`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', [CONTEXT_HEADER]: `${token}~${link}` },
    body,
  });
  return response.json();
};

const claimsOf = (link: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(link.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;

/** Listens on a free port, and returns it. */
const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

/** A closed port: it was free a moment ago. */
const closedPort = async (): Promise<number> => {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};
