import type { Bytes } from './base64url.ts';

/**
 * Reads a body up to a bound. A declared length saves reading what is too long; it is never relied on, since a Worker
 * behind a service binding can send more than it declares.
 *
 * @returns The bytes, backed by memory of their own; `undefined` when there are more than `maxBytes`.
 */
export const readBody = async (message: Request | Response, maxBytes: number): Promise<Bytes | undefined> => {
  const { body, headers } = message;
  if (body === null) return new Uint8Array();
  if (Number(headers.get('Content-Length')) > maxBytes) {
    discard(body);
    return undefined;
  }
  return readStream(body, maxBytes);
};

/** Gives up a body that nobody reads, so that whoever sends it stops. */
export const discard = (body: ReadableStream | null): void => void body?.cancel().catch(() => undefined);

const readStream = async (stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Bytes | undefined> => {
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
  return joined(parts, length);
};

const joined = (parts: readonly Uint8Array[], length: number): Bytes => {
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && ownsItsMemory(only)) return only;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

const ownsItsMemory = (part: Uint8Array): part is Bytes =>
  part.buffer instanceof ArrayBuffer && part.buffer.byteLength === part.length;
