/** Tells what follows. It also keeps a value from being JSON, which some clients take for a number unasked. */
const FORM = 'f32:';

/** An embedding as text: base64 of its 32-bit floats, little-endian. 8 KB for 1,536 numbers, a quarter of a JSON array. */
export const encodeEmbedding = (embedding: readonly number[]): string => {
  const view = new DataView(new ArrayBuffer(embedding.length * 4));
  embedding.forEach((each, at) => {
    view.setFloat32(at * 4, each, true);
  });
  const bytes = new Uint8Array(view.buffer);
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return FORM + btoa(binary);
};

/** As many arguments as every engine takes. */
const CHUNK = 8192;

/** @returns `undefined` for anything but the embedding of so many finite numbers. */
export const decodeEmbedding = (text: unknown, dimensions: number): number[] | undefined => {
  if (typeof text !== 'string' || !text.startsWith(FORM)) return undefined;
  if (text.length !== FORM.length + 4 * Math.ceil((dimensions * 4) / 3)) return undefined;
  const binary = binaryOf(text.slice(FORM.length));
  if (binary?.length !== dimensions * 4) return undefined;
  const view = new DataView(new ArrayBuffer(binary.length));
  for (let at = 0; at < binary.length; at += 1) view.setUint8(at, binary.charCodeAt(at));
  const embedding = Array.from({ length: dimensions }, (_, at) => view.getFloat32(at * 4, true));
  return embedding.every(Number.isFinite) ? embedding : undefined;
};

const binaryOf = (text: string): string | undefined => {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
};
