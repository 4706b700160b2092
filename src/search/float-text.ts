import { DataSourceError } from '../runtime/error-info-of.ts';

/** A vector as text: base64 of its 32-bit floats, little-endian. A quarter of a list of numbers. */
export const floatText = (vector: readonly number[]): string => {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  vector.forEach((each, at) => {
    view.setFloat32(at * 4, each, true);
  });
  let binary = '';
  for (const byte of new Uint8Array(view.buffer)) binary += String.fromCharCode(byte);
  return btoa(binary);
};

/** @throws {DataSourceError} For anything but so many finite numbers. */
export const floatsOf = (text: string, dimensions: number): number[] => {
  const binary = /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? atob(text) : '';
  const view = new DataView(Uint8Array.from(binary, (sign) => sign.charCodeAt(0)).buffer);
  const numbers = Array.from({ length: binary.length >> 2 }, (_, at) => view.getFloat32(at * 4, true));
  if (binary.length !== dimensions * 4 || !numbers.every(Number.isFinite))
    throw new DataSourceError('Cannot read a vector: it has another form');
  return numbers;
};
