import { CHUNK_NUMBERS, type FieldLengths } from './collect-words.ts';
import { numbersView, postingView } from './edition-views.ts';
import { FULL_IMPACT, RANKING } from './ranking.ts';
import { varintReader } from './read-varints.ts';
import { entryBytes, openTextTable } from './text-table.ts';

/**
 * The second half of building: from the chunks' word numbers to the postings, term by term and chunk by chunk, each with
 * the share of its term's full weight that the chunk earns (BM25F, docs/edition-format.md).
 *
 * @param sections The edition's sections, all but postings and texts written.
 */
export const fillPostings = (lengths: FieldLengths, sections: ReadonlyMap<string, Uint8Array>): void => {
  const view = (name: string): Uint32Array => numbersView(sections.get(name));
  const wordTerms = view('word.terms');
  const chunks = view('chunks');
  const impacts = sections.get('posting.impacts') ?? new Uint8Array(0);
  const postingChunks = postingView(sections.get('posting.chunks'), impacts.length);
  const next = view('posting.starts').slice();
  const frequencies = new Float64Array(next.length);
  const fields = fieldsOf(lengths, sections);
  for (let chunk = 0; chunk * CHUNK_NUMBERS < chunks.length; chunk++) {
    const terms: number[] = [];
    for (const { weight, meanLength, words } of fields) {
      const numbers = words(chunk);
      const share = weight / (1 - RANKING.b + (RANKING.b * numbers.length) / meanLength);
      for (const word of numbers) {
        const term = wordTerms[word] ?? 0;
        if (frequencies[term] === 0) terms.push(term);
        frequencies[term] = (frequencies[term] ?? 0) + share;
      }
    }
    for (const term of terms) {
      const place = next[term] ?? 0;
      postingChunks[place] = chunk;
      impacts[place] = impactOf(frequencies[term] ?? 0);
      next[term] = place + 1;
      frequencies[term] = 0;
    }
  }
};

const impactOf = (frequency: number): number =>
  Math.max(1, Math.round((FULL_IMPACT * frequency) / (frequency + RANKING.k1)));

interface Field {
  weight: number;
  meanLength: number;
  /** The word numbers of a chunk in this field; valid until the next call. */
  words: (chunk: number) => Uint32Array;
}

const fieldsOf = (lengths: FieldLengths, sections: ReadonlyMap<string, Uint8Array>): Field[] => {
  const chunks = numbersView(sections.get('chunks'));
  const chunkCount = Math.max(1, chunks.length / CHUNK_NUMBERS);
  const field = (name: string, weight: number, length: number, entryOf: (chunk: number) => number): Field => {
    const bytes = sections.get(name) ?? new Uint8Array(0);
    const table = openTextTable(numbersView(sections.get(`${name}.starts`)), bytes);
    const read = varintReader();
    return {
      weight,
      meanLength: Math.max(1, length / chunkCount),
      words: (chunk) => read(entryBytes(table, entryOf(chunk))),
    };
  };
  const articleOf = (chunk: number): number => chunks[chunk * CHUNK_NUMBERS] ?? 0;
  return [
    field('titleWords', RANKING.title, lengths.title, articleOf),
    field('labelWords', RANKING.label, lengths.label, articleOf),
    field('headingWords', RANKING.heading, lengths.heading, (chunk) => chunks[chunk * CHUNK_NUMBERS + 4] ?? 0),
    field('chunkWords', RANKING.body, lengths.body, (chunk) => chunk),
  ];
};
