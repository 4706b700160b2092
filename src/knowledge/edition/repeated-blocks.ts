import { parseBlocks } from '../../documents/markdown/blocks.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { PageSource } from './chunk-texts.ts';
import { attachSection } from './edition-format.ts';
import { type Edition, openEdition } from './open-edition.ts';

/** Name of the section that lists repeated blocks: 32-bit hashes, ascending. */
export const REPEATED_SECTION = 'answering.repeated';
/** Minimum number and minimum share of articles that make a block boilerplate. */
const REPEATED_IN = 4;
const REPEATED_SHARE = 0.01;
/** Chunks parsed; of a larger edition every second article, or every third, is read. */
const MAX_READ = 20_000;

/**
 * Records in an edition which blocks occur word for word in many of its articles ("Still need help?"): they are
 * boilerplate and never an answer.
 *
 * @param edition Must not be used afterwards.
 */
export function attachRepeatedBlocks(edition: Uint8Array, pages?: PageSource): Uint8Array {
  return attachSection(edition, REPEATED_SECTION, repeatedBlocksOf(openEdition(edition, pages)));
}

/** The bytes of the section. */
export function repeatedBlocksOf({
  chunkCount,
  articleCount,
  chunk,
  index: { articleOf },
}: Edition): Uint8Array {
  const stride = Math.ceil(chunkCount / MAX_READ);
  const seen = new Map<number, { articles: number; last: number }>();
  for (let index = 0; index < chunkCount; index++) {
    if (articleOf(index) % stride !== 0) continue;
    const { text, article } = chunk(index);
    for (const { start, end } of parseBlocks(text)) {
      const hash = hashOf(text.slice(start, end));
      const known = seen.get(hash);
      if (known === undefined) seen.set(hash, { articles: 1, last: article });
      else if (known.last !== article)
        Object.assign(known, { articles: known.articles + 1, last: article });
    }
  }
  const least = Math.max(REPEATED_IN, (REPEATED_SHARE * articleCount) / stride);
  const hashes = [...seen].filter(([, { articles }]) => articles >= least).map(([hash]) => hash);
  return new Uint8Array(Uint32Array.from(hashes.sort((a, b) => a - b)).buffer);
}

/** Returns a predicate: whether a block of Markdown is repeated in many articles of the edition. */
export const isRepeatedIn = oncePer((edition: Edition) => {
  const bytes = edition.section(REPEATED_SECTION);
  const hashes = new Set(bytes === undefined ? [] : new Uint32Array(bytes.slice().buffer));
  return (markdown: string): boolean => hashes.size > 0 && hashes.has(hashOf(markdown));
});

/** A 32-bit FNV-1a hash of a block's words; punctuation and white space do not matter. */
const hashOf = (markdown: string): number => {
  const text = markdown
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase();
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
};
