import { CodedError } from './coded-error.ts';

/** Bytes that WebCrypto accepts: with memory of their own. */
type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Reads a body of limited size. A body with a declared length is read in one piece; the length is not trusted, since a Worker behind a
 * service binding can send more than it declares.
 *
 * @returns The bytes, backed by memory of their own; `undefined` when there are more than `maxBytes`, or than declared.
 * @throws {CodedError} TIMEOUT when a caller leaves before its body is complete: its fault, and none of ours.
 */
export async function readBody(
  message: Request | Response,
  maxBytes: number,
): Promise<Bytes | undefined> {
  try {
    return await readMessage(message, maxBytes);
  } catch (error) {
    if (!(message instanceof Request)) throw error;
    throw new CodedError('TIMEOUT', 'the caller left before its body was complete', {
      cause: error,
    });
  }
}

const readMessage = async (
  message: Request | Response,
  maxBytes: number,
): Promise<Bytes | undefined> => {
  const { body, headers } = message;
  if (body === null) return new Uint8Array();
  const declared = headers.get('Content-Length');
  const length = Number(declared);
  if (length > maxBytes) {
    discard(body);
    return undefined;
  }
  // The length of an encoded body is not that of its content.
  const isExact = declared !== null && length >= 0 && headers.get('Content-Encoding') === null;
  const reader = isExact ? byteReaderOf(body) : undefined;
  return reader === undefined ? readStream(body, maxBytes) : readDeclared(reader, length);
};

/** BYOB reader of Cloudflare Workers. */
interface ByteReader {
  /** Returns less than `minBytes` only at the end of the stream. */
  readAtLeast(minBytes: number, view: Uint8Array): Promise<{ value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

const hasByteReaders =
  typeof ReadableStreamBYOBReader === 'function' &&
  'readAtLeast' in ReadableStreamBYOBReader.prototype;

/** Undefined for streams that are not byte streams: bodies from the network or a binding are, bodies made in code may not be. */
const byteReaderOf = (stream: ReadableStream<Uint8Array>): ByteReader | undefined => {
  if (!hasByteReaders) return undefined;
  try {
    // Checked above; the standard types do not have the method.
    return stream.getReader({ mode: 'byob' }) as unknown as ByteReader;
  } catch {
    return undefined;
  }
};

/** One read, with room for one byte more than declared: reading chunk by chunk takes about 50 µs more CPU for a usual reply. */
const readDeclared = async (reader: ByteReader, length: number): Promise<Bytes | undefined> => {
  const { value } = await reader.readAtLeast(length + 1, new Uint8Array(length + 1));
  if (value === undefined || value.length <= length) return new Uint8Array(value ?? []);
  void reader.cancel().catch(() => undefined);
  return undefined;
};

/** Cancels a body that is not read, so that the sender stops. */
export function discard(body: ReadableStream | null): void {
  void body?.cancel().catch(() => undefined);
}

const readStream = async (
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Bytes | undefined> => {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    length += part.value.length;
    if (length <= maxBytes) continue;
    void reader.cancel().catch(() => undefined);
    return undefined;
  }
  return joinBytes(parts, length);
};

/** The parts in one piece. */
export function joinBytes(parts: readonly Uint8Array[], length: number): Bytes {
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && ownsItsMemory(only)) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const ownsItsMemory = (part: Uint8Array): part is Bytes =>
  part.buffer instanceof ArrayBuffer && part.buffer.byteLength === part.length;
