import type { Edition } from '../../knowledge/edition/open-edition.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { oncePer } from '../../platform/once-per.ts';
import type { PassageHit, ShownPassage } from './shown-passages.ts';

/** Editions with more articles are not read for their titles. */
const MAX_ARTICLES = 20_000;
/** Articles that are taken. */
const MAX_LINKED = 12;
/** Relevance of an article that another one points to: it is about the subject, and may not answer. */
const LINKED_RELEVANCE = 0.05;

/**
 * What the articles hold to which passages point, by a link or by a title in words ("see Set up a reverse proxy"): up to four articles in the
 * order in which they are named, unless they are shown as a whole.
 */
export function linkedHits(edition: Edition, passages: readonly ShownPassage[]): PassageHit[] {
  if (edition.articleCount > MAX_ARTICLES) return [];
  const targets = targetsOf(edition);
  const linked = passages.flatMap(({ text, source }) =>
    [...byAddress(text, targets), ...byTitle(text, targets)].filter((index) => index !== source.index),
  );
  const whole = new Set(passages.flatMap(({ source, isPart }) => (isPart ? [] : source.index)));
  return [...new Set(linked)]
    .filter((index) => !whole.has(index))
    .slice(0, MAX_LINKED)
    .flatMap((index) => {
      const source = edition.article(index);
      const { firstChunk, endChunk } = source;
      return Array.from(
        { length: endChunk - firstChunk },
        (_, at): PassageHit => ({ chunk: firstChunk + at, source, relevance: LINKED_RELEVANCE }),
      );
    });
}

interface Targets {
  /** Address without query, fragment and slash at the end -> index of the article. */
  addresses: ReadonlyMap<string, number>;
  /** First word of a title -> all words of each title that begins so, with the index of the article. */
  titles: ReadonlyMap<string, readonly { words: readonly string[]; index: number }[]>;
}

const targetsOf = oncePer((edition: Edition): Targets => {
  const addresses = new Map<string, number>();
  const titles = new Map<string, { words: readonly string[]; index: number }[]>();
  for (let index = 0; index < edition.articleCount; index += 1) {
    const { url, title } = edition.article(index);
    if (url !== undefined) addresses.set(bareAddress(url), index);
    const words = wordsOf(title);
    const [first] = words;
    // A single word is a name of the thing more often than of the article.
    if (first !== undefined && words.length > 1) titles.set(first, [...(titles.get(first) ?? []), { words, index }]);
  }
  return { addresses, titles };
});

const bareAddress = (address: string): string => address.replace(/[?#].*$/s, '').replace(/\/+$/, '');

const byAddress = (text: string, { addresses }: Targets): number[] =>
  [...text.matchAll(/\]\(<?(https?:\/\/[^\s)>]+)/g)].flatMap(
    ([, address = '']) => addresses.get(bareAddress(address)) ?? [],
  );

const byTitle = (text: string, { titles }: Targets): number[] => {
  const words = wordsOf(text);
  return words.flatMap((word, at) =>
    (titles.get(word) ?? [])
      .filter((title) => title.words.every((each, place) => words[at + place] === each))
      .map(({ index }) => index),
  );
};
