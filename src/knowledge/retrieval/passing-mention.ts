import type { QueryTerm } from '../../search/analyse-query.ts';
import { articleAtHand, chunkAtHand } from '../../search/chunks-at-hand.ts';
import type { Edition } from '../../search/open-edition.ts';
import type { SearchHit } from '../../search/search-edition.ts';
import { wordsOf } from '../../text/analyse-text.ts';
import { stem } from '../../text/stem.ts';

/** How a passage holds what was asked. */
export interface Mention {
  /** Of what was asked, what its title and headings hold: the weight of the words. */
  headIdf: number;
  /** Of what it holds, the share that stands only in the name of another page that it refers to; 0 to 1. */
  referred: number;
}

/** Looks whether a passage is about what was asked, or only mentions it. */
export const mentionIn = (
  edition: Edition,
  { chunk, article, matched, matchedIdf }: SearchHit,
  terms: readonly QueryTerm[],
): Mention => {
  const { headingPath, text } = chunkAtHand(edition, chunk);
  const head = stemsOf([articleAtHand(edition, article).title, ...headingPath].join('\n'));
  const held = matched.flatMap((place) => terms[place] ?? []);
  const weightOf = (some: readonly QueryTerm[]) => some.reduce((sum, { idf }) => sum + idf, 0);
  const headIdf = weightOf(held.filter((term) => head.has(term.stem)));
  const own = withoutReferences(text);
  if (own === text || matchedIdf <= 0) return { headIdf, referred: 0 };
  const [all, left] = [stemsOf(text), stemsOf(own)];
  const lost = held.filter(({ stem: each }) => all.has(each) && !left.has(each) && !head.has(each));
  return { headIdf, referred: Math.min(1, weightOf(lost) / matchedIdf) };
};

const stemsOf = (text: string): ReadonlySet<string> => new Set(wordsOf(text).map(stem));

/** "See *Give the device a static IP address*": a name in marks of emphasis, in quotes or as a link, and further ones behind it. */
const REFERENCE =
  /(?<!\p{L})(?:see(?: also)?|refer to|described (?:in|under|on)|explained (?:in|under|on)|siehe(?: auch)?|beschrieben (?:in|unter)|voir(?: aussi)?|véase|consulte|vedi|zie(?: ook)?)[ :]{1,2}(?:\p{L}{1,12} ){0,3}(?:(?:, | and | or | und | oder | et | y | e | en )?(?:\*{1,2}[^*\n]{3,150}\*{1,2}|_[^_\n]{3,150}_|“[^”\n]{3,150}”|"[^"\n]{3,150}"|«[^»\n]{3,150}»|\[[^\]\n]{3,150}\]\([^)\s]{1,500}\))){1,4}/giu;

const withoutReferences = (text: string): string =>
  text.slice(0, MAX_READ).replace(REFERENCE, ' ') + text.slice(MAX_READ);
const MAX_READ = 8000;
