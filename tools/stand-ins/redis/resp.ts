/** A reply of Redis, with what client libraries hide: whether a text was a status, and errors inside of lists. */
export type RedisReply =
  | { kind: 'status'; text: string }
  | { kind: 'error'; text: string }
  | { kind: 'integer'; value: number }
  | { kind: 'bulk'; bytes: Buffer }
  | { kind: 'nil' }
  | { kind: 'array'; items: RedisReply[] };

/** A command as an array of bulk strings (RESP2). */
export function encodeCommand(parts: readonly (string | Buffer)[]): Buffer {
  const pieces: Buffer[] = [Buffer.from(`*${parts.length}\r\n`)];
  for (const part of parts) {
    const bytes = Buffer.from(part);
    pieces.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(pieces);
}

/** Takes bytes as they arrive, and hands over each reply once it is whole. */
export function createReplyReader(onReply: (reply: RedisReply) => void) {
  let chunks: Buffer[] = [];
  let length = 0;
  let needed = 1;
  return (chunk: Buffer): void => {
    chunks.push(chunk);
    length += chunk.length;
    if (length < needed) return; // A long text arrives in many pieces; it is joined once.
    const bytes = Buffer.concat(chunks);
    let at = 0;
    needed = 1;
    while (at < bytes.length) {
      const read = readReply(bytes, at);
      if ('needed' in read) {
        needed = read.needed - at;
        break;
      }
      at = read.end;
      onReply(read.reply);
    }
    chunks = at < bytes.length ? [bytes.subarray(at)] : [];
    length = bytes.length - at;
  };
}

/** The reply that begins at a place, or how many bytes there have to be before it is worth another try. */
type Read = { reply: RedisReply; end: number } | { needed: number };

const readReply = (bytes: Buffer, start: number): Read => {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd < 0) return { needed: bytes.length + 1 };
  const kind = String.fromCharCode(bytes[start] ?? 0);
  const text = bytes.toString('utf8', start + 1, lineEnd);
  const end = lineEnd + 2;
  if (kind === '+') return { reply: { kind: 'status', text }, end };
  if (kind === '-') return { reply: { kind: 'error', text }, end };
  const value = Number(text);
  if (kind === ':') return { reply: { kind: 'integer', value }, end };
  if (value < 0) return { reply: { kind: 'nil' }, end };
  if (kind === '$') {
    const after = end + value + 2;
    if (after > bytes.length) return { needed: after };
    return { reply: { kind: 'bulk', bytes: bytes.subarray(end, end + value) }, end: after };
  }
  if (kind !== '*')
    throw new Error(`Cannot read a reply of Redis that begins with ${JSON.stringify(kind)}`);
  return readItems(bytes, end, value);
};

const readItems = (bytes: Buffer, start: number, count: number): Read => {
  const items: RedisReply[] = [];
  let at = start;
  while (items.length < count) {
    const read = readReply(bytes, at);
    if ('needed' in read) return read;
    items.push(read.reply);
    at = read.end;
  }
  return { reply: { kind: 'array', items }, end: at };
};
