import { describe, expect, it } from 'vitest';
import { openClassifier } from '../../../src/support/intents/classifier.ts';
import { contentHash, InvalidModel, vectorOf } from '../../../src/support/intents/intent-model.ts';
import { trainClassifier } from '../../../src/support/intents/train-classifier.ts';
import { smallTaxonomy, withFirstIntent } from './small-taxonomy.ts';

const taxonomy = smallTaxonomy();
const packed = trainClassifier(taxonomy);
const end = packed.indexOf(10);

/** The packed model with members of its header changed. */
const withHeader = (change: object): Uint8Array => {
  const header: object = JSON.parse(new TextDecoder().decode(packed.subarray(0, end)));
  const line = new TextEncoder().encode(`${JSON.stringify({ ...header, ...change })}\n`);
  return Uint8Array.of(...line, ...packed.subarray(end + 1));
};
const opening =
  (bytes: Uint8Array, of = taxonomy) =>
  () =>
    openClassifier(bytes, of);

describe('a packed model', () => {
  it('works at any offset of a buffer, and is not changed by use', () => {
    const padded = new Uint8Array(packed.length + 3);
    padded.set(packed, 3);
    const shifted = openClassifier(padded.subarray(3), taxonomy);
    const own = openClassifier(packed, taxonomy);
    for (const text of ['Where is my parcel?', 'loud fan', 'nonsense'])
      expect(shifted.classify(text)).toEqual(own.classify(text));
    expect(padded.subarray(3)).toEqual(packed);
  });
  it('opens after changes of the taxonomy that do not affect training', () => {
    const changed = withFirstIntent(
      { reply_template: 'Another text', devices: ['Apollo'] },
      { name: 'Renamed' },
    );
    expect(opening(packed, changed)).not.toThrow();
  });
  it.each([
    ['another example', { examples: ['One more'] }],
    ['another title', { title: 'Something else' }],
    ['a description', { description: 'It has one now' }],
    ['another id', { id: 'freight' }],
    ['another out-of-scope example', {}, { out_of_scope_examples: ['Spam'] }],
    ['another language', {}, { language: 'de' }],
  ])('is refused by a taxonomy with %s', (_, change, changes: object = {}) => {
    const refusal = new InvalidModel(
      'Cannot open the trained model: it was trained from another taxonomy',
    );
    expect(opening(packed, withFirstIntent(change, changes))).toThrow(refusal);
  });
  it.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(0), 'no trained model'],
    ['a text', new TextEncoder().encode('not a model\nat all'), 'no trained model'],
    ['its first half', packed.slice(0, packed.length >> 1), 'not as long'],
    ['one with trailing bytes', Uint8Array.of(...packed, 0, 0, 0, 0), 'not as long'],
    ['another version', withHeader({ version: 99 }), 'no trained model of this version'],
    ['one without a threshold', withHeader({ threshold: null }), 'no trained model'],
    ['one of other intents', withHeader({ biases: [0] }), 'not as long'],
    ['one with words of no text', withHeader({ words: 1 }), 'no trained model'],
  ])('is refused when it is %s', (_, bytes, message) => {
    expect(opening(bytes)).toThrow(InvalidModel);
    expect(opening(bytes)).toThrow(message);
  });
});

describe('contentHash()', () => {
  it('is 16 hex digits, and deterministic', () => {
    expect(contentHash(taxonomy)).toMatch(/^[0-9a-f]{16}$/);
    expect(contentHash(smallTaxonomy())).toEqual(contentHash(taxonomy));
  });
  it('depends on the boundaries between texts', () => {
    const hashes = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['', 'abc']].map((examples) =>
      contentHash({ intents: [{ id: 'a', title: 'b', examples }], out_of_scope_examples: [] }),
    );
    expect(new Set(hashes).size).toBe(5);
  });
});

describe('vectorOf()', () => {
  const table = { hashes: Uint32Array.of(7, 8, 9), gains: Float32Array.of(3, 4, 1) };
  it('scales each block that has features of the table to the same length', () => {
    const blocks = [Uint32Array.of(7, 8, 1), Uint32Array.of(9), Uint32Array.of(2)];
    const { places, values } = vectorOf({ blocks }, table);
    expect(places).toEqual([0, 1, 2]);
    expect(values.map((value) => value * Math.SQRT2)).toEqual([
      expect.closeTo(0.6, 6),
      expect.closeTo(0.8, 6),
      expect.closeTo(1, 6),
    ]);
  });
});
