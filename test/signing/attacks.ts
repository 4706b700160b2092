import type { ErrorCode } from '../../src/contract/error-info.ts';
import { decodeBase64url, encodeBase64url } from '../../src/signing/base64url.ts';
import { sha256, utf8 } from '../../src/signing/digest.ts';
import type { VerifiedContext } from '../../src/signing/request-context.ts';
import {
  BODY,
  type Claims,
  directoryClaims,
  editClaims,
  editLink,
  editPart,
  headerOf,
  type Kit,
  kidOf,
  LONG_PATH,
  NOW,
  OP,
  opFor,
} from './attack-kit.ts';

/** One numbered case of signed context, section 6; letters mark variants of it, or cases that the mutation run asked for. */
export interface Attack {
  number: string;
  name: string;
  /** The code that a caller gets, and the reason in the log. */
  refused: [codeOrClass: string, reason: string];
  run(kit: Kit): Promise<unknown>;
}

/** One that must pass. */
export interface Control {
  number: string;
  name: string;
  run(kit: Kit): Promise<VerifiedContext>;
  /** What the context must say; compared by its JSON text. */
  gives: (context: VerifiedContext) => unknown;
  expected: unknown;
}

const TWO = ['gateway', 'triage', 'billing'];
const ONE = ['gateway', 'billing'];
const FOUR = ['gateway', 'triage', 'search', 'archive', 'billing'];

/** An attack with a token that is made first and then verified by `billing`. */
const token = (
  number: string,
  name: string,
  reason: string,
  make: (kit: Kit) => Promise<string> | string,
  known: Parameters<Kit['verify']>[1] & { code?: ErrorCode } = {},
): Attack => {
  const { code = 'UNAUTHORIZED', ...verification } = known;
  const run = async (kit: Kit) => kit.verify(await make(kit), verification);
  return { number, name, refused: [code, reason], run };
};

/** An attack by somebody who writes one link of their own into an otherwise honest chain. */
const edited = (
  number: string,
  name: string,
  reason: string,
  change: { path?: string[]; hop?: number; to: Claims },
  known: Parameters<Kit['verify']>[1] & { code?: ErrorCode } = {},
): Attack => {
  const { path = ONE, hop = path.length - 2, to } = change;
  return token(
    number,
    name,
    reason,
    (kit) => kit.forge(path, (claims, position) => (position === hop ? { ...claims, ...to } : undefined)),
    known,
  );
};

/** A root whose claims or header are any text at all, validly signed by the gateway. */
const signedText = (
  number: string,
  name: string,
  reason: string,
  change: { claims?: (text: string) => string; header?: string },
): Attack =>
  token(number, name, reason, (kit) => {
    const text = JSON.stringify(kit.claims(ONE, 0));
    return kit.link(change.claims?.(text) ?? text, 'gateway', change.header);
  });

/** The start plus some milliseconds, as a NumericDate. */
const at = (ms: number): number => (NOW + ms) / 1000;

const HEADER = 'the header is not {alg, kid, typ}';
const CANONICAL = 'the claims are not canonical JSON';
const SIGNATURE = 'a signature is wrong';
const ENCODING = 'the signature is not base64url';
const gatewayKid = kidOf('gateway');

/** Replaces the last letter of base64url text by one that differs only in its unused bits. */
const withTrailingBits = (text: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet.charAt(alphabet.indexOf(text.slice(-1)) + 1);
};

/** The order of the group, little endian; S + L signs the same (RFC 8032, section 8.4). */
const malleated = (signature: Uint8Array): Uint8Array => {
  const order = decodeBase64url('7dP1XBpjEljWnPei3vneFAAAAAAAAAAAAAAAAAAAABA') ?? new Uint8Array();
  const result = signature.slice();
  let carry = 0;
  for (let index = 0; index < 32; index += 1) {
    const sum = (result[32 + index] ?? 0) + (order[index] ?? 0) + carry;
    result[32 + index] = sum & 0xff;
    carry = sum >> 8;
  }
  return result;
};

const presenceAndForging: Attack[] = [
  token('7', 'an empty token', HEADER, () => ''),
  token('8', 'garbage', HEADER, () => 'x.'.repeat(2).padEnd(8000, 'x')),
  token('9', 'the user edited in the root', SIGNATURE, async (kit) =>
    editClaims(await kit.travel(ONE), (text) => text.replace('u_8f2kd03ka9', 'u_000000ka9a')),
  ),
  token(
    '10',
    'the user edited in the root of a chain of three',
    'a link does not continue the one before',
    async (kit) =>
      editLink(await kit.travel(['gateway', 'triage', 'search', 'billing']), 0, (link) =>
        editClaims(link, (text) => text.replace('u_8f2kd03ka9', 'u_000000ka9a')),
      ),
  ),
  token('10a', 'the user edited in the root by a middle hop that signs on over it', SIGNATURE, async (kit) => {
    const root = editClaims(await kit.link(kit.claims(TWO, 0), 'gateway'), (text) => text.replace('u_8f', 'u_9f'));
    return `${root}~${await kit.link({ ...kit.claims(TWO, 1), prv: await sha256(utf8(root)) }, 'triage')}`;
  }),
  edited('11', 'a middle hop mints a root for a user', 'the origin may not speak for users', {
    path: ['mallory', 'billing'],
    to: {},
  }),
  token('12', "a root in the gateway's name with one's own key", 'a key belongs to another librarian', (kit) =>
    kit.link(kit.claims(ONE, 0), 'mallory'),
  ),
  token('13', "a root in the gateway's name with its kid and one's own key", SIGNATURE, (kit) =>
    kit.link(kit.claims(ONE, 0), 'mallory', headerOf(gatewayKid)),
  ),
  edited('14', 'the service identity of another librarian', 'a service speaks for another', {
    path: ['mallory', 'billing'],
    to: { sub: 'svc:webhooks', cap: ['kb:read'] },
  }),
  edited('15', 'an origin outside its workspace', 'the origin is outside its workspaces', { to: { ws: 'umbrella' } }),
  edited('15a', 'a librarian without workspaces starts a context of its own', 'the origin is outside its workspaces', {
    path: ['triage', 'billing'],
    to: { sub: 'svc:triage' },
  }),
  edited('15b', 'an origin gives a capability that it may not give', 'the origin gives what it may not give', {
    path: ['mallory', 'billing'],
    to: { sub: 'svc:mallory', cap: ['kb:write'] },
  }),
  token('16', 'alg none', HEADER, async (kit) => {
    const root = await kit.link(kit.claims(ONE, 0), 'gateway', headerOf(gatewayKid, { alg: 'none' }));
    return `${root.slice(0, root.lastIndexOf('.'))}.`;
  }),
  token('17', 'HS256 keyed with the public key', HEADER, async (kit) => {
    const text = JSON.stringify(kit.claims(ONE, 0));
    const signed = `${encodeBase64url(utf8(headerOf(gatewayKid, { alg: 'HS256' })))}.${encodeBase64url(utf8(text))}`;
    const x = decodeBase64url(kit.directory.key(gatewayKid)?.x ?? '') ?? new Uint8Array();
    const key = await crypto.subtle.importKey('raw', x, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    return `${signed}.${encodeBase64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(signed))))}`;
  }),
  signedText('18', 'an embedded jwk', HEADER, { header: `${headerOf(gatewayKid).slice(0, -1)},"jwk":{"kty":"OKP"}}` }),
  signedText('19', 'a jku', HEADER, {
    header: `${headerOf(gatewayKid).slice(0, -1)},"jku":"https://evil.example/keys"}`,
  }),
  signedText('20', 'crit and b64', HEADER, {
    header: `${headerOf(gatewayKid).slice(0, -1)},"crit":["b64"],"b64":false}`,
  }),
  signedText('21', 'another typ, same key', 'the type is not the one expected here', {
    header: headerOf(gatewayKid, { typ: 'at+jwt' }),
  }),
  signedText('22', 'an unknown kid', 'a key is unknown', { header: headerOf('gateway.9') }),
  signedText('23', 'kid __proto__', HEADER, { header: headerOf('__proto__') }),
  signedText('23a', 'kid constructor', 'a key is unknown', { header: headerOf('constructor') }),
];

const encoding: Attack[] = [
  token('24', 'a signature of 63 bytes', 'the signature is not 64 bytes', async (kit) =>
    editPart(await kit.travel(ONE), 2, (bytes) => bytes.slice(0, 63)),
  ),
  token('25', 'a malleated signature (S + L)', SIGNATURE, async (kit) => editPart(await kit.travel(ONE), 2, malleated)),
  token('26', 'padding', ENCODING, async (kit) => `${await kit.travel(ONE)}==`),
  token('27', 'trailing bits in the signature', ENCODING, async (kit) => withTrailingBits(await kit.travel(ONE))),
  token('27a', 'trailing bits in the claims, validly signed', 'the claims are not UTF-8 in base64url', async (kit) => {
    const ext = ['', 'a', 'aa'].map((pad) => JSON.stringify({ ...kit.claims(ONE, 0), ext: { pad } }));
    const text = ext.find((candidate) => utf8(candidate).length % 3 !== 0) ?? '';
    const signed = `${encodeBase64url(utf8(headerOf(gatewayKid)))}.${withTrailingBits(encodeBase64url(utf8(text)))}`;
    return `${signed}.${encodeBase64url(await kit.signer('gateway').sign(utf8(signed)))}`;
  }),
  token('28', 'a trailing newline', ENCODING, async (kit) => `${await kit.travel(ONE)}\n`),
  token('29', 'two headers merged by a comma', 'a link has more than three parts', async (kit) => {
    const root = await kit.travel(ONE);
    return `${root}, ${root}`;
  }),
  token('30', 'more than 8 KB', 'the token is longer than 8,192 bytes', () => 'A'.repeat(8193)),
  signedText('31', 'a duplicate JSON key, validly signed', CANONICAL, {
    claims: (text) => text.replace('{', '{"sub":"user:u_victim",'),
  }),
  signedText('32', 'white space, validly signed', CANONICAL, { claims: (text) => text.replace('{', '{ ') }),
  signedText('33', '1e3, validly signed', CANONICAL, { claims: (text) => text.replace('20000', '1e3') }),
  token('34', 'invalid UTF-8', 'the claims are not UTF-8 in base64url', (kit) => {
    const bytes = utf8(JSON.stringify({ ...kit.claims(ONE, 0), ext: { name: 'x' } }));
    bytes[bytes.length - 4] = 0xff;
    return kit.link(bytes, 'gateway');
  }),
  signedText('35', 'claims that are null', 'the claims are not an object', { claims: () => 'null' }),
  signedText('35a', 'claims that are a list', 'the claims are not an object', { claims: (text) => `[${text}]` }),
  signedText('35b', 'claims that are no JSON', 'the claims are not an object', { claims: (text) => text.slice(1) }),
  edited('36', 'an unknown claim', 'a claim is unknown', { to: { admin: true } }),
  signedText('37', 'a claim __proto__', 'a claim is unknown', {
    claims: (text) => text.replace('{', '{"__proto__":{"sub":"user:u_victim"},'),
  }),
  edited('38', 'CR and LF in sub', 'sub is not a subject', { to: { sub: 'user:u\r\nX-Admin: 1' } }),
  edited('38a', 'a newline at the end of sub', 'sub is not a subject', { to: { sub: 'user:u\n' } }),
  edited('38b', 'a subject of another kind', 'sub is not a subject', { to: { sub: 'root:u' } }),
  edited('39', 'a homoglyph in an id', 'iss is not a librarian id', { to: { iss: 'g\u0430teway' } }),
  edited('39a', 'a homoglyph in the addressee', 'aud is not a librarian id', { to: { aud: 'b\u0456lling' } }),
  ...[0, 9, 1.5, '8', null].map((max) =>
    edited('90', `max ${JSON.stringify(max)}`, 'max is not 1 to 8', { to: { max } }),
  ),
  edited('90a', 'max 0 in a later link', 'max is not 1 to 8', { path: TWO, to: { max: 0 } }),
  edited('91', 'capabilities that are no list', 'cap is not a list of at most 24', { to: { cap: 'kb:read' } }),
  edited('91a', '25 capabilities', 'cap is not a list of at most 24', { to: { cap: Array(25).fill('kb:read') } }),
  edited('91b', 'capabilities that are numbers', 'cap holds something else than capabilities', { to: { cap: [7] } }),
  edited('91c', 'bad capabilities in a later link', 'cap is not a list of at most 24', { path: TWO, to: { cap: {} } }),
  edited('95', 'a star inside a segment', 'cap holds something else than capabilities', { to: { cap: ['kb:re*d'] } }),
  edited('95a', 'a star that is not the last segment', 'cap holds something else than capabilities', {
    to: { cap: ['kb:*:read'] },
  }),
  edited('92', 'a root without budgets', 'bud is not an object', { to: { bud: undefined } }),
  edited('92a', 'a root without capabilities', 'cap is not a list of at most 24', { to: { cap: undefined } }),
  edited('92b', 'a root without a trace id', 'tid is not 32 hex digits', { to: { tid: undefined } }),
  edited('92c', 'a root without a workspace', 'ws is not a workspace id', { to: { ws: undefined } }),
  edited('92d', 'a root that does not say how the user was authenticated', 'amr is not a method of authentication', {
    to: { amr: 7 },
  }),
  edited('92e', 'a link without a span id', 'jti is not 16 hex digits', { to: { jti: 'F'.repeat(16) } }),
  edited('92f', 'a body hash with trailing bits', 'bd is not a hash', { to: { bd: 'B'.repeat(43) } }),
  edited('92g', 'an operation without a path', 'op is not an operation', { to: { op: 'POST' } }),
  edited('92h', 'ext that is a list', 'ext is not an object', { to: { ext: [] } }),
  edited('92i', 'iat as string', 'iat is not a time', { to: { iat: String(NOW / 1000) } }),
  edited('92j', 'iat with more than three decimals', 'iat is not a time', { to: { iat: at(0.1) } }),
  edited('92k', 'nine budgets', 'bud has more than 8 keys', {
    to: { bud: Object.fromEntries([...'abcdefghi'].map((name) => [name, 1])) },
  }),
  signedText('92l', 'a budget named __proto__', 'bud has a key that is not a name', {
    claims: (text) => text.replace('"bud":{', '"bud":{"__proto__":5,'),
  }),
  edited('94', 'a validly signed token of 9 KB', 'the token is longer than 8,192 bytes', {
    to: { ext: { pad: 'x'.repeat(6500) } },
  }),
];

const targetBodyReplay: Attack[] = [
  token('40', 'a token for another librarian', 'the token is for another librarian', (kit) =>
    kit.travel(['gateway', 'search']),
  ),
  token('41', 'another path', 'the token is for another operation', (kit) => kit.travel(ONE), {
    op: 'POST /librarians/billing/refund',
  }),
  token('41a', 'another query', 'the token is for another operation', (kit) => kit.travel(ONE), { op: `${OP}?all=1` }),
  token('42', 'another method', 'the token is for another operation', (kit) => kit.travel(ONE), {
    op: OP.replace('POST', 'PUT'),
  }),
  token('43', 'a body that was altered', 'the body is not the one that was signed', (kit) => kit.travel(ONE), {
    body: () => utf8('{"query":"Pay mallory"}'),
  }),
  token('44', 'a body that was removed', 'the body is not the one that was signed', (kit) => kit.travel(ONE), {
    body: () => new Uint8Array(),
  }),
  {
    number: '45',
    name: 'an exact replay, where calls are remembered',
    refused: ['UNAUTHORIZED', 'the call is a replay'],
    run: async (kit) => {
      const replay = kit.runtime.memoryReplayStore();
      const call = await kit.travel(ONE);
      await kit.verify(call, { replay });
      return kit.verify(call, { replay, now: NOW + 20_000 });
    },
  },
  token(
    '45a',
    'any call while the store of calls does not answer',
    'the replay store does not answer',
    (kit) => kit.travel(ONE),
    {
      code: 'SERVICE_UNAVAILABLE',
      replay: { isFirst: () => Promise.reject(new Error('down')) },
    },
  ),
  edited(
    '46',
    'a replay after 66 s although the deadline is later',
    'the call is older than 60 s',
    { to: { exp: at(300000) } },
    {
      now: NOW + 66_000,
    },
  ),
];

const dropped = (
  number: string,
  name: string,
  reason: string,
  edit: (links: string[]) => (string | undefined)[],
): Attack => token(number, name, reason, async (kit) => edit((await kit.travel(FOUR)).split('~')).join('~'));

const chain: Attack[] = [
  dropped('47', 'the root stripped', 'a claim is unknown', (links) => links.slice(1)),
  dropped('48', 'a middle hop stripped', 'hop is not the position', ([root, , ...rest]) => [root, ...rest]),
  token('49', "one's own hop stripped by forwarding", 'the token is for another librarian', (kit) =>
    kit.travel(['gateway', 'triage']),
  ),
  token('50', "the inbound link re-addressed with one's own key", 'a key belongs to another librarian', (kit) =>
    kit.link({ ...kit.claims(['gateway', 'triage'], 0), aud: 'billing', op: OP }, 'triage'),
  ),
  token(
    '51',
    "the middle stripped and one's own link re-signed to fit",
    'a link is not issued by the addressee',
    async (kit) => {
      const root = await kit.link(kit.claims(TWO, 0), 'gateway');
      const own = { ...kit.claims(['gateway', 'search', 'billing'], 1), prv: await sha256(utf8(root)) };
      return `${root}~${await kit.link(own, 'search')}`;
    },
  ),
  dropped('52', 'links reordered', 'hop is not the position', ([root, a, b, c]) => [root, b, a, c]),
  dropped('53', 'a link duplicated', 'hop is not the position', ([root, a, ...rest]) => [root, a, a, ...rest]),
  token('54', 'the root of another transaction spliced in', 'a link does not continue the one before', async (kit) => {
    const [, own = ''] = (await kit.forge(TWO)).split('~');
    return `${await kit.link({ ...kit.claims(TWO, 0), sub: 'user:u_victim' }, 'gateway')}~${own}`;
  }),
  edited('55', 'a hop renumbered', 'hop is not the position', { path: TWO, to: { hop: 2 } }),
  edited('56', 'a link addressed to its own issuer', 'a link is addressed to its own issuer', {
    path: TWO,
    to: { aud: 'triage' },
  }),
  edited('57', 'sub repeated in a later link', 'a claim is unknown', { path: TWO, to: { sub: 'user:u_8f2kd03ka9' } }),
  edited('57a', 'a later link without prv', 'prv is not a hash', { path: TWO, to: { prv: undefined } }),
  token('58', 'a caller that is not on the list', 'the caller is not on the list', (kit) => kit.travel(TWO), {
    callers: ['gateway', 'search'],
  }),
];

const attenuation: Attack[] = [
  edited('59', 'the deadline extended', 'the deadline grows', { path: TWO, to: { exp: at(30001) } }),
  token('59a', 'a deadline put back after a shorter one', 'the deadline grows', (kit) =>
    kit.forge(['gateway', 'triage', 'search', 'billing'], (claims, hop) =>
      hop === 0 ? undefined : { ...claims, exp: at(hop === 1 ? 10_000 : 20_000) },
    ),
  ),
  edited('60', 'a capability added', 'a capability is added', {
    path: TWO,
    to: { cap: ['kb:read', 'kb', 'sql:read'] },
  }),
  edited('61', 'a capability widened by a wildcard', 'a capability is added', { path: TWO, to: { cap: ['sql:*'] } }),
  edited('61a', 'everything asked for', 'a capability is added', { path: TWO, to: { cap: ['*'] } }),
  edited('61b', 'a capability that only begins alike', 'a capability is added', {
    path: TWO,
    to: { cap: ['kbx:read'] },
  }),
  edited('62', 'a budget raised', 'a budget grows', { path: TWO, to: { bud: { tokens: 20_001 } } }),
  token('63', 'a budget raised back after a lower hop', 'a budget grows', (kit) =>
    kit.forge(['gateway', 'triage', 'search', 'billing'], (claims, hop) =>
      hop === 0 ? undefined : { ...claims, bud: { tokens: hop === 1 ? 100 : 200 } },
    ),
  ),
  token('63a', 'a capability taken back after a lower hop', 'a capability is added', (kit) =>
    kit.forge(['gateway', 'triage', 'search', 'billing'], (claims, hop) =>
      hop === 0 ? undefined : { ...claims, cap: [hop === 1 ? 'kb:read' : 'sql:read'] },
    ),
  ),
  edited('64', 'a negative budget', 'bud holds something else than amounts', {
    path: TWO,
    to: { bud: { tokens: -1 } },
  }),
  edited('65', 'a fraction of a budget', 'bud holds something else than amounts', {
    path: TWO,
    to: { bud: { tokens: 0.5 } },
  }),
  edited('66', 'a budget that is text', 'bud holds something else than amounts', {
    path: TWO,
    to: { bud: { tokens: '5' } },
  }),
  token('67', 'max hops raised', 'max grows', (kit) =>
    kit.forge(TWO, (claims, hop) => ({ ...claims, max: hop === 0 ? 3 : 4 })),
  ),
];

const time: Attack[] = [
  token('68', 'the deadline has passed', 'the deadline has passed', (kit) => kit.travel(ONE), {
    code: 'TIMEOUT',
    now: NOW + 30_000,
  }),
  edited('69', 'issued in the future', 'a link is issued in the future', {
    to: { iat: at(5001), exp: at(10000) },
  }),
  token('69a', 'a root issued in the future', 'a link is issued in the future', (kit) =>
    kit.forge(TWO, (claims, hop) => ({ ...claims, iat: at(hop === 0 ? 5001 : 1000) })),
  ),
  edited('70', 'a lifetime above the cap', 'the lifetime is above the cap', { to: { exp: at(300001) } }),
  edited('71', 'exp before iat', 'exp is not after iat', { to: { exp: at(-1000) } }),
  edited('72', 'exp as string', 'exp is not a time', { to: { exp: '1795220155.854' } }),
  {
    number: '74',
    name: 'the sender has no time left',
    refused: ['TIMEOUT', 'no time is left for the call'],
    run: (kit) => kit.travel(ONE, { now: NOW + 29_990, reserveMs: 10 }),
  },
  edited('93', 'iat runs backwards', 'iat runs backwards', { path: TWO, to: { iat: at(-5001) } }),
];

const depthAndLoops: Attack[] = [
  token(
    '75',
    'nine links',
    'the token has more than 8 links',
    async (kit) => {
      const full = await kit.forge(LONG_PATH);
      return `${full}~${full.slice(0, full.indexOf('~'))}`;
    },
    { code: 'MAX_DEPTH_EXCEEDED' },
  ),
  token(
    '76',
    'a third link forced where the root allows two',
    'the chain has too many links',
    (kit) =>
      kit.forge(['gateway', 'triage', 'search', 'billing'], (claims, hop) =>
        hop === 0 ? { ...claims, max: 2 } : undefined,
      ),
    { code: 'MAX_DEPTH_EXCEEDED' },
  ),
  token(
    '76a',
    'a third link forced where the second allows two',
    'the chain has too many links',
    (kit) =>
      kit.forge(['gateway', 'triage', 'search', 'billing'], (claims, hop) =>
        hop === 1 ? { ...claims, max: 2 } : undefined,
      ),
    { code: 'MAX_DEPTH_EXCEEDED' },
  ),
  token('77', 'a local limit that is lower', 'the chain has too many links', (kit) => kit.travel(TWO), {
    code: 'MAX_DEPTH_EXCEEDED',
    maxHops: 1,
  }),
  {
    number: '78',
    name: 'the sender refuses to go deeper',
    refused: ['MAX_DEPTH_EXCEEDED', 'one more link is too many'],
    run: async (kit) => {
      const context = await kit.verify(await kit.travel(TWO), { maxHops: 2 });
      return kit.runtime.extendContext(context, {
        signer: kit.signer('billing'),
        aud: 'search',
        op: OP,
        body: BODY,
        now: NOW,
      });
    },
  },
  {
    number: '78a',
    name: 'the sender refuses a token that would be too long',
    refused: ['MAX_DEPTH_EXCEEDED', 'the token would be longer than 8,192 bytes'],
    run: async (kit) => {
      const capabilities = Array.from({ length: 24 }, (_, index) => `kb:${String(index).padStart(61, 'x')}`);
      let context: Parameters<typeof kit.runtime.signLink>[0] = kit.origin({ capabilities });
      for (const [self, aud] of [
        ['gateway', 'h1'],
        ['h1', 'h2'],
        ['h2', 'h3'],
        ['h3', 'h4'],
      ] as const) {
        const call = { signer: kit.signer(self), aud, op: opFor(aud), body: BODY, now: NOW, capabilities };
        const { token: sent } = await kit.runtime.signLink(context, call);
        context = await kit.verify(sent, { self: aud, op: opFor(aud) });
      }
      return context;
    },
  },
  token(
    '79',
    'the receiver is already in the chain, the sender forced it',
    'this librarian is in the chain',
    (kit) => kit.forge(['gateway', 'billing', 'triage', 'billing']),
    { code: 'LOOP_DETECTED' },
  ),
  token(
    '80',
    'back to the gateway',
    'this librarian is in the chain',
    (kit) => kit.forge(['gateway', 'triage', 'gateway']),
    {
      code: 'LOOP_DETECTED',
      self: 'gateway',
      op: opFor('gateway'),
    },
  ),
  token(
    '81',
    'a loop upstream, the receiver is new',
    'a librarian is in the chain twice',
    (kit) => kit.forge(['gateway', 'triage', 'search', 'triage', 'billing']),
    { code: 'LOOP_DETECTED' },
  ),
  {
    number: '82',
    name: 'the sender refuses a librarian that was visited',
    refused: ['LOOP_DETECTED', 'the target is in the chain'],
    run: async (kit) => {
      const context = await kit.verify(await kit.travel(TWO));
      return kit.runtime.extendContext(context, {
        signer: kit.signer('billing'),
        aud: 'triage',
        op: OP,
        body: BODY,
        now: NOW,
      });
    },
  },
  {
    number: '83',
    name: 'the sender refuses itself',
    refused: ['LOOP_DETECTED', 'the target is this librarian'],
    run: (kit) => kit.travel(['gateway', 'gateway']),
  },
];

/** Verifies under a directory that says something else about one librarian. */
const underDirectory = async (
  kit: Kit,
  id: string,
  change: (entry: NonNullable<ReturnType<Kit['directory']['librarian']>>) => void,
) => {
  const claims = await directoryClaims();
  const entry = claims.librarians[id];
  if (entry !== undefined) change(entry);
  return kit.runtime.openDirectory(claims, { version: `v-${id}` });
};

const keysAndCache: Attack[] = [
  {
    number: '84',
    name: 'a key that is retired',
    refused: ['UNAUTHORIZED', 'a key is retired'],
    run: async (kit) => {
      const directory = await underDirectory(kit, 'gateway', ({ keys: [key] }) =>
        Object.assign(key ?? {}, { exp: NOW / 1000 }),
      );
      return kit.verify(await kit.travel(ONE), { directory });
    },
  },
  {
    number: '85',
    name: 'a key that is not valid yet',
    refused: ['UNAUTHORIZED', 'a key is not valid yet'],
    run: async (kit) => {
      const directory = await underDirectory(kit, 'triage', ({ keys: [key] }) =>
        Object.assign(key ?? {}, { nbf: at(1000) }),
      );
      return kit.verify(await kit.travel(TWO), { directory });
    },
  },
  {
    number: '86',
    name: 'a librarian that is revoked',
    refused: ['UNAUTHORIZED', 'a librarian is revoked'],
    run: async (kit) => {
      const directory = await underDirectory(kit, 'triage', (entry) =>
        Object.assign(entry, { revokedBefore: at(1000) }),
      );
      return kit.verify(await kit.travel(TWO), { directory });
    },
  },
  {
    number: '86a',
    name: 'a directory that has expired since it was loaded',
    refused: ['UNAUTHORIZED', 'the key directory has expired'],
    run: async (kit) => {
      const later = NOW + 86_400_000;
      return kit.verify(await kit.forge(ONE, (claims) => ({ ...claims, iat: later / 1000, exp: later / 1000 + 9 })), {
        now: later,
      });
    },
  },
  {
    number: '88',
    name: 'the cache is given another signature',
    refused: ['UNAUTHORIZED', SIGNATURE],
    run: async (kit) => {
      const cache = kit.runtime.linkCache();
      const honest = await kit.forge(TWO);
      await kit.verify(honest, { cache });
      await kit.verify(honest, { cache });
      const root = editPart(honest.split('~')[0] ?? '', 2, (bytes) =>
        bytes.map((byte, index) => (index === 5 ? byte ^ 1 : byte)),
      );
      const own = { ...kit.claims(TWO, 1), prv: await sha256(utf8(root)) };
      return kit.verify(`${root}~${await kit.link(own, 'triage')}`, { cache });
    },
  },
  {
    number: '88a',
    name: 'the cache does not outlive the directory',
    refused: ['UNAUTHORIZED', SIGNATURE],
    run: async (kit) => {
      const cache = kit.runtime.linkCache();
      const honest = await kit.forge(TWO);
      await kit.verify(honest, { cache });
      const other = kit.directory.librarian('search')?.keys[0]?.x ?? '';
      const directory = await underDirectory(kit, 'gateway', ({ keys: [key] }) =>
        Object.assign(key ?? {}, { x: other }),
      );
      return kit.verify(honest, { cache, directory });
    },
  },
];

export const ATTACKS: Attack[] = [
  ...presenceAndForging,
  ...encoding,
  ...targetBodyReplay,
  ...chain,
  ...attenuation,
  ...time,
  ...depthAndLoops,
  ...keysAndCache,
];

const hops = ({ chain: passed }: VerifiedContext): unknown => passed;

export const CONTROLS: Control[] = [
  {
    number: '1',
    name: 'one hop',
    run: async (kit) => kit.verify(await kit.travel(ONE)),
    gives: hops,
    expected: ['gateway'],
  },
  {
    number: '2',
    name: 'three hops',
    run: async (kit) => kit.verify(await kit.travel(['gateway', 'triage', 'search', 'billing'])),
    gives: hops,
    expected: ['gateway', 'triage', 'search'],
  },
  {
    number: '3',
    name: 'eight hops',
    run: async (kit) => kit.verify(await kit.travel(LONG_PATH)),
    gives: ({ chain: passed, maxHops }) => [passed.length, maxHops],
    expected: [8, 8],
  },
  {
    number: '4',
    name: 'two live kids during a rotation',
    run: async (kit) => {
      const claims = await directoryClaims();
      const [old] = claims.librarians.triage?.keys ?? [];
      // The key of `search` plays the new key of `triage`.
      const x = kit.directory.key(kidOf('search'))?.x ?? '';
      claims.librarians.triage?.keys.push({ kid: 'triage.2', x });
      claims.librarians.search = { keys: [{ kid: 'search.1', x: old?.x ?? '' }] };
      const directory = kit.runtime.openDirectory(claims, { version: 'rotation' });
      const before = await kit.verify(await kit.forge(TWO), { directory });
      const [root = ''] = (await kit.forge(TWO)).split('~');
      const own = { ...kit.claims(TWO, 1), prv: await sha256(utf8(root)) };
      const after = await kit.verify(`${root}~${await kit.link(own, 'search', headerOf('triage.2'))}`, { directory });
      return before.caller === after.caller ? after : before;
    },
    gives: hops,
    expected: ['gateway', 'triage'],
  },
  {
    number: '5',
    name: 'a svc: root for itself',
    run: async (kit) =>
      kit.verify(
        await kit.forge(['webhooks', 'billing'], (claims) => ({
          ...claims,
          sub: 'svc:webhooks',
          cap: ['support:analyze'],
        })),
      ),
    gives: ({ subject }) => subject,
    expected: 'svc:webhooks',
  },
  {
    number: '5a',
    name: 'an anon: root of an origin',
    run: async (kit) => kit.verify(await kit.forge(ONE, (claims) => ({ ...claims, sub: 'anon:7c1', amr: 'none' }))),
    gives: ({ subject }) => subject,
    expected: 'anon:7c1',
  },
  {
    number: '96',
    name: 'ext is carried and ignored',
    run: async (kit) => kit.verify(await kit.forge(TWO, (claims, hop) => ({ ...claims, ext: { note: hop } }))),
    gives: ({ subject }) => subject,
    expected: 'user:u_8f2kd03ka9',
  },
  {
    number: '96a',
    name: 'alg Ed25519, the name of RFC 9864',
    run: async (kit) =>
      kit.verify(await kit.link(kit.claims(ONE, 0), 'gateway', headerOf(gatewayKid, { alg: 'Ed25519' }))),
    gives: hops,
    expected: ['gateway'],
  },
  {
    number: '73',
    name: 'a slow clock does not stretch the time left',
    run: async (kit) => kit.verify(await kit.travel(ONE), { now: NOW - 4000 }),
    gives: ({ deadlineMs }) => deadlineMs - (NOW - 4000),
    expected: 30_000,
  },
  {
    number: '73b',
    name: 'a fast clock shortens it',
    run: async (kit) => kit.verify(await kit.travel(ONE), { now: NOW + 4000 }),
    gives: ({ deadlineMs }) => deadlineMs - NOW,
    expected: 30_000,
  },
  {
    number: '45b',
    name: 'the same question asked twice, each with a link of its own, where calls are remembered',
    run: async (kit) => {
      const replay = kit.runtime.memoryReplayStore();
      await kit.verify(await kit.travel(ONE), { replay });
      return kit.verify(await kit.travel(ONE), { replay });
    },
    gives: hops,
    expected: ['gateway'],
  },
  {
    number: 'S1',
    name: 'a sender that asks for more hands down what it holds',
    run: async (kit) => {
      const more = {
        timeoutMs: 200_000,
        capabilities: ['kb:read', 'sql:*', 'web:search'],
        budgets: { tokens: 90_000, usd: 3 },
        maxHops: 8,
      };
      const first = { timeoutMs: 10_000, capabilities: ['kb:*', 'sql:read'], budgets: { tokens: 500 }, maxHops: 3 };
      const start = { aud: 'triage', op: opFor('triage'), body: BODY, now: NOW };
      const { token: inbound } = await kit.runtime.mintContext(kit.origin(), {
        ...start,
        ...first,
        signer: kit.signer('gateway'),
      });
      const context = await kit.verify(inbound, { self: 'triage', op: opFor('triage') });
      const onward = { ...start, ...more, aud: 'billing', op: OP, signer: kit.signer('triage') };
      return kit.verify((await kit.runtime.extendContext(context, onward)).token);
    },
    gives: ({ deadlineMs, capabilities, budgets, maxHops }) => [deadlineMs - NOW, capabilities, budgets, maxHops],
    expected: [10_000, ['kb:read', 'sql:read'], { tokens: 500, calls: 24, usd: 3 }, 3],
  },
  {
    number: 'S2',
    name: 'a sender that asks for less hands down less, and keeps its reserve',
    run: async (kit) => {
      const call = {
        timeoutMs: 40_000,
        reserveMs: 100,
        capabilities: ['kb:hr:read'],
        budgets: { calls: 2 },
        maxHops: 4,
      };
      return kit.verify(await kit.travel(ONE, call));
    },
    gives: ({ deadlineMs, capabilities, budgets, maxHops }) => [deadlineMs - NOW, capabilities, budgets, maxHops],
    expected: [29_900, ['kb:hr:read'], { tokens: 20_000, calls: 2 }, 4],
  },
];

/** What became of an attack: the code (or the class) and the reason, or `['accepted', '']`. */
export const outcomeOf = (attack: Promise<unknown>): Promise<[string, string]> =>
  attack.then(
    () => ['accepted', ''],
    (error) => [error.code ?? error.name, error.reason ?? error.message],
  );
