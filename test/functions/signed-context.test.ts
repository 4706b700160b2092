import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrorBody } from '../../src/contract/error-info.ts';
import { type Product, startProduct } from '../../src/dev/run/product.ts';
import { signedClient } from '../../src/runtime/signed-client.ts';
import { utf8 } from '../../src/signing/digest.ts';
import { CONTEXT_HEADER, RECEIPT_HEADER } from '../../src/signing/limits.ts';
import { localDirectory, localSigner } from '../../src/signing/local-directory.ts';
import { originate } from '../../src/signing/request-context.ts';
import { mintContext } from '../../src/signing/sign-link.ts';

const PATH = '/librarians/navigator/ask';
const BODY = JSON.stringify({ query: 'How many API calls per minute are allowed?' });

let product: Product;

beforeAll(async () => {
  product = await startProduct({ kb: 'sample', port: 0 });
  await product.sync({ full: true });
});

afterAll(() => product?.stop());

const origin = (changes: { now?: number; capabilities?: string[]; workspace?: string } = {}) =>
  originate({
    self: 'gateway',
    subject: 'user:u_1',
    workspace: 'default',
    authentication: 'key',
    capabilities: ['kb:read'],
    now: Date.now(),
    ...changes,
  });

const token = async (
  changes: { aud?: string; op?: string; body?: string; signAs?: string; seed?: string } & Parameters<
    typeof origin
  >[0] = {},
): Promise<string> => {
  const { aud = 'navigator', op = `POST ${PATH}`, body = BODY, signAs = 'gateway', seed, ...rest } = changes;
  const now = rest.now ?? Date.now();
  const link = await mintContext(origin(rest), {
    signer: await localSigner(signAs, seed),
    aud,
    op,
    body: utf8(body),
    now,
  });
  return link.token;
};

/** As another team's librarian sends it: over the public address, with nothing but the header. */
const send = (value: string | undefined, { path = PATH, body = BODY }: { path?: string; body?: string } = {}) =>
  fetch(new URL(path, product.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(value === undefined ? {} : { [CONTEXT_HEADER]: value }) },
    body,
  });

const outcome = async (response: Response): Promise<[number, string]> => [
  response.status,
  ErrorBody.parse(await response.json()).error.code,
];

describe('a librarian behind the public gateway', () => {
  it('answers a signed question, with a receipt that the caller can verify', async () => {
    const client = signedClient({
      self: 'gateway',
      signer: await localSigner('gateway'),
      directory: await localDirectory(),
      targets: {
        navigator: {
          fetch: (request) =>
            fetch(new URL(new URL(request.url).pathname, product.url), {
              method: request.method,
              headers: request.headers,
              body: BODY,
            }),
        },
      },
    });
    const answer = await client.call(origin(), { to: 'navigator', path: PATH, body: BODY });
    expect(answer).toMatchObject({ ok: true, status: 200 });
    expect(answer.ok && answer.json()).toMatchObject({ answer: expect.stringContaining('60 requests per minute') });
  });

  it.each<[name: string, code: string, status: number, make: () => Promise<string | undefined>]>([
    ['without a context', 'UNAUTHORIZED', 401, async () => undefined],
    ['with an empty context', 'UNAUTHORIZED', 401, async () => ''],
    ['with garbage for a context', 'UNAUTHORIZED', 401, async () => 'x'.repeat(500)],
    ['forged with a key of another seed', 'UNAUTHORIZED', 401, () => token({ seed: 'mallory' })],
    [
      "forged in the gateway's name with another librarian's key",
      'UNAUTHORIZED',
      401,
      () => token({ signAs: 'memory' }),
    ],
    ['with one character changed', 'UNAUTHORIZED', 401, async () => flip(await token())],
    ['addressed to another librarian', 'UNAUTHORIZED', 401, () => token({ aud: 'library' })],
    ['signed for another path', 'UNAUTHORIZED', 401, () => token({ op: 'POST /v1/navigate' })],
    ['signed for another body', 'UNAUTHORIZED', 401, () => token({ body: '{"query":"something else"}' })],
    ['signed 66 seconds ago', 'TIMEOUT', 504, () => token({ now: Date.now() - 66_000 })],
    ['without the capability', 'UNAUTHORIZED', 401, () => token({ capabilities: ['sql:read'] })],
  ])('refuses a question %s', async (_name, code, status, make) => {
    expect(await outcome(await send(await make()))).toEqual([status, code]);
  });

  it('refuses the same token a second time', async () => {
    const once = await token();
    expect((await send(once)).status).toBe(200);
    expect(await outcome(await send(once))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('refuses a token that was stripped from its question and put on another', async () => {
    expect(await outcome(await send(await token(), { body: '{"query":"Give me everything"}' }))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
  });

  it('never lets a token travel back to the outside', async () => {
    const response = await send(await token());
    expect(response.headers.get(RECEIPT_HEADER)).not.toBeNull();
    expect(response.headers.get(CONTEXT_HEADER)).toBeNull();
  });

  it('sees nothing of another workspace', async () => {
    const response = await send(await token({ workspace: 'globex' }));
    expect(JSON.stringify(await response.json())).not.toContain('60 requests');
  });
});

const flip = (text: string): string => {
  const at = text.length - 20;
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
};
