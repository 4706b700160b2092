/** A vector as text: its numbers as 32-bit floats, little end first, in base64. */
export const writeVector = (vector: readonly number[]): string => {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [at, value] of vector.entries()) view.setFloat32(at * 4, value, true);
  let text = '';
  for (const byte of new Uint8Array(view.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
};

export const readVector = (text: string): number[] => {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => view.getFloat32(at * 4, true));
};

/** -1 to 1; 0 where one is all zeros, or they are of different length. */
export const cosine = (one: readonly number[], other: readonly number[]): number => {
  if (one.length !== other.length) return 0;
  let product = 0;
  let squares = 0;
  let otherSquares = 0;
  for (let at = 0; at < one.length; at++) {
    const a = one[at] ?? 0;
    const b = other[at] ?? 0;
    product += a * b;
    squares += a * a;
    otherSquares += b * b;
  }
  const length = Math.sqrt(squares * otherSquares);
  return length === 0 ? 0 : product / length;
};
