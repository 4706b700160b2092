import type { ErrorCode } from '../../../src/contract/core/error-info.ts';
import type { VerifiedContext } from '../../../src/platform/context/request-context.ts';
import { decodeBase64url, encodeBase64url, sha256, utf8 } from '../../../src/platform/encoding.ts';
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

/** One numbered case of signed context, section 6; letters mark variants, or cases for mutants. */
export interface Attack {
  number: string;
  name: string;
  /** The code that a caller gets, and the reason in the log. */
  refused: [codeOrClass: string, reason: string];
  run(kit: Kit): Promise<unknown>;
}

/** A case that must pass. */
export interface Control {
  number: string;
  name: string;
  run(kit: Kit): Promise<VerifiedContext>;
  /** The compared part of the context, as JSON text. */
  gives: (context: VerifiedContext) => unknown;
  expected: unknown;
}

const MALLORY = ['mallory', 'billing'];
const TWO = ['gateway', 'triage', 'billing'];
const ONE = ['gateway', 'billing'];
const THREE = ['gateway', 'triage', 'search', 'billing'];
const FOUR = ['gateway', 'triage', 'search', 'archive', 'billing'];

/** Reasons whose code is another one than UNAUTHORIZED. */
const CODES: Record<string, ErrorCode> = {
  'the replay store does not answer': 'SERVICE_UNAVAILABLE',
  'the deadline has passed': 'TIMEOUT',
  'no time is left for the call': 'TIMEOUT',
  'the token has more than 8 links': 'MAX_DEPTH_EXCEEDED',
  'the token would be longer than 8,192 bytes': 'MAX_DEPTH_EXCEEDED',
  'the chain has too many links': 'MAX_DEPTH_EXCEEDED',
  'one more link is too many': 'MAX_DEPTH_EXCEEDED',
  'this librarian is in the chain': 'LOOP_DETECTED',
  'a librarian is in the chain twice': 'LOOP_DETECTED',
  'the target is in the chain': 'LOOP_DETECTED',
  'the target is this librarian': 'LOOP_DETECTED',
};

const attack = (number: string, name: string, reason: string, run: Attack['run']): Attack => ({
  number,
  name,
  refused: [CODES[reason] ?? 'UNAUTHORIZED', reason],
  run,
});

type Known = Parameters<Kit['verify']>[1];

/** An attack with a created token, or one that travels honestly along a path, verified by `billing`. */
const token = (
  number: string,
  name: string,
  reason: string,
  made: string[] | ((kit: Kit) => Promise<string> | string),
  known?: Known,
): Attack =>
  attack(number, name, reason, async (kit) =>
    kit.verify(await (typeof made === 'function' ? made(kit) : kit.travel(made)), known),
  );

/** A call that its sender refuses. */
const sent = (
  number: string,
  name: string,
  reason: string,
  ...travel: Parameters<Kit['travel']>
): Attack => attack(number, name, reason, (kit) => kit.travel(...travel));

/** An attack that changes claims of the last link of an honest chain, or of several links. */
const edited = (
  number: string,
  name: string,
  reason: string,
  to: Claims | Claims[],
  path: string[] = ONE,
  known?: Known,
): Attack => {
  const changes = Array.isArray(to) ? to : [...path.slice(2).map(() => ({})), to];
  const make = (kit: Kit) => kit.forge(path, (claims, hop) => ({ ...claims, ...changes[hop] }));
  return token(number, name, reason, make, known);
};

/** A link, and the next one of the path `TWO` after it, signed to fit. */
const continued = async (
  root: string,
  kit: Kit,
  { by = 'triage', kid = kidOf(by) } = {},
): Promise<string> => {
  const path = kid === kidOf(by) ? ['gateway', by, 'billing'] : TWO;
  const own = { ...kit.claims(path, 1), prv: await sha256(utf8(root)) };
  return `${root}~${await kit.link(own, by, headerOf(kid))}`;
};

/** A root with arbitrary text as claims, validly signed by the gateway. */
const signedText = (
  number: string,
  name: string,
  reason: string,
  edit: (text: string) => string,
): Attack =>
  token(number, name, reason, (kit) =>
    kit.link(edit(JSON.stringify(kit.claims(ONE, 0))), 'gateway'),
  );

/** A root with any header, validly signed by the gateway. */
const headed = (number: string, name: string, reason: string, header: string): Attack =>
  token(number, name, reason, (kit) => kit.link(kit.claims(ONE, 0), 'gateway', header));

/** The start plus some milliseconds, as a NumericDate. */
const at = (ms: number): number => (NOW + ms) / 1000;
const OTHER_TYPE = 'the type is not the one expected here';
const HEADER = 'the header is not {alg, kid, typ}';
const CANONICAL = 'the claims are not canonical JSON';
const SIGNATURE = 'a signature is wrong';
const ENCODING = 'the signature is not base64url';
const OUTSIDE = 'the origin is outside its workspaces';
const BEYOND = 'the origin gives what it may not give';
const SHOWS = 'the origin shows what it may not see';
const OPERATION = 'the token is for another operation';
const OTHER_BODY = 'the body is not the one that was signed';
const NOT_ADDRESSED = 'a link is not issued by the addressee';
const POSITION = 'hop is not the position';
const CONTINUES = 'a link does not continue the one before';
const ADDED = 'a capability is added';
const SEEN = 'an audience is added';
const SEE_LIST = 'see is not a list of at most 20';
const SEE_MEMBERS = 'see holds something else than audiences';
const AMOUNTS = 'bud holds something else than amounts';
const FUTURE = 'a link is issued in the future';
const TOO_MANY = 'the chain has too many links';
const TOO_LONG = 'the token is longer than 8,192 bytes';
const TOO_LONG_TO_SEND = 'the token would be longer than 8,192 bytes';
const VISITED = 'this librarian is in the chain';
const TWICE = 'a librarian is in the chain twice';
const AT_GATEWAY = { self: 'gateway', op: opFor('gateway') };
const CAP_LIST = 'cap is not a list of at most 24';
const CAP_MEMBERS = 'cap holds something else than capabilities';
const NO_OBJECT = 'the claims are not an object';
const NO_UTF8 = 'the claims are not UTF-8 in base64url';
const NINE = Object.fromEntries([...'abcdefghi'].map((name) => [name, 1]));
const gatewayKid = kidOf('gateway');
const headerWith = (members: string): string => `${headerOf(gatewayKid).slice(0, -1)},${members}}`;

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

/** Claims of a root that a service mints for itself. */
const asService = (id: string, more: Claims = {}): Claims => ({
  sub: `svc:${id}`,
  cap: ['kb:read'],
  ...more,
});

const withOtherUser = (link: string): string =>
  editClaims(link, (text) => text.replace('u_8f2kd03ka9', 'u_000000ka9a'));

const presenceAndForging: Attack[] = [
  token('7', 'an empty token', HEADER, () => ''),
  token('8', 'garbage', HEADER, () => 'x.'.repeat(2).padEnd(8000, 'x')),
  token('9', 'the user edited in the root', SIGNATURE, async (kit) =>
    withOtherUser(await kit.travel(ONE)),
  ),
  token('10', 'the user edited in the root of a chain of three', CONTINUES, async (kit) =>
    editLink(await kit.travel(THREE), 0, withOtherUser),
  ),
  token(
    '10a',
    'the user edited in the root by a middle hop that signs on over it',
    SIGNATURE,
    async (kit) => continued(withOtherUser(await kit.link(kit.claims(TWO, 0), 'gateway')), kit),
  ),
  edited(
    '11',
    'a middle hop mints a root for a user',
    'the origin may not speak for users',
    {},
    MALLORY,
  ),
  token(
    '12',
    "a root in the gateway's name with one's own key",
    'a key belongs to another librarian',
    (kit) => kit.link(kit.claims(ONE, 0), 'mallory'),
  ),
  token('13', "a root in the gateway's name with its kid and one's own key", SIGNATURE, (kit) =>
    kit.link(kit.claims(ONE, 0), 'mallory', headerOf(gatewayKid)),
  ),
  edited(
    '14',
    "another's identity",
    'a service speaks for another',
    asService('webhooks'),
    MALLORY,
  ),
  edited('15', 'an origin outside its workspace', OUTSIDE, { ws: 'umbrella' }),
  edited('15a', 'an origin without workspaces', OUTSIDE, { sub: 'svc:triage' }, [
    'triage',
    'billing',
  ]),
  edited(
    '15b',
    'a capability that the origin has not',
    BEYOND,
    asService('mallory', { cap: ['kb:write'] }),
    MALLORY,
  ),
  edited(
    '15c',
    'an audience that the origin may not see',
    SHOWS,
    asService('mallory', { see: ['staff'] }),
    MALLORY,
  ),
  edited(
    '15d',
    'all audiences from one that may see one',
    SHOWS,
    asService('mallory', { see: ['*'] }),
    MALLORY,
  ),
  token('16', 'alg none', HEADER, async (kit) => {
    const root = await kit.link(
      kit.claims(ONE, 0),
      'gateway',
      headerOf(gatewayKid, { alg: 'none' }),
    );
    return `${root.slice(0, root.lastIndexOf('.'))}.`;
  }),
  token('17', 'HS256 keyed with the public key', HEADER, async (kit) => {
    const text = JSON.stringify(kit.claims(ONE, 0));
    const signed = `${encodeBase64url(utf8(headerOf(gatewayKid, { alg: 'HS256' })))}.${encodeBase64url(utf8(text))}`;
    const x = decodeBase64url(kit.directory.key(gatewayKid)?.x ?? '') ?? new Uint8Array();
    const key = await crypto.subtle.importKey('raw', x, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
    ]);
    return `${signed}.${encodeBase64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(signed))))}`;
  }),
  headed('18', 'an embedded jwk', HEADER, headerWith('"jwk":{"kty":"OKP"}')),
  headed('19', 'a jku', HEADER, headerWith('"jku":"https://evil.example/keys"')),
  headed('20', 'crit and b64', HEADER, headerWith('"crit":["b64"],"b64":false')),
  headed('21', 'another typ, same key', OTHER_TYPE, headerOf(gatewayKid, { typ: 'at+jwt' })),
  headed('22', 'an unknown kid', 'a key is unknown', headerOf('gateway.9')),
  headed('23', 'kid __proto__', HEADER, headerOf('__proto__')),
  headed('23a', 'kid constructor', 'a key is unknown', headerOf('constructor')),
];

const encoding: Attack[] = [
  token('24', 'a signature of 63 bytes', 'the signature is not 64 bytes', async (kit) =>
    editPart(await kit.travel(ONE), 2, (bytes) => bytes.slice(0, 63)),
  ),
  token('25', 'a malleated signature (S + L)', SIGNATURE, async (kit) =>
    editPart(await kit.travel(ONE), 2, malleated),
  ),
  token('26', 'padding', ENCODING, async (kit) => `${await kit.travel(ONE)}==`),
  token('27', 'trailing bits in the signature', ENCODING, async (kit) =>
    withTrailingBits(await kit.travel(ONE)),
  ),
  token('27a', 'trailing bits in the claims, validly signed', NO_UTF8, async (kit) => {
    const ext = ['', 'a', 'aa'].map((pad) =>
      JSON.stringify({ ...kit.claims(ONE, 0), ext: { pad } }),
    );
    const text = ext.find((candidate) => utf8(candidate).length % 3 !== 0) ?? '';
    const signed = `${encodeBase64url(utf8(headerOf(gatewayKid)))}.${withTrailingBits(encodeBase64url(utf8(text)))}`;
    return `${signed}.${encodeBase64url(await kit.signer('gateway').sign(utf8(signed)))}`;
  }),
  token('28', 'a trailing newline', ENCODING, async (kit) => `${await kit.travel(ONE)}\n`),
  token('29', 'two headers merged by a comma', 'a link has more than three parts', async (kit) => {
    const root = await kit.travel(ONE);
    return `${root}, ${root}`;
  }),
  token('30', 'more than 8 KB', TOO_LONG, () => 'A'.repeat(8193)),
  signedText('31', 'a duplicate JSON key, validly signed', CANONICAL, (text) =>
    text.replace('{', '{"sub":"user:u_victim",'),
  ),
  signedText('32', 'white space, validly signed', CANONICAL, (text) => text.replace('{', '{ ')),
  signedText('33', '1e3, validly signed', CANONICAL, (text) => text.replace('20000', '1e3')),
  token('34', 'invalid UTF-8', NO_UTF8, (kit) => {
    const bytes = utf8(JSON.stringify({ ...kit.claims(ONE, 0), ext: { name: 'x' } }));
    bytes[bytes.length - 4] = 0xff;
    return kit.link(bytes, 'gateway');
  }),
  signedText('35', 'claims that are null', NO_OBJECT, () => 'null'),
  signedText('35a', 'claims that are a list', NO_OBJECT, (text) => `[${text}]`),
  signedText('35b', 'claims that are no JSON', NO_OBJECT, (text) => text.slice(1)),
  edited('36', 'an unknown claim', 'a claim is unknown', { admin: true }),
  signedText('37', 'a claim __proto__', 'a claim is unknown', (text) =>
    text.replace('{', '{"__proto__":{"sub":"user:u_victim"},'),
  ),
  edited('38', 'CR and LF in sub', 'sub is not a subject', { sub: 'user:u\r\nX-Admin: 1' }),
  edited('38a', 'a newline at the end of sub', 'sub is not a subject', { sub: 'user:u\n' }),
  edited('38b', 'a subject of another kind', 'sub is not a subject', { sub: 'root:u' }),
  edited('39', 'a homoglyph in an id', 'iss is not a librarian id', { iss: 'g\u0430teway' }),
  edited('39a', 'a homoglyph in the addressee', 'aud is not a librarian id', {
    aud: 'b\u0456lling',
  }),
  ...[0, 9, 1.5, '8', null].map((max) =>
    edited('90', `max ${JSON.stringify(max)}`, 'max is not 1 to 8', { max }),
  ),
  edited('90a', 'max 0 in a later link', 'max is not 1 to 8', { max: 0 }, TWO),
  edited('91', 'capabilities that are no list', CAP_LIST, { cap: 'kb:read' }),
  edited('91a', '25 capabilities', CAP_LIST, { cap: Array(25).fill('kb:read') }),
  edited('91b', 'capabilities that are numbers', CAP_MEMBERS, { cap: [7] }),
  edited('91c', 'bad capabilities in a later link', CAP_LIST, { cap: {} }, TWO),
  edited('95', 'a star inside a segment', CAP_MEMBERS, { cap: ['kb:re*d'] }),
  edited('95a', 'a star that is not the last segment', CAP_MEMBERS, { cap: ['kb:*:read'] }),
  edited('97', 'audiences that are no list', SEE_LIST, { see: 'staff' }),
  edited('97a', '21 audiences', SEE_LIST, { see: Array(21).fill('staff') }),
  edited('97b', 'an audience with a capital letter', SEE_MEMBERS, { see: ['Staff'] }),
  edited('97c', 'an audience of 65 letters', SEE_MEMBERS, { see: ['a'.repeat(65)] }),
  edited('97d', 'an audience that begins with a hyphen, as no one holds', SEE_MEMBERS, {
    see: ['-'],
  }),
  edited('97f', 'the audience that no one can hold', SEE_MEMBERS, { see: ['none'] }),
  edited('97e', 'bad audiences in a later link', SEE_LIST, { see: {} }, TWO),
  edited('92', 'a root without budgets', 'bud is not an object', { bud: undefined }),
  edited('92a', 'a root without capabilities', CAP_LIST, { cap: undefined }),
  edited('92b', 'a root without a trace id', 'tid is not 32 hex digits', { tid: undefined }),
  edited('92c', 'a root without a workspace', 'ws is not a workspace id', { ws: undefined }),
  edited('92d', 'a root without authentication', 'amr is not a method of authentication', {
    amr: 7,
  }),
  edited('92e', 'a link without a span id', 'jti is not 16 hex digits', { jti: 'F'.repeat(16) }),
  edited('92f', 'a body hash with trailing bits', 'bd is not a hash', { bd: 'B'.repeat(43) }),
  edited('92g', 'an operation without a path', 'op is not an operation', { op: 'POST' }),
  edited('92h', 'ext that is a list', 'ext is not an object', { ext: [] }),
  edited('92i', 'iat as string', 'iat is not a time', { iat: String(NOW / 1000) }),
  edited('92j', 'iat with more than three decimals', 'iat is not a time', { iat: at(0.1) }),
  edited('92k', 'nine budgets', 'bud has more than 8 keys', { bud: NINE }),
  signedText('92l', 'a budget named __proto__', 'bud has a key that is not a name', (text) =>
    text.replace('"bud":{', '"bud":{"__proto__":5,'),
  ),
  edited('94', 'a validly signed token of 9 KB', TOO_LONG, { ext: { pad: 'x'.repeat(6500) } }),
];

const targetBodyReplay: Attack[] = [
  token('40', 'a token for another librarian', 'the token is for another librarian', [
    'gateway',
    'search',
  ]),
  token('41', 'another path', OPERATION, ONE, { op: 'POST /librarians/billing/refund' }),
  token('41a', 'another query', OPERATION, ONE, { op: `${OP}?all=1` }),
  token('42', 'another method', OPERATION, ONE, { op: OP.replace('POST', 'PUT') }),
  token('43', 'a body that was altered', OTHER_BODY, ONE, {
    body: () => utf8('{"query":"Pay mallory"}'),
  }),
  token('44', 'a body that was removed', OTHER_BODY, ONE, { body: () => new Uint8Array() }),
  attack(
    '45',
    'an exact replay, where calls are remembered',
    'the call is a replay',
    async (kit) => {
      const replay = kit.runtime.memoryReplayStore();
      const call = await kit.travel(ONE);
      await kit.verify(call, { replay });
      return kit.verify(call, { replay, now: NOW + 20_000 });
    },
  ),
  token(
    '45a',
    'any call while the store of calls does not answer',
    'the replay store does not answer',
    ONE,
    {
      replay: { isFirst: () => Promise.reject(new Error('down')) },
    },
  ),
  edited(
    '46',
    'a replay after 66 s before the deadline',
    'the call is older than 60 s',
    { exp: at(300_000) },
    ONE,
    {
      now: NOW + 66_000,
    },
  ),
];

/** An attack that removes or reorders links of an honest chain. */
const dropped = (
  number: string,
  name: string,
  reason: string,
  edit: (links: string[]) => (string | undefined)[],
): Attack =>
  token(number, name, reason, async (kit) => edit((await kit.travel(FOUR)).split('~')).join('~'));

const chain: Attack[] = [
  dropped('47', 'the root stripped', 'a claim is unknown', (links) => links.slice(1)),
  dropped('48', 'a middle hop stripped', POSITION, ([root, , ...rest]) => [root, ...rest]),
  token('49', "one's own hop stripped by forwarding", 'the token is for another librarian', [
    'gateway',
    'triage',
  ]),
  token(
    '50',
    "the inbound link re-addressed with one's own key",
    'a key belongs to another librarian',
    (kit) =>
      kit.link({ ...kit.claims(['gateway', 'triage'], 0), aud: 'billing', op: OP }, 'triage'),
  ),
  token('51', "the middle stripped and one's own link re-signed", NOT_ADDRESSED, async (kit) =>
    continued(await kit.link(kit.claims(TWO, 0), 'gateway'), kit, { by: 'search' }),
  ),
  dropped('52', 'links reordered', POSITION, ([root, a, b, c]) => [root, b, a, c]),
  dropped('53', 'a link duplicated', POSITION, ([root, a, ...rest]) => [root, a, a, ...rest]),
  token('54', 'the root of another transaction spliced in', CONTINUES, async (kit) => {
    const [, own = ''] = (await kit.forge(TWO)).split('~');
    return `${await kit.link({ ...kit.claims(TWO, 0), sub: 'user:u_victim' }, 'gateway')}~${own}`;
  }),
  edited('55', 'a hop renumbered', POSITION, { hop: 2 }, TWO),
  edited(
    '56',
    'a link addressed to its own issuer',
    'a link is addressed to its own issuer',
    { aud: 'triage' },
    TWO,
  ),
  edited(
    '57',
    'sub repeated in a later link',
    'a claim is unknown',
    { sub: 'user:u_8f2kd03ka9' },
    TWO,
  ),
  edited('57a', 'a later link without prv', 'prv is not a hash', { prv: undefined }, TWO),
  token('58', 'a caller that is not listed', 'the caller is not on the list', TWO, {
    callers: ['gateway', 'search'],
  }),
];

const attenuation: Attack[] = [
  edited('59', 'the deadline extended', 'the deadline grows', { exp: at(30001) }, TWO),
  edited(
    '59a',
    'a deadline put back',
    'the deadline grows',
    [{}, { exp: at(10_000) }, { exp: at(20_000) }],
    THREE,
  ),
  edited('60', 'a capability added', ADDED, { cap: ['kb:read', 'kb', 'sql:read'] }, TWO),
  edited('61', 'a capability widened by a wildcard', ADDED, { cap: ['sql:*'] }, TWO),
  edited('61a', 'everything asked for', ADDED, { cap: ['*'] }, TWO),
  edited('61b', 'a capability that only begins alike', ADDED, { cap: ['kbx:read'] }, TWO),
  edited('62', 'a budget raised', 'a budget grows', { bud: { tokens: 20_001 } }, TWO),
  edited(
    '63',
    'a budget put back',
    'a budget grows',
    [{}, { bud: { tokens: 100 } }, { bud: { tokens: 200 } }],
    THREE,
  ),
  edited(
    '63a',
    'a capability taken back',
    ADDED,
    [{}, { cap: ['kb:read'] }, { cap: ['sql:read'] }],
    THREE,
  ),
  edited('98', 'an audience added', SEEN, { see: ['staff', 'legal'] }, TWO),
  edited('98a', 'all audiences asked for', SEEN, { see: ['*'] }, TWO),
  edited(
    '98b',
    'an audience taken back',
    SEEN,
    [{}, { see: ['staff'] }, { see: ['sales'] }],
    THREE,
  ),
  edited(
    '98c',
    'an audience added where there are none',
    SEEN,
    [{ see: undefined }, { see: ['staff'] }],
    TWO,
  ),
  edited('98d', 'an audience that only begins alike', SEEN, { see: ['staff.hr'] }, TWO),
  edited('64', 'a negative budget', AMOUNTS, { bud: { tokens: -1 } }, TWO),
  edited('65', 'a fraction of a budget', AMOUNTS, { bud: { tokens: 0.5 } }, TWO),
  edited('66', 'a budget that is text', AMOUNTS, { bud: { tokens: '5' } }, TWO),
  edited('67', 'max hops raised', 'max grows', [{ max: 3 }, { max: 4 }], TWO),
];

const time: Attack[] = [
  token('68', 'the deadline has passed', 'the deadline has passed', ONE, { now: NOW + 30_000 }),
  edited('69', 'issued in the future', FUTURE, { iat: at(5001), exp: at(10_000) }),
  edited('69a', 'a root issued in the future', FUTURE, [{ iat: at(5001) }, { iat: at(1000) }], TWO),
  edited('70', 'a lifetime above the cap', 'the lifetime is above the cap', { exp: at(300_001) }),
  edited('71', 'exp before iat', 'exp is not after iat', { exp: at(-1000) }),
  edited('72', 'exp as string', 'exp is not a time', { exp: '1795220155.854' }),
  sent('74', 'the sender has no time left', 'no time is left for the call', ONE, {
    now: NOW + 29_990,
    reserveMs: 10,
  }),
  edited('93', 'iat runs backwards', 'iat runs backwards', { iat: at(-5001) }, TWO),
];

/** `billing` verifies a call along two hops and extends it. */
const extended = (
  number: string,
  name: string,
  reason: string,
  aud: string,
  known?: Known,
): Attack =>
  attack(number, name, reason, async (kit) => {
    const context = await kit.verify(await kit.travel(TWO), known);
    return kit.runtime.extendContext(context, {
      signer: kit.signer('billing'),
      aud,
      op: OP,
      body: BODY,
      now: NOW,
    });
  });

const depthAndLoops: Attack[] = [
  token('75', 'nine links', 'the token has more than 8 links', async (kit) => {
    const full = await kit.forge(LONG_PATH);
    return `${full}~${full.slice(0, full.indexOf('~'))}`;
  }),
  edited('76', 'a third link forced where the root allows two', TOO_MANY, [{ max: 2 }], THREE),
  edited(
    '76a',
    'a third link forced where the second allows two',
    TOO_MANY,
    [{}, { max: 2 }],
    THREE,
  ),
  token('77', 'a local limit that is lower', TOO_MANY, TWO, { maxHops: 1 }),
  extended('78', 'the sender refuses to go deeper', 'one more link is too many', 'search', {
    maxHops: 2,
  }),
  attack(
    '78a',
    'the sender refuses a token that would be too long',
    TOO_LONG_TO_SEND,
    async (kit) => {
      const capabilities = Array.from(
        { length: 24 },
        (_, index) => `kb:${String(index).padStart(61, 'x')}`,
      );
      let context: Parameters<typeof kit.runtime.signLink>[0] = kit.origin({ capabilities });
      const path = ['gateway', 'h1', 'h2', 'h3', 'h4'];
      for (const [hop, aud] of path.slice(1).entries()) {
        const call = {
          signer: kit.signer(path[hop] ?? ''),
          aud,
          op: opFor(aud),
          body: BODY,
          now: NOW,
          capabilities,
        };
        const { token: sent } = await kit.runtime.signLink(context, call);
        context = await kit.verify(sent, { self: aud, op: opFor(aud) });
      }
      return context;
    },
  ),
  edited('79', 'the receiver is in the chain, which was forced', VISITED, {}, [
    'gateway',
    'billing',
    ...TWO.slice(1),
  ]),
  edited('80', 'back to the gateway', VISITED, {}, ['gateway', 'triage', 'gateway'], AT_GATEWAY),
  edited('81', 'a loop upstream, the receiver is new', TWICE, {}, [
    'gateway',
    'triage',
    'search',
    ...TWO.slice(1),
  ]),
  extended(
    '82',
    'the sender refuses a librarian that was visited',
    'the target is in the chain',
    'triage',
  ),
  sent('83', 'the sender refuses itself', 'the target is this librarian', ['gateway', 'gateway']),
];

interface Change {
  key?: object;
  entry?: object;
}

/** A directory with another entry or key of one librarian. */
const underDirectory = async (kit: Kit, id: string, { key = {}, entry = {} }: Change) => {
  const claims = await directoryClaims();
  Object.assign(claims.librarians[id] ?? {}, entry);
  Object.assign(claims.librarians[id]?.keys[0] ?? {}, key);
  return kit.runtime.openDirectory(claims, { version: `v-${id}` });
};

/** A call along two hops, of which one librarian has another entry or key. */
const listed = (
  ...[number, name, reason, id, change]: [string, string, string, string, Change]
): Attack =>
  attack(number, name, reason, async (kit) =>
    kit.verify(await kit.travel(TWO), { directory: await underDirectory(kit, id, change) }),
  );

const A_DAY_LATER = { iat: at(86_400_000), exp: at(86_409_000) };

const keysAndCache: Attack[] = [
  listed('84', 'a key that is retired', 'a key is retired', 'gateway', { key: { exp: at(0) } }),
  listed('85', 'a key that is not valid yet', 'a key is not valid yet', 'triage', {
    key: { nbf: at(1000) },
  }),
  listed('86', 'a revoked librarian', 'a librarian is revoked', 'triage', {
    entry: { revokedBefore: at(1000) },
  }),
  edited(
    '86a',
    'a directory that has expired since it was loaded',
    'the key directory has expired',
    A_DAY_LATER,
    ONE,
    {
      now: NOW + 86_400_000,
    },
  ),
  attack('88', 'the cache is given another signature', SIGNATURE, async (kit) => {
    const cache = kit.runtime.linkCache();
    const honest = await kit.forge(TWO);
    await kit.verify(honest, { cache });
    await kit.verify(honest, { cache });
    const root = editPart(honest.split('~')[0] ?? '', 2, (bytes) =>
      bytes.with(5, (bytes[5] ?? 0) ^ 1),
    );
    return kit.verify(await continued(root, kit), { cache });
  }),
  attack('88a', 'the cache does not outlive the directory', SIGNATURE, async (kit) => {
    const cache = kit.runtime.linkCache();
    const honest = await kit.forge(TWO);
    await kit.verify(honest, { cache });
    const { x } = kit.directory.librarian('search')?.keys[0] ?? {};
    return kit.verify(honest, {
      cache,
      directory: await underDirectory(kit, 'gateway', { key: { x } }),
    });
  }),
];

export const ATTACKS: Attack[] = [
  presenceAndForging,
  encoding,
  targetBodyReplay,
  chain,
  attenuation,
  time,
  depthAndLoops,
  keysAndCache,
].flat();

const control = (
  number: string,
  name: string,
  gives: Control['gives'],
  expected: unknown,
  run: Control['run'],
): Control => ({ number, name, gives, expected, run });

const hops = (context: VerifiedContext) => context.chain;
const subject = (context: VerifiedContext) => context.subject;
const timeLeftAt =
  (now: number) =>
  ({ deadlineMs }: VerifiedContext) =>
    deadlineMs - now;
const limits = ({ deadlineMs, capabilities, budgets, maxHops }: VerifiedContext) =>
  [deadlineMs - NOW, capabilities, budgets, maxHops] as const;
const audiences = (context: VerifiedContext) => context.audiences;
const depth = ({ chain: { length }, maxHops }: VerifiedContext) => [length, maxHops];

/** An honest chain along a path. */
const honest =
  (path: string[], request?: Parameters<Kit['travel']>[1], known?: Known): Control['run'] =>
  async (kit) =>
    kit.verify(await kit.travel(path, request), known);

/** A chain along a path in which some claims of its links are others. */
const forged =
  (path: string[], changes: Claims[] = []): Control['run'] =>
  async (kit) =>
    kit.verify(await kit.forge(path, (claims, hop) => ({ ...claims, ...changes[hop] })));

const through = (id: string) => ['gateway', id, 'billing'];
const TRUSTED = through('partner.trusted');
const EXT = [{ ext: { note: 0 } }, { ext: { note: 1 } }];
const WEBHOOKS = { sub: 'svc:webhooks', cap: ['support:analyze'] };
const SLOW = NOW - 4000;
const SALES = { audiences: ['sales', 'legal'] };
const ALL_THEN_LEGAL = [{ see: ['*'] }, { see: ['legal'] }];
const ASKS_LESS = {
  timeoutMs: 40_000,
  reserveMs: 100,
  capabilities: ['kb:hr:read'],
  budgets: { calls: 2 },
  maxHops: 4,
};
const HELD = [10_000, ['kb:read', 'sql:read'], { tokens: 500, calls: 24, usd: 3 }, 3];
const LESS = [29_900, ['kb:hr:read'], { tokens: 20_000, calls: 2 }, 4];

export const CONTROLS: Control[] = [
  control('1', 'one hop', hops, ['gateway'], honest(ONE)),
  control('2', 'three hops', hops, ['gateway', 'triage', 'search'], honest(THREE)),
  control('3', 'eight hops', depth, [8, 8], honest(LONG_PATH)),
  control('4', 'two live kids during a rotation', hops, ['gateway', 'triage'], async (kit) => {
    const claims = await directoryClaims();
    const [old] = claims.librarians.triage?.keys ?? [];
    // The key of `search` is the new key of `triage`.
    const x = kit.directory.key(kidOf('search'))?.x ?? '';
    claims.librarians.triage?.keys.push({ kid: 'triage.2', x });
    claims.librarians.search = { keys: [{ kid: 'search.1', x: old?.x ?? '' }] };
    const directory = kit.runtime.openDirectory(claims, { version: 'rotation' });
    const before = await kit.verify(await kit.forge(TWO), { directory });
    const [root = ''] = (await kit.forge(TWO)).split('~');
    const after = await kit.verify(await continued(root, kit, { by: 'search', kid: 'triage.2' }), {
      directory,
    });
    return before.caller === after.caller ? after : before;
  }),
  control(
    '5',
    'a svc: root for itself',
    subject,
    'svc:webhooks',
    forged(['webhooks', 'billing'], [WEBHOOKS]),
  ),
  control(
    '5a',
    'an anon: root of an origin',
    subject,
    'anon:7c1',
    forged(ONE, [{ sub: 'anon:7c1', amr: 'none' }]),
  ),
  control('96', 'ext is carried and ignored', subject, 'user:u_8f2kd03ka9', forged(TWO, EXT)),
  control('96a', 'alg Ed25519, the name of RFC 9864', hops, ['gateway'], async (kit) =>
    kit.verify(
      await kit.link(kit.claims(ONE, 0), 'gateway', headerOf(gatewayKid, { alg: 'Ed25519' })),
    ),
  ),
  control(
    '73',
    'a slow clock does not stretch the time',
    timeLeftAt(SLOW),
    30_000,
    honest(ONE, {}, { now: SLOW }),
  ),
  control(
    '73b',
    'a fast clock shortens it',
    timeLeftAt(NOW),
    30_000,
    honest(ONE, {}, { now: NOW + 4000 }),
  ),
  control(
    '45b',
    'a question sent twice, each with its own link, and remembered',
    hops,
    ['gateway'],
    async (kit) => {
      const replay = kit.runtime.memoryReplayStore();
      await kit.verify(await kit.travel(ONE), { replay });
      return kit.verify(await kit.travel(ONE), { replay });
    },
  ),
  control(
    'S1',
    'a sender that asks for more hands down what it holds',
    limits,
    HELD,
    async (kit) => {
      const capabilities = ['kb:read', 'sql:*', 'web:search'];
      const more = {
        timeoutMs: 200_000,
        capabilities,
        budgets: { tokens: 90_000, usd: 3 },
        maxHops: 8,
      };
      const first = {
        timeoutMs: 10_000,
        capabilities: ['kb:*', 'sql:read'],
        budgets: { tokens: 500 },
        maxHops: 3,
      };
      const call = {
        aud: 'triage',
        op: opFor('triage'),
        body: BODY,
        now: NOW,
        signer: kit.signer('gateway'),
      };
      const { token: inbound } = await kit.runtime.mintContext(kit.origin(), { ...call, ...first });
      const context = await kit.verify(inbound, { self: 'triage', op: opFor('triage') });
      const onward = { ...call, ...more, aud: 'billing', op: OP, signer: kit.signer('triage') };
      return kit.verify((await kit.runtime.extendContext(context, onward)).token);
    },
  ),
  control(
    'S2',
    'a sender that asks for less hands it down, less its reserve',
    limits,
    LESS,
    honest(ONE, ASKS_LESS),
  ),
  control('S3', 'audiences reach the last librarian', audiences, ['staff', 'sales'], forged(THREE)),
  control(
    'S4',
    'a context without the claim sees no audience',
    audiences,
    [],
    forged(THREE, [{ see: undefined }]),
  ),
  control(
    'S5',
    'a link may show less',
    audiences,
    ['sales'],
    forged(THREE, [{}, { see: ['sales'] }]),
  ),
  control(
    'S6',
    'a sender that asks for more audiences hands down its own',
    audiences,
    ['sales'],
    honest(TWO, SALES),
  ),
  control(
    'S7',
    'a partner in the chain sees no audience',
    audiences,
    [],
    forged(through('partner.acme')),
  ),
  control(
    'S8',
    'a partner sees those of its entry that are held',
    audiences,
    ['sales'],
    forged(TRUSTED),
  ),
  control(
    'S9',
    'a librarian with a host sees no audience',
    audiences,
    [],
    forged(through('hosted')),
  ),
  control(
    'S10',
    'an origin that sees all shows all, another less',
    audiences,
    ['legal'],
    forged(TWO, ALL_THEN_LEGAL),
  ),
  control('S11', 'an origin that holds all hands all down', audiences, ['*'], async (kit) => {
    const call = { aud: 'billing', op: OP, body: BODY, now: NOW, signer: kit.signer('gateway') };
    const context = kit.origin({ audiences: ['staff', '*'] });
    return kit.verify((await kit.runtime.mintContext(context, call)).token);
  }),
];

/** The outcome of an attack: the code (or the class) and the reason, or `['accepted', '']`. */
export function outcomeOf(attack: Promise<unknown>): Promise<[string, string]> {
  return attack.then(
    () => ['accepted', ''],
    (error) => [error.code ?? error.name, error.reason ?? error.message],
  );
}
