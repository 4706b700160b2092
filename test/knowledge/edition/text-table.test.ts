import { Buffer } from 'node:buffer';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  compareByBytes,
  entryText,
  findEntry,
  openTextTable,
  placesOf,
} from '../../../src/knowledge/edition/text-table.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const open = (...starts: number[]) =>
  openTextTable(Uint32Array.from(starts), bytesOf('armboardfan'));

it('openTextTable() returns every entry, nothing outside the table, and finds existing entries', () => {
  const table = open(0, 3, 8, 11);
  expect([-1, 0, 1, 2, 3].map((at) => entryText(table, at))).toEqual([
    '',
    'arm',
    'board',
    'fan',
    '',
  ]);
  expect(['arm', 'fan', 'fa'].map((key) => findEntry(table, bytesOf(key)))).toEqual([0, 2, -1]);
});

it.each([[[]], [[1, 11]], [[0, 3]], [[0, 12]]])(
  'openTextTable() refuses starts from %j',
  (starts) => {
    expect(() => open(...starts)).toThrow(/Cannot read the edition/);
  },
);

it.each([
  [[0, 8, 3, 11], 1],
  [[0, 99, 8, 11], 0],
  [[0, 4_000_000_000, 8, 11], 1],
])(
  'openTextTable() refuses, for the starts %j, to read entry %j with an invalid end',
  (starts, at) => {
    const table = open(...starts);
    expect(() => entryText(table, at)).toThrow(/Cannot read the edition/);
    expect(() => findEntry(table, bytesOf('board'))).toThrow(/Cannot read the edition/);
  },
);

it('compareByBytes() orders texts by their UTF-8 bytes, where plain comparison does not', () => {
  expect(['\u{1f600}', '\uff5e', 'é', 'e'].sort(compareByBytes)).toEqual([
    'e',
    'é',
    '\uff5e',
    '\u{1f600}',
  ]);
  const character = fc.constantFrom(
    'a',
    'é',
    '\ud7ff',
    '\ue000',
    '\uff5e',
    '\u{10000}',
    '\u{1f600}',
  );
  const text = fc.string({ unit: character, maxLength: 4 });
  const property = fc.property(text, text, (left, right) => {
    expect(Math.sign(compareByBytes(left, right))).toBe(
      Buffer.compare(Buffer.from(left), Buffer.from(right)),
    );
  });
  fc.assert(property, { numRuns: 500 });
});

it('placesOf() finds each entry of one sorted table in another', () => {
  const tableOf = (texts: readonly string[]) => {
    const sorted = [...new Set(texts)].sort(compareByBytes);
    const ends = sorted.map((_, at) => bytesOf(sorted.slice(0, at + 1).join('')).length);
    return { sorted, table: openTextTable(Uint32Array.of(0, ...ends), bytesOf(sorted.join(''))) };
  };
  const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }));
  fc.assert(
    fc.property(texts, texts, (some, others) => {
      const own = tableOf(some);
      const all = tableOf([...others, ...some.slice(1)]);
      const places = own.sorted.map((text) => all.sorted.indexOf(text));
      expect([...placesOf(own.table, all.table)]).toEqual(places);
    }),
  );
});
