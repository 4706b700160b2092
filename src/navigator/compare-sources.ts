import {
  differenceOf,
  overlapOf,
  SAME_PATTERN,
  type Statement,
  statementsOf,
} from '../grounding/compare-statements.ts';
import { sectionOfChunk } from '../grounding/sections.ts';
import type { Edition } from '../search/open-edition.ts';
import type { Span } from '../text/split-sentences.ts';
import { citationOf, type PlacedQuote } from './compose-answer.ts';
import type { ArticleHit } from './navigator-answer.ts';

/** What another source states about a shown statement. */
export interface Comparison {
  /** `agrees`: it states the same; `conflicts`: the same words with another number or a negation. */
  verdict: 'agrees' | 'conflicts';
  /** For a conflict: what differs, "24 V instead of 12 V" or "the other denies it". */
  difference: string;
  /** The other source: "guides/ssl.md, Certificates". */
  citation: string;
  /** What it says. */
  other: OtherStatement;
}

/** A sentence, item or row of another article, with its place in it. */
export interface OtherStatement extends Span {
  text: string;
  source: ArticleHit['source'];
  headingPath: readonly string[];
}

/** Sections of other articles with at least this share of the best score are compared. */
const COMPARED_FROM = 0.6;
const COMPARED_HITS = 2;

/**
 * Compares shown statements with other articles, sentence by sentence: agreement raises the confidence, a conflict lowers it. Unrelated
 * sections are ignored.
 */
export const compareWithOthers = (
  edition: Edition,
  quotes: readonly PlacedQuote[],
  { hits }: { hits: readonly Pick<ArticleHit, 'chunk' | 'score' | 'source'>[] },
): Comparison[] => {
  const close = hits.filter(({ score }) => score >= COMPARED_FROM * (hits[0]?.score ?? 0));
  return [...Map.groupBy(quotes, ({ article }) => article)].flatMap(([article, own]) => {
    const shown = own.flatMap((quote) => statementsIn(edition, quote));
    return close
      .filter(({ source }) => source.id !== article.id && !isSiblingOf(source, article))
      .slice(0, COMPARED_HITS)
      .flatMap(({ chunk, source }) => {
        const section = sectionOfChunk(edition, chunk);
        const found = compare(shown, statementsOf(section));
        if (found === undefined) return [];
        const { statement, ...compared } = found;
        const { text, start, end } = statement;
        const other = { text, start, end, source, headingPath: section.path };
        return {
          ...compared,
          other,
          citation: citationOf({ chunk: { headingPath: [...section.path] }, article: source }),
        };
      });
  });
};

/** Only about another device: a difference is no conflict. */
const isSiblingOf = ({ devices }: ArticleHit['source'], article: PlacedQuote['article']): boolean =>
  devices.length > 0 && article.devices.length > 0 && !devices.some((device) => article.devices.includes(device));

const statementsIn = (edition: Edition, { chunk, start, end }: PlacedQuote): Statement[] =>
  statementsOf(sectionOfChunk(edition, chunk.index)).filter(
    (statement) => statement.start < chunk.start + end && statement.end > chunk.start + start,
  );

const compare = (
  shown: readonly Statement[],
  others: readonly Statement[],
): (Pick<Comparison, 'verdict' | 'difference'> & { statement: Statement }) | undefined => {
  const pairs = others.flatMap((other) =>
    shown
      .filter(({ words }) => overlapOf(words, other.words) >= SAME_PATTERN)
      .map((one) => ({ difference: differenceOf(one, other), statement: other })),
  );
  const conflict = pairs.find(({ difference }) => difference !== '');
  if (conflict !== undefined) return { verdict: 'conflicts', ...conflict };
  return pairs[0] === undefined ? undefined : { verdict: 'agrees', ...pairs[0] };
};
