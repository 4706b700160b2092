/** Short texts one behind the other, each led by its length in bytes as a varint. */
export const encodeStrings = (strings: readonly string[]): Uint8Array => {
  const encoder = new TextEncoder();
  const parts = strings.map((text) => encoder.encode(text));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length + 5, 0));
  let at = 0;
  for (const part of parts) {
    let rest = part.length;
    for (; rest >= 128; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
    bytes[at++] = rest;
    bytes.set(part, at);
    at += part.length;
  }
  return bytes.slice(0, at);
};

/** Reads back what `encodeStrings` wrote; damaged bytes give other texts, never more than there are bytes. */
export const decodeStrings = (bytes: Uint8Array): string[] => {
  const decoder = new TextDecoder();
  const strings: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    let length = 0;
    let shift = 0;
    let byte = 128;
    for (; byte >= 128 && shift < 35 && at < bytes.length; shift += 7) {
      byte = bytes[at++] ?? 0;
      length += (byte & 127) * 2 ** shift;
    }
    strings.push(decoder.decode(bytes.subarray(at, at + length)));
    at += length;
  }
  return strings;
};
