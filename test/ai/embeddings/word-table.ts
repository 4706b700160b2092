/** A table of word vectors as `openWordVectors` reads it: whole numbers from -8 to 7 by stem, each times the stem's scale. */
export function wordTable(
  stems: Readonly<Record<string, { scale: number; row: readonly number[] }>>,
): Uint8Array<ArrayBuffer> {
  const sorted = Object.entries(stems).sort(([left], [right]) => (left < right ? -1 : 1));
  const dimensions = sorted[0]?.[1].row.length ?? 0;
  const names = sorted.map(([name]) => name).join('');
  const header = new Uint8Array(16);
  header.set(new TextEncoder().encode('SWV1'));
  const view = new DataView(header.buffer);
  [sorted.length, dimensions, names.length].forEach((value, at) => {
    view.setUint32(4 + 4 * at, value, true);
  });
  const scales = Float32Array.from(sorted, ([, { scale }]) => scale);
  const pairs = sorted.flatMap(([, { row }]) =>
    row.flatMap((value, at) => (at % 2 === 0 ? [(value + 8) * 16 + (row[at + 1] ?? 0) + 8] : [])),
  );
  const parts = [header, new Uint8Array(scales.buffer), pairs, sorted.map(([name]) => name.length)];
  return Uint8Array.from([
    ...parts.flatMap((part) => [...part]),
    ...new TextEncoder().encode(names),
  ]);
}
