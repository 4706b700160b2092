/**
 * A librarian of another team, in one file: plain Node 20 or later, nothing to install, nothing imported from Constellation.
 * It knows the usual weather of a few cities. Everything that makes it a part of the network stands here: keys, links,
 * receipts, and the checks of both. Section numbers are those of the specification of the signed context.
 *
 *   node weather.mjs keys                   makes a key and prints the entry for the directory
 *   node weather.mjs serve [port]           answers POST /librarians/partner.weather/ask, on 127.0.0.1
 *   node weather.mjs ask <id> <question>    asks a librarian of Constellation on its own account
 *
 * Environment:
 *   WEATHER_KEY        its private key: PKCS8, base64url (a secret)
 *   WEATHER_DIRECTORY  the key directory as JSON: {"exp", "librarians": {"<id>": {"keys": [{"kid", "x"}], "origin", "ws"}}}.
 *                      In production take it from a place you trust, and check the signature of its root key (4.12).
 *   WEATHER_NETWORK    where Constellation's librarians are reached, such as https://answers.example.com
 *   WEATHER_HANDS_ON_TO  who gets questions that are not about the weather; navigator when absent
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { createServer } from 'node:http';

const SELF = 'partner.weather';
const KID = `${SELF}.1`;
const INFO = {
  id: SELF,
  name: 'Weather',
  description: 'Knows the usual weather of Lisbon, Oslo and Singapore, month by month.',
  capabilities: [],
  examples: ['How warm is it in Lisbon in July?', 'What is the weather in Oslo in winter?'],
};

// What this team knows: mean temperature of each month in degrees Celsius.
const CLIMATE = {
  lisbon: [11, 12, 14, 15, 18, 21, 23, 24, 22, 19, 15, 12],
  oslo: [-4, -3, 0, 5, 11, 15, 17, 16, 11, 6, 1, -3],
  singapore: [27, 27, 28, 28, 29, 29, 28, 28, 28, 28, 27, 27],
};
const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** The librarian itself: a question in, a Response out. `undefined` when it is about something else. */
const answerTo = (query) => {
  const words = query.toLowerCase();
  const city = Object.keys(CLIMATE).find((name) => words.includes(name));
  if (city === undefined) return undefined;
  const month = MONTHS.findIndex((name) => words.includes(name.toLowerCase()));
  const values = CLIMATE[city];
  const name = city[0].toUpperCase() + city.slice(1);
  const said =
    month >= 0
      ? `In ${MONTHS[month]} the mean temperature in ${name} is ${values[month]} °C.`
      : `In ${name} the mean temperature lies between ${Math.min(...values)} and ${Math.max(...values)} °C over the year.`;
  const sources = [{ name: 'Climate table of the weather team', type: 'database', relevance: 0.9 }];
  return { answer: said, sources, confidence: month >= 0 ? 0.95 : 0.8 };
};

// --- Bytes, and the one form in which they are accepted (4.3) ---

const sha256 = (data) => createHash('sha256').update(data).digest('base64url');

/** Unpadded, without stray bits: what decodes must encode to the same text. */
const decode = (text) => {
  const bytes = Buffer.from(text, 'base64url');
  demand(bytes.toString('base64url') === text, 'is not base64url');
  return bytes;
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const parseCanonical = (bytes) => {
  try {
    const text = utf8.decode(bytes);
    const value = JSON.parse(text);
    if (isObject(value) && JSON.stringify(value) === text) return value;
  } catch {}
  throw new Refused('UNAUTHORIZED', 'is not canonical JSON');
};

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Why something is not accepted. The reason is for the log; callers get the code. */
class Refused extends Error {
  constructor(code, reason, caller) {
    super(reason);
    Object.assign(this, { code, caller });
  }
}

const demand = (condition, reason, code = 'UNAUTHORIZED') => {
  if (!condition) throw new Refused(code, reason);
};

// --- Keys and the directory (4.12) ---

/** Points of low order: with such a "key" anybody can make signatures that verify. Either sign, hence 14 encodings. */
const LOW_ORDER = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
]);

/** Who there is, and which key belongs to whom. Maps, so that no name such as `__proto__` means anything. */
const openDirectory = ({ exp = Infinity, librarians }) => {
  const entries = new Map(Object.entries(librarians));
  const keys = new Map();
  for (const [id, { keys: own }] of entries) {
    for (const { kid, x, nbf = 0, exp: until = Infinity } of own) {
      const point = decode(x);
      const sortable = Buffer.from(point);
      sortable[31] &= 0x7f;
      demand(
        point.length === 32 && !LOW_ORDER.has(sortable.toString('hex')),
        `key ${kid} is unusable`,
      );
      demand(!keys.has(kid), `kid ${kid} occurs twice`);
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      keys.set(kid, { owner: id, key, nbf, until });
    }
  }
  return { entries, keys, exp };
};

// --- A signed thing: header.claims.signature, with one header only (4.1) ---

const signJws = (claims, typ, me) => {
  const header = Buffer.from(`{"alg":"EdDSA","kid":"${KID}","typ":"${typ}"}`).toString('base64url');
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${sign(null, Buffer.from(signed), me.key).toString('base64url')}`;
};

const HEADER =
  /^\{"alg":"(?:EdDSA|Ed25519)","kid":"([a-z0-9._-]{1,64})","typ":"([a-z+-]{1,32})"\}$/;

const readJws = (text, typ) => {
  const parts = text.split('.');
  demand(parts.length === 3, 'has not three parts');
  const [header, claims, signature] = parts.map(decode);
  const [, kid, found] = HEADER.exec(header.toString('latin1')) ?? [];
  demand(found === typ, 'has another header');
  demand(signature.length === 64, 'has a signature that is not 64 bytes');
  return {
    text,
    kid,
    claims: parseCanonical(claims),
    signed: Buffer.from(`${parts[0]}.${parts[1]}`),
    signature,
  };
};

/** Step 4 for one thing: its key is known, belongs to its issuer, and counts at that time. */
const checkKey = ({ kid, claims }, { keys, entries }) => {
  const known = keys.get(kid);
  demand(known !== undefined && known.owner === claims.iss, 'has a key that is not its issuer’s');
  const { revokedBefore = 0 } = entries.get(claims.iss);
  demand(
    claims.iat >= Math.max(known.nbf, revokedBefore) && claims.iat < known.until,
    'has a key out of its window',
  );
};

const checkSignature = ({ kid, signed, signature }, { keys }) =>
  demand(verify(null, signed, keys.get(kid).key, signature), 'has a wrong signature');

// --- The chain of links (4.2) ---

const ID = /^[a-z0-9][a-z0-9._-]{0,47}$/;
const HASH = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const CAPABILITY = /^(?=.{1,64}$)(?:[a-z0-9_-]+(?::[a-z0-9_-]+)*(?::\*)?|\*)$/;
const isTime = (value) =>
  typeof value === 'number' && value > 0 && Math.round(value * 1000) / 1000 === value;
const fits = (pattern) => (value) => typeof value === 'string' && pattern.test(value);
const isBudget = (value) =>
  isObject(value) &&
  Object.keys(value).length <= 8 &&
  Object.values(value).every((n) => Number.isSafeInteger(n) && n >= 0);

/** What each claim has to be. A claim that is not here is refused. */
const COMMON = {
  iss: fits(ID),
  aud: fits(ID),
  hop: Number.isInteger,
  jti: fits(/^[0-9a-f]{16}$/),
  iat: isTime,
  exp: isTime,
  op: fits(/^[A-Z]{1,16} \/[\x21-\x7e]{0,2047}$/),
  bd: fits(HASH),
};
const ROOT = {
  ...COMMON,
  tid: fits(/^[0-9a-f]{32}$/),
  sub: fits(/^(?:user|svc|anon):[A-Za-z0-9._:-]{1,64}$/),
  ws: fits(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/),
  amr: fits(/^[a-z]{1,16}$/),
};
const LATER = { ...COMMON, prv: fits(HASH) };
/** Required in a root; a later link may say them to have less. */
const LIMITS = {
  max: (value) => Number.isInteger(value) && value >= 1 && value <= 8,
  cap: (value) => Array.isArray(value) && value.length <= 24 && value.every(fits(CAPABILITY)),
  bud: isBudget,
};

const checkClaims = (claims, hop) => {
  const required = hop === 0 ? { ...ROOT, ...LIMITS } : LATER;
  const known = { ...required, ...LIMITS, ext: isObject };
  for (const name of Object.keys(claims))
    demand(Object.hasOwn(known, name), 'has an unknown claim');
  for (const name of Object.keys(required)) demand(Object.hasOwn(claims, name), `lacks ${name}`);
  for (const [name, value] of Object.entries(claims))
    demand(known[name](value), `has a bad ${name}`);
  demand(claims.hop === hop && claims.iss !== claims.aud, 'stands at the wrong place');
  demand(
    claims.exp > claims.iat && Math.round((claims.exp - claims.iat) * 1000) <= 300_000,
    'lives too long',
  );
};

const covers = (held, wanted) =>
  held.some(
    (own) =>
      own === wanted || own === '*' || (own.endsWith(':*') && wanted.startsWith(own.slice(0, -1))),
  );

/** Verifies a received chain in the order of 4.5: cheap checks first, meaning only once all is authentic. */
const verifyChain = (token, { op, body, now, directory, seen }) => {
  demand(typeof token === 'string' && token.length <= 8192, 'is missing or too long'); // 1
  const texts = token.split('~');
  demand(texts.length <= 8, 'has more than 8 links', 'MAX_DEPTH_EXCEEDED');
  const links = texts.map((text, hop) => {
    const link = readJws(text, 'ctx+jwt'); // 2
    checkClaims(link.claims, hop);
    return link;
  });
  const last = links.at(-1);
  demand(
    last.claims.aud === SELF && last.claims.op === op,
    'is for another librarian or operation',
  ); // 3
  links.forEach(({ claims }, hop) => {
    demand(hop === 0 || claims.iss === links[hop - 1].claims.aud, 'has a gap');
  });
  demand(now < directory.exp * 1000, 'cannot be checked: the directory has expired');
  for (const link of links) checkKey(link, directory); // 4
  checkSignature(last, directory); // 5
  const hashes = texts.map(sha256);
  links.forEach(({ claims }, hop) => {
    demand(hop === 0 || claims.prv === hashes[hop - 1], 'has been cut'); // 6
  });
  for (const link of links.slice(0, -1)) checkSignature(link, directory); // 7
  const caller = { id: last.claims.iss, linkHash: hashes.at(-1) };
  try {
    demand(sha256(body) === last.claims.bd, 'is for another body'); // 8
    return { token, caller, ...checkMeaning(links, { now, directory, seen, caller }) };
  } catch (error) {
    // Whoever signed the call gets a receipt for the refusal as well, so that nobody on the way can make one up.
    if (error instanceof Refused) error.caller = caller;
    throw error;
  }
};

/** Steps 9 to 15: what the links, now authentic, may say. */
const checkMeaning = (links, { now, directory, seen, caller }) => {
  const root = links[0].claims;
  const [kind, subject] = [
    root.sub.slice(0, root.sub.indexOf(':')),
    root.sub.slice(root.sub.indexOf(':') + 1),
  ];
  const { origin = [], ws = [], cap = ['*'] } = directory.entries.get(root.iss);
  demand(kind !== 'user' || origin.includes('user'), 'has a root that may not speak for users'); // 9
  demand(kind !== 'svc' || subject === root.iss, 'has a service that speaks for another');
  demand(ws.includes('*') || ws.includes(root.ws), 'has a root outside its workspaces');
  demand(
    root.cap.every((wanted) => covers(cap, wanted)),
    'has a root that gives what it may not',
  );
  let held = root;
  for (const { claims } of links.slice(1)) {
    demand(claims.exp <= held.exp && claims.iat >= held.iat - 5, 'stretches time'); // 10
    demand((claims.max ?? held.max) <= held.max, 'stretches its length');
    demand(
      (claims.cap ?? []).every((wanted) => covers(held.cap, wanted)),
      'adds a capability',
    );
    for (const [name, amount] of Object.entries(claims.bud ?? {}))
      demand(amount <= (held.bud[name] ?? amount), 'adds budget');
    held = { ...held, ...claims, bud: { ...held.bud, ...claims.bud } };
  }
  for (const { claims } of links) demand(claims.iat * 1000 <= now + 5000, 'comes from the future'); // 11
  const remainingMs = Math.round(held.exp * 1000) - Math.max(now, Math.round(held.iat * 1000));
  demand(remainingMs > 0, 'comes too late', 'TIMEOUT');
  demand(now - held.iat * 1000 <= 60_000, 'is older than 60 s'); // 12
  demand(links.length <= held.max, 'is too long', 'MAX_DEPTH_EXCEEDED'); // 13
  const chain = links.map(({ claims }) => claims.iss);
  demand(
    !chain.includes(SELF) && new Set(chain).size === chain.length,
    'is a circle',
    'LOOP_DETECTED',
  ); // 14
  for (const [hash, until] of seen) if (until < now || seen.size > 10_000) seen.delete(hash); // 15
  demand(!seen.has(caller.linkHash), 'is a replay');
  seen.set(caller.linkHash, now + 65_000);
  return {
    chain,
    tid: root.tid,
    jti: held.jti,
    max: held.max,
    bud: held.bud,
    deadlineMs: now + remainingMs,
  };
};

// --- Calling others: a root of its own, or one more link on a received chain (4.4), and their receipts (4.13) ---

/** Asks another librarian. With `received` the chain is continued; without, it begins here, for this service itself. */
const callLibrarian = async (
  to,
  body,
  { me, directory, network, received, timeoutMs = 10_000 },
) => {
  const now = Date.now();
  const text = JSON.stringify(body);
  const hop = received?.chain.length ?? 0;
  demand(to !== SELF && !received?.chain.includes(to), 'would be a circle', 'LOOP_DETECTED');
  demand(hop + 1 <= (received?.max ?? 8), 'would be too long', 'MAX_DEPTH_EXCEEDED');
  // 50 ms are kept for the way back.
  const expMs = Math.floor(Math.min((received?.deadlineMs ?? Infinity) - 50, now + timeoutMs));
  demand(expMs > now, 'has no time left', 'TIMEOUT');
  // The call itself is paid out of what may be called below here; the rest is handed down (4.8).
  const { calls = 8, ...others } = received?.bud ?? {};
  demand(calls >= 1, 'has no calls left', 'DELEGATION_FAILED');
  const bud = { ...others, calls: calls - 1 };
  const path = `/librarians/${to}/ask`;
  const root = {
    tid: hex(16),
    sub: `svc:${SELF}`,
    ws: 'default',
    amr: 'key',
    max: 4,
    cap: ['kb:read'],
  };
  const own = received === undefined ? root : { prv: received.caller.linkHash };
  const times = { iat: now / 1000, exp: expMs / 1000 };
  const claims = {
    iss: SELF,
    aud: to,
    hop,
    jti: hex(8),
    ...times,
    op: `POST ${path}`,
    bd: sha256(text),
    bud,
    ...own,
  };
  const link = signJws(claims, 'ctx+jwt', me);
  const token = received === undefined ? link : `${received.token}~${link}`;
  demand(token.length <= 8192, 'would be too long', 'MAX_DEPTH_EXCEEDED');
  const response = await fetch(new URL(path, network), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Context-Token': token },
    body: text,
    redirect: 'manual',
    signal: AbortSignal.timeout(expMs - now),
  });
  const answer = Buffer.from(await response.arrayBuffer());
  const receipt = response.headers.get('Context-Receipt');
  const { use } = checkReceipt(receipt, {
    to,
    link,
    bud,
    status: response.status,
    answer,
    directory,
  });
  const reply = JSON.parse(answer);
  const outcome = reply.error?.code ?? (reply.partial ? 'partial' : 'answer');
  const spans = {
    spanId: claims.jti,
    ...(received === undefined ? {} : { parentSpanId: received.jti }),
  };
  const durationMs = Date.now() - now;
  // The link shows the origin that the receipt is for this very call; a root stays here: it tells who asks.
  const proof = { receipt, ...(received === undefined ? {} : { link }), verified: true };
  const step = { ...spans, from: SELF, to, durationMs, outcome, attempts: 1, ...proof };
  // What they do not speak of, ours does not either: then it counts as spent.
  const spent = { ...use, calls: 1 + (use.calls ?? 0) };
  return { status: response.status, reply, use: spent, receiptHash: sha256(receipt), step };
};

const hex = (bytes) => randomBytes(bytes).toString('hex');

/** Nothing in an answer counts before this has passed. */
const checkReceipt = (text, { to, link, bud, status, answer, directory }) => {
  demand(text !== null && text.length <= 4096, 'has no receipt');
  const receipt = readJws(text, 'ctx-receipt+jwt');
  const { iss, aud, req, st, bd, iat, use, sub } = receipt.claims;
  demand(
    Object.keys(receipt.claims).length === 8 && isTime(iat) && isBudget(use) && Array.isArray(sub),
    'is no receipt',
  );
  demand(iss === to && aud === SELF && req === sha256(link), 'is a receipt for another call');
  demand(st === status && bd === sha256(answer), 'is a receipt for another answer');
  demand(iat * 1000 <= Date.now() + 5000, 'is a receipt from the future');
  for (const [name, amount] of Object.entries(use))
    demand(amount <= (bud[name] ?? amount), 'used more than granted');
  checkKey(receipt, directory);
  checkSignature(receipt, directory);
  return receipt.claims;
};

// --- Its own door ---

const STATUS = {
  INVALID_QUERY: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  INTERNAL_ERROR: 500,
  DELEGATION_FAILED: 502,
  TIMEOUT: 504,
  LOOP_DETECTED: 508,
  MAX_DEPTH_EXCEEDED: 508,
};
const SUGGESTIONS = {
  INVALID_QUERY: 'Send {"query": "..."} with 1 to 4,000 characters',
  UNAUTHORIZED: 'Sign a fresh context for this librarian, this path and this body',
  NOT_FOUND: 'Ask about the weather in Lisbon, Oslo or Singapore',
};
const failure = (code) => {
  const message = `Cannot answer the call: ${code.toLowerCase().replaceAll('_', ' ')}`;
  const suggestion = SUGGESTIONS[code] ?? 'Ask again later, or ask another librarian';
  const recoverable = ['INTERNAL_ERROR', 'DELEGATION_FAILED', 'TIMEOUT'].includes(code);
  return {
    status: STATUS[code],
    reply: { error: { code, message, librarian: SELF, recoverable, suggestion } },
  };
};

/** Of calls, and of models, which nobody has here. A budget that a receipt leaves out counts as spent. */
const NOTHING_SPENT = { calls: 0, tokens: 0, cost_micros: 0 };

/** A question that came in a verified context -> the Response, its status, and the receipts that it rests on. */
const respond = async (body, received, parts) => {
  let request;
  try {
    request = JSON.parse(utf8.decode(body));
  } catch {}
  const query = isObject(request) && typeof request.query === 'string' ? request.query.trim() : '';
  if (query === '' || query.length > 4000) return failure('INVALID_QUERY');
  const own = answerTo(query);
  if (own !== undefined) return { status: 200, reply: own, use: NOTHING_SPENT };
  if (parts.network === undefined) return failure('NOT_FOUND');
  const asked = await callLibrarian(parts.handsOnTo, { query }, { ...parts, received });
  // What the answer says of its way, with our step before the steps below it: so the origin can check them all.
  const below = (asked.reply.metadata?.trace?.hops ?? []).map((hop) => ({
    ...hop,
    verified: false,
  }));
  const trace = { traceId: received.tid, hops: [asked.step, ...below] };
  const reply = { ...asked.reply, metadata: { ...asked.reply.metadata, trace } };
  return { status: asked.status, reply, use: asked.use, receipts: [asked.receiptHash] };
};

const MAX_BODY_BYTES = 262_144;

const readBody = async (request) => {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    demand(size <= MAX_BODY_BYTES, 'has a body that is too large', 'INVALID_QUERY');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** One request to `POST /librarians/partner.weather/ask`: the caller and the reply. Never throws. */
const handle = async (request, parts) => {
  let caller;
  try {
    const body = await readBody(request);
    const op = `POST ${request.url}`;
    const received = verifyChain(request.headers['context-token'], {
      op,
      body,
      now: Date.now(),
      ...parts,
    });
    caller = received.caller;
    return { caller, ...(await respond(body, received, parts)) };
  } catch (error) {
    // For the operators: a code and our own reason, never the question or the token.
    console.error(
      error instanceof Refused
        ? `${error.code}: the call ${error.message}`
        : `fault: ${error.name}`,
    );
    return { caller: caller ?? error.caller, ...failure(codeOf(error, caller)) };
  }
};

/** Once the call is accepted, what goes wrong lies further down the chain. */
const codeOf = (error, caller) => {
  if (error.name === 'TimeoutError') return 'TIMEOUT';
  if (error instanceof Refused && (caller === undefined || error.code !== 'UNAUTHORIZED'))
    return error.code;
  return caller === undefined ? 'INTERNAL_ERROR' : 'DELEGATION_FAILED';
};

const serve = (port, parts) => {
  const server = createServer(async (request, response) => {
    const send = (status, body, headers) =>
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
    const route = `${request.method} ${request.url}`;
    if (route === `GET /librarians/${SELF}`) {
      const { keys } = parts.directory.entries.get(SELF);
      return send(200, JSON.stringify({ ...INFO, access: 'signed', keys }));
    }
    if (route !== `POST /librarians/${SELF}/ask`)
      return send(404, JSON.stringify(failure('NOT_FOUND').reply));
    const {
      caller,
      status,
      reply,
      use = { calls: 0 },
      receipts = [],
    } = await handle(request, parts);
    const body = JSON.stringify(reply);
    if (caller === undefined) return send(status, body, { 'WWW-Authenticate': 'ContextToken' });
    const call = { iss: SELF, aud: caller.id, req: caller.linkHash };
    const receipt = {
      ...call,
      st: status,
      bd: sha256(body),
      iat: Date.now() / 1000,
      use,
      sub: receipts,
    };
    return send(status, body, { 'Context-Receipt': signJws(receipt, 'ctx-receipt+jwt', parts.me) });
  });
  server.listen(port, '127.0.0.1', () =>
    console.log(`ready http://127.0.0.1:${server.address().port}`),
  );
};

// --- The command line ---

const makeKeys = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  console.log(
    `WEATHER_KEY=${privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64url')}`,
  );
  const keys = [{ kid: KID, x: publicKey.export({ format: 'jwk' }).x }];
  // It may start contexts of its own, as svc:partner.weather, in one workspace, to read.
  console.log(
    JSON.stringify({ [SELF]: { keys, origin: ['svc'], ws: ['default'], cap: ['kb:read'] } }),
  );
};

const [command, ...args] = process.argv.slice(2);
if (command === 'keys') makeKeys();
else if (command === 'serve' || command === 'ask') {
  const {
    WEATHER_KEY = '',
    WEATHER_DIRECTORY = '',
    WEATHER_NETWORK,
    WEATHER_HANDS_ON_TO = 'navigator',
  } = process.env;
  const parts = {
    me: { key: createPrivateKey({ key: decode(WEATHER_KEY), format: 'der', type: 'pkcs8' }) },
    directory: openDirectory(JSON.parse(WEATHER_DIRECTORY)),
    network: WEATHER_NETWORK,
    handsOnTo: WEATHER_HANDS_ON_TO,
    seen: new Map(),
  };
  if (command === 'serve') serve(Number(args[0] ?? 0), parts);
  else console.log(JSON.stringify(await callLibrarian(args[0], { query: args[1] }, parts)));
} else console.log('node weather.mjs keys | serve [port] | ask <librarian> <question>');
