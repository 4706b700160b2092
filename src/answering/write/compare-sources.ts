import { cachedChunk, type Edition } from '../../knowledge/edition/open-edition.ts';
import { type Section, sectionOfChunk } from '../../knowledge/edition/sections.ts';
import {
  differenceOf,
  overlapOf,
  SAME_PATTERN,
  type Statement,
  statementsOf,
} from '../../knowledge/health/compare-statements.ts';
import { chunkFrom } from '../passages/render-passage.ts';
import { citationOf, nameOf, type Place } from './cite-sources.ts';
import type { ArticleHit } from './navigator-answer.ts';

/** What another source states about a shown statement. */
export interface Comparison {
  /** `agrees`: it states the same; `conflicts`: the same words with another number or a negation. */
  verdict: 'agrees' | 'conflicts';
  /** For a conflict: what differs, "24 V instead of 12 V" or "the other denies it". */
  difference: string;
  /** The other source: "Set up SSL, Certificates". */
  citation: string;
  /** What it states. */
  place: Place;
}

/** Sections of other articles with at least this share of the best score are compared. */
const COMPARED_FROM = 0.6;
const COMPARED_HITS = 2;

/**
 * Compares shown statements with other articles, sentence by sentence: agreement raises the confidence, a conflict lowers it. Unrelated
 * sections are ignored.
 */
export function compareWithOthers(
  edition: Edition,
  places: readonly Place[],
  { hits }: { hits: readonly Pick<ArticleHit, 'chunk' | 'score' | 'source'>[] },
): Comparison[] {
  const close = hits.filter(({ score }) => score >= COMPARED_FROM * (hits[0]?.score ?? 0));
  const byArticle = Map.groupBy(places, ({ chunk }) => chunk.source);
  return [...byArticle].flatMap(([article, own]) => {
    const shown = own.flatMap((place) => statementsIn(edition, place));
    return close
      .filter(({ source }) => source.id !== article.id && !isSiblingOf(source, article))
      .slice(0, COMPARED_HITS)
      .flatMap(({ chunk, source }) => {
        const section = sectionOfChunk(edition, chunk);
        const result = compare(shown, statementsOf(section));
        if (result === undefined) return [];
        const { difference, statement } = result;
        const verdict = difference === '' ? ('agrees' as const) : ('conflicts' as const);
        const citation = citationOf([{ headingPath: [...section.path], source }], nameOf);
        return [{ verdict, difference, citation, place: placeOf(edition, section, statement) }];
      });
  });
}

/** Only about another device: a difference is no conflict. */
const isSiblingOf = ({ devices }: ArticleHit['source'], article: ArticleHit['source']): boolean =>
  devices.length > 0 &&
  article.devices.length > 0 &&
  !devices.some((device) => article.devices.includes(device));

const statementsIn = (edition: Edition, { chunk, start, end }: Place): Statement[] =>
  statementsOf(sectionOfChunk(edition, chunk.index)).filter(
    (statement) => statement.start < chunk.start + end && statement.end > chunk.start + start,
  );

const placeOf = (edition: Edition, section: Section, { start, end }: Statement): Place => {
  const chunk = cachedChunk(edition, chunkFrom(edition, section, start));
  return { chunk, start: start - chunk.start, end: Math.min(chunk.text.length, end - chunk.start) };
};

/** What they differ in, empty for nothing, and in which statement; undefined when they state nothing in the same words. */
const compare = (
  shown: readonly Statement[],
  others: readonly Statement[],
): { difference: string; statement: Statement } | undefined => {
  const pairs = others.flatMap((statement) =>
    shown
      .filter(({ words }) => overlapOf(words, statement.words) >= SAME_PATTERN)
      .map((one) => ({ difference: differenceOf(one, statement), statement })),
  );
  return pairs.find(({ difference }) => difference !== '') ?? pairs[0];
};
