import { describe, expect, it } from 'vitest';
import { openClassifier } from '../../../src/support/intents/classifier.ts';
import {
  checksumOf,
  contentHash,
  HEADER,
  hashText,
  InvalidModel,
  layoutOf,
} from '../../../src/support/intents/packed-model.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';
import { smallTaxonomy } from './small-taxonomy.ts';

const taxonomy = smallTaxonomy();
const packed = trainClassifier(taxonomy);

/** The packed model with changed 32-bit numbers and a matching checksum. */
const resealed = (change: (numbers: Uint32Array) => void): Uint8Array => {
  const bytes = packed.slice();
  const numbers = new Uint32Array(bytes.buffer);
  change(numbers);
  numbers[HEADER.checksum] = checksumOf(numbers);
  return bytes;
};

const opening = (bytes: Uint8Array, of = taxonomy) => openClassifier.bind(undefined, bytes, of);

describe('a packed model', () => {
  it('works at any offset of a buffer', () => {
    const padded = new Uint8Array(packed.length + 3);
    padded.set(packed, 3);
    const shifted = openClassifier(padded.subarray(3), taxonomy);
    const own = openClassifier(packed, taxonomy);
    for (const text of ['Where is my parcel?', 'loud fan', 'nonsense'])
      expect(shifted.classify(text)).toEqual(own.classify(text));
  });
  it('is not changed by use', () => {
    const before = packed.slice();
    openClassifier(packed, taxonomy).classify('Where is my parcel?');
    expect(packed).toEqual(before);
  });
  it('opens after changes of the taxonomy that do not affect training', () => {
    const [first, ...rest] = taxonomy.intents;
    const changed = { ...first, reply_template: 'Another text', devices: ['Apollo'] } as (typeof rest)[number];
    expect(opening(packed, { ...taxonomy, name: 'Renamed', intents: [changed, ...rest] })).not.toThrow();
  });
  it.each([
    ['another example', { examples: ['One more'] }],
    ['another title', { title: 'Something else' }],
    ['a description', { description: 'It has one now' }],
    ['another id', { id: 'freight' }],
    ['another out-of-scope example', {}, ['Spam']],
  ])('is refused by a taxonomy with %s', (_, change, out_of_scope_examples: string[] = []) => {
    const [first, ...rest] = taxonomy.intents;
    const intents = [{ ...first, ...change } as (typeof rest)[number], ...rest];
    const refusal = new InvalidModel('Cannot open the trained model: it was trained from another taxonomy');
    expect(opening(packed, { ...taxonomy, intents, out_of_scope_examples })).toThrow(refusal);
  });
  it.each([
    ['nothing', new Uint8Array(0)],
    ['a text', new TextEncoder().encode('not a model at all, but long enough to be taken for one by its length')],
    ['its first half', packed.slice(0, (packed.length >> 3) << 2)],
    ['one with trailing bytes', Uint8Array.of(...packed, 0, 0, 0, 0)],
    ['another version', resealed((numbers) => numbers.set([99], HEADER.version))],
    ['one with too many features in its header', resealed((numbers) => numbers.set([1_000_000], HEADER.features))],
    ['one whose numbers overflow', resealed((numbers) => numbers.set([0xffffffff], HEADER.weights))],
    ['a threshold that is not a number', resealed((numbers) => numbers.set([0x7fc00000], HEADER.threshold))],
  ])('is refused when it is %s', (_, bytes) => {
    expect(opening(bytes)).toThrow(InvalidModel);
  });
  it('is refused when any byte is changed', () => {
    for (let at = 0; at < packed.length; at += Math.ceil(packed.length / 300)) {
      const bytes = packed.slice();
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      expect(opening(bytes), `byte ${at}`).toThrow(InvalidModel);
    }
  });
  it('is refused when its parts do not fit together despite a valid checksum', () => {
    const { starts } = layoutOf(new Uint32Array(packed.buffer, 0, 16));
    for (const part of ['stemStarts', 'weightStarts'] as const) {
      const bytes = resealed((numbers) => numbers.set([0xffffff], starts[part] / 4 + 1));
      expect(opening(bytes), part).toThrow('its parts do not fit together');
    }
  });
});

describe('contentHash()', () => {
  it('is 16 hex digits, and deterministic', () => {
    expect(hashText(contentHash(taxonomy))).toMatch(/^[0-9a-f]{16}$/);
    expect(contentHash(smallTaxonomy())).toEqual(contentHash(taxonomy));
  });
  it('depends on the boundaries between texts', () => {
    const of = (examples: string[]) =>
      hashText(contentHash({ intents: [{ id: 'a', title: 'b', examples }], out_of_scope_examples: [] }));
    expect(new Set([of(['ab', 'c']), of(['a', 'bc']), of(['abc']), of(['abc', '']), of(['', 'abc'])]).size).toBe(5);
  });
});
