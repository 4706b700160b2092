/** The first four bytes of a packed model, read as a little-endian number: `CIN1`. */
export const MODEL_MAGIC = 0x314e4943;
/** Rises when features, weights or layout change: an older model is trained again. */
export const MODEL_VERSION = 1;
/** Numbers of four bytes before the sections. */
export const HEADER_LENGTH = 16;

/** Places of the header. */
export const HEADER = {
  magic: 0,
  version: 1,
  /** Two halves of the hash of what it was trained from. */
  contentHigh: 2,
  contentLow: 3,
  /** Of everything behind it. */
  checksum: 4,
  intents: 5,
  features: 6,
  weights: 7,
  stems: 8,
  /** Pairs of stem and intent. */
  stemIntents: 9,
  words: 10,
  /** Bytes of the words, in UTF-8, each ended by a line feed. */
  wordBytes: 11,
  examples: 12,
  /** Bits of a Float32: below this confidence a message is of no intent. */
  threshold: 13,
} as const;

/** Where the weights of every so manieth feature begin is written down; in between, counts are added up. */
export const WEIGHT_STEP = 16;

/** Section -> [bytes of an entry, number of entries]. Those with wider entries come first, so that all are aligned. */
export const sectionsOf = (header: Uint32Array) => {
  const count = (name: keyof typeof HEADER): number => header[HEADER[name]] ?? 0;
  return {
    biases: [4, count('intents')],
    /** What a weight of 1 stands for, by intent. */
    scales: [4, count('intents')],
    hashes: [4, count('features')],
    weightStarts: [4, Math.ceil(count('features') / WEIGHT_STEP) + 1],
    stemHashes: [4, count('stems')],
    stemRarity: [4, count('stems')],
    stemStarts: [4, count('stems') + 1],
    wordCounts: [4, count('words')],
    gains: [1, count('features')],
    weightCounts: [1, count('features')],
    weightIntents: [1, count('weights')],
    weights: [1, count('weights')],
    stemIntents: [1, count('stemIntents')],
    wordBytes: [1, count('wordBytes')],
  } as const satisfies Record<string, readonly [number, number]>;
};

export type SectionName = keyof ReturnType<typeof sectionsOf>;

/** Where each section begins and how long all are, in bytes; the whole is filled up to a multiple of four. */
export const layoutOf = (header: Uint32Array): { starts: Record<SectionName, number>; byteLength: number } => {
  let at = HEADER_LENGTH * 4;
  const starts = Object.entries(sectionsOf(header)).map(([name, [size, count]]) => {
    const start = at;
    at += size * count;
    return [name, start] as const;
  });
  // Object.fromEntries forgets the names of the keys, which are those of the table above.
  return { starts: Object.fromEntries(starts) as Record<SectionName, number>, byteLength: Math.ceil(at / 4) * 4 };
};

/**
 * FNV-1a by numbers of four bytes, of everything behind the checksum; what stands before it is compared by itself. Four sums of
 * every fourth number go side by side, which a processor does in half of the time of one.
 */
export const checksumOf = (numbers: Uint32Array): number => {
  let [first, second, third, fourth] = [1, 2, 3, 4];
  let at = HEADER.checksum + 1;
  for (; at + 3 < numbers.length; at += 4) {
    first = Math.imul(first ^ (numbers[at] as number), FNV_PRIME);
    second = Math.imul(second ^ (numbers[at + 1] as number), FNV_PRIME);
    third = Math.imul(third ^ (numbers[at + 2] as number), FNV_PRIME);
    fourth = Math.imul(fourth ^ (numbers[at + 3] as number), FNV_PRIME);
  }
  let sum = first;
  for (const part of [second, third, fourth, ...numbers.subarray(at)]) sum = Math.imul(sum ^ part, FNV_PRIME);
  return sum >>> 0;
};

const FNV_PRIME = 0x01000193;
