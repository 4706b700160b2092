import type { Bytes } from './base64url.ts';

/**
 * Reads a body up to a bound.
 *
 * @returns The bytes, without a copy where the length is known beforehand; `undefined` when there are more than `maxBytes`.
 */
export const readBody = async (message: Request | Response, maxBytes: number): Promise<Bytes | undefined> => {
  if (message.body === null) return new Uint8Array();
  const declared = message.headers.get('Content-Length');
  if (Number(declared) > maxBytes) return undefined;
  // What is encoded can be longer than it declares once it is read.
  if (declared !== null && message.headers.get('Content-Encoding') === null) {
    const bytes = new Uint8Array(await message.arrayBuffer());
    return bytes.length > maxBytes ? undefined : bytes;
  }
  return readStream(message.body, maxBytes);
};

const readStream = async (stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Bytes | undefined> => {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    length += part.value.length;
    if (length <= maxBytes) continue;
    await reader.cancel();
    return undefined;
  }
  return joined(parts, length);
};

const joined = (parts: Uint8Array[], length: number): Bytes => {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};
