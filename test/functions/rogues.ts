import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeBase64url } from '../../src/signing/base64url.ts';
import { signJws } from '../../src/signing/compact-jws.ts';
import { randomHex, sha256, utf8 } from '../../src/signing/digest.ts';
import type { DirectoryEntry } from '../../src/signing/key-directory.ts';
import { CONTEXT_HEADER, RECEIPT_HEADER } from '../../src/signing/limits.ts';
import { signReceipt } from '../../src/signing/receipt.ts';
import { importSigner, makeSigningKey, type Signer } from '../../src/signing/signer.ts';

/** Another team's librarian that misbehaves, one way each. */
const MISDEEDS = {
  /** Fails, and signs that it does. */
  500: async () => ({ status: 500, body: { error: { code: 'INTERNAL_ERROR', message: 'Cannot answer: broken' } } }),
  /** No JSON, no receipt. */
  rubbish: async () => ({ status: 200, text: '<!doctype html><title>It works</title>', receipt: 'none' }),
  /** Signs something that is no Response. */
  invalid: async () => ({ status: 200, body: { answer: '', confidence: 2 } }),
  /** Signs another answer than it sends. */
  receipt: async () => ({ status: 200, body: { answer: 'Trust me.' }, receipt: 'of something else' }),
  /** Far more than anybody reads. */
  huge: async () => ({ status: 200, body: { answer: 'x'.repeat(6_000_000) } }),
  /** Sends the question back to where it came from, against the rules. */
  loop: async (call: RogueCall) => ({ status: 508, body: await askBack(call) }),
  /** Takes more time than there is. */
  slow: async ({ closed }: RogueCall) => {
    await closed;
    return { status: 200, body: { answer: 'Too late.' } };
  },
} satisfies Record<string, (call: RogueCall) => Promise<RogueReply>>;
type Misdeed = keyof typeof MISDEEDS;

interface RogueCall {
  signer: Signer;
  /** The chain as received. */
  token: string;
  gateway: string;
  closed: Promise<void>;
}

interface RogueReply {
  status: number;
  body?: unknown;
  text?: string;
  receipt?: string;
}

export interface Rogues {
  /** For the key directory; `partner.<misdeed>` each, and `partner.down`, where nobody listens. */
  partners: Record<string, DirectoryEntry>;
  /** Where questions can be sent back to. */
  gateway: string;
  /** Calls received, by id. */
  calls: string[];
  close(): Promise<void>;
}

/** A server on this machine with a librarian for each misdeed. */
export const serveRogues = async (): Promise<Rogues> => {
  const signers = new Map<string, Signer>();
  const rogues: Rogues = { partners: {}, gateway: '', calls: [], close: async () => {} };
  const server = createServer(async (request, response) => {
    const id = /^\/librarians\/([^/]+)\/ask$/.exec(request.url ?? '')?.[1] ?? '';
    const signer = signers.get(id);
    const misdeed = MISDEEDS[id.replace('partner.', '') as Misdeed];
    if (signer === undefined || misdeed === undefined) return void response.writeHead(404).end();
    rogues.calls.push(id);
    const closed = new Promise<void>((resolve) => void response.once('close', resolve));
    request.resume();
    const token = String(request.headers[CONTEXT_HEADER.toLowerCase()]);
    const reply: RogueReply = await misdeed({ signer, token, gateway: rogues.gateway, closed });
    const body = reply.text ?? JSON.stringify(reply.body);
    response.writeHead(reply.status, {
      'Content-Type': 'application/json',
      ...(await receiptHeader(reply, { signer, token, body })),
    });
    response.end(body);
  });
  const host = `127.0.0.1:${await listen(server)}`;
  for (const misdeed of Object.keys(MISDEEDS)) {
    const id = `partner.${misdeed}`;
    const { privateKey, x } = await makeSigningKey();
    const pkcs8 = decodeBase64url(privateKey);
    if (pkcs8 === undefined) throw new Error('Cannot read the key that was just made');
    signers.set(id, await importSigner(pkcs8, { id, kid: `${id}.1` }));
    rogues.partners[id] = { keys: [{ kid: `${id}.1`, x }], host };
  }
  rogues.partners['partner.down'] = { keys: [], host: `127.0.0.1:${await closedPort()}` };
  rogues.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return rogues;
};

const receiptHeader = async (
  { status, receipt }: RogueReply,
  { signer, token, body }: { signer: Signer; token: string; body: string },
): Promise<Record<string, string>> => {
  if (receipt === 'none') return {};
  const link = token.split('~').at(-1) ?? '';
  const caller = { id: String(claimsOf(link).iss), linkHash: await sha256(utf8(link)) };
  const signed = receipt === undefined ? utf8(body) : utf8(receipt);
  return { [RECEIPT_HEADER]: await signReceipt(signer, { caller, status, body: signed, now: Date.now() }) };
};

/** Signs a link that its own rules would have refused, to the librarian that called. */
const askBack = async ({ signer, token, gateway }: RogueCall): Promise<unknown> => {
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

/** A free port that it picks. */
const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

/** A port where nobody listens: it was free a moment ago. */
const closedPort = async (): Promise<number> => {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};
