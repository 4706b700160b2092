import { type Section, sectionOfChunk, sentenceSpans } from '../grounding/sections.ts';
import { oncePer } from '../runtime/once-per.ts';
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

/** A sentence, list item or table row. */
interface Statement extends Span {
  text: string;
  /** Stems, without numbers. */
  words: ReadonlySet<string>;
  numbers: readonly string[];
}

/** In UTF-16 units. Only the beginning of a longer section is compared. */
const MAX_LENGTH = 20_000;
const MIN_WORDS = 4;

const statementsOf = oncePer(({ text, start: offset, pieces }: Section): readonly Statement[] =>
  pieces
    .filter(({ kind, isRepeated, end }) => kind !== 'code' && !isRepeated && end <= MAX_LENGTH)
    .flatMap((piece) =>
      sentenceSpans(text, piece).map(({ start, end }, at) => {
        const sentence = text.slice(start, end);
        return {
          ...{ start: offset + start, end: offset + end, text: sentence },
          words: new Set((piece.sentences[at] ?? []).filter((stem) => stem !== 'not' && !/^\d/.test(stem))),
          numbers: sentence.replace(/^\s*\d{1,3}[.)]\s/, '').match(/\d[\d.,:]*(?<![.,:])/g) ?? [],
        };
      }),
    )
    .filter(({ words }) => words.size >= MIN_WORDS),
);

const statementsIn = (edition: Edition, { chunk, start, end }: PlacedQuote): Statement[] =>
  statementsOf(sectionOfChunk(edition, chunk.index)).filter(
    (statement) => statement.start < chunk.start + end && statement.end > chunk.start + start,
  );

/** Share of common words, without numbers, from which two sentences count as the same statement. */
const SAME_PATTERN = 0.75;

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

const overlapOf = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  // Sets of such different size cannot share enough.
  if (Math.min(one.size, other.size) < SAME_PATTERN * Math.max(one.size, other.size)) return 0;
  let shared = 0;
  for (const word of one) shared += other.has(word) ? 1 : 0;
  return shared / (one.size + other.size - shared);
};

const differenceOf = (one: Statement, other: Statement): string => {
  if (isNegated(one.text) !== isNegated(other.text))
    return isNegated(one.text) ? 'one denies what the other says' : 'the other denies it';
  // An additional number is more detail; a replaced number is a conflict.
  const missing = one.numbers.filter((number) => !other.numbers.includes(number));
  const extra = other.numbers.filter((number) => !one.numbers.includes(number));
  return missing.length > 0 && extra.length > 0 ? `${extra[0]} instead of ${missing[0]}` : '';
};

/** Whether a sentence has a negation. */
const isNegated = (sentence: string): boolean =>
  /\b(?:not|never|no longer|cannot|without|neither|nor)\b|n['’]t\b/i.test(sentence);
