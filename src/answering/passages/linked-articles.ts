import type { Edition } from '../../knowledge/edition/open-edition.ts';
import { wordsOf } from '../../language/analyse-text.ts';
import { oncePer } from '../../platform/once-per.ts';
import { bestArticle, chunksOf, type HitList } from './shown-passages.ts';

/** Editions with more articles are not read for their titles. */
const MAX_ARTICLES = 20_000;
/** UTF-16 units of the best article that are read. */
const MAX_LENGTH = 60_000;
/** Articles that count as linked, in the order in which they are named. */
const MAX_LINKED = 4;

/**
 * The lists with one more: the hits in articles to which the best article points, by a link or by a title in words ("see Set up a reverse
 * proxy"). What an article refers to belongs to its answer.
 */
export function withLinked(edition: Edition, lists: readonly HitList[]): readonly HitList[] {
  const best = bestArticle(lists);
  if (best === undefined || edition.articleCount > MAX_ARTICLES) return lists;
  const targets = targetsOf(edition);
  const text = chunksOf(edition, best)
    .map((chunk) => chunk.text)
    .join('\n\n')
    .slice(0, MAX_LENGTH);
  const linked = [...byAddress(text, targets), ...byTitle(text, targets)].filter(
    (index) => index !== best.index,
  );
  const hits = lists.flatMap((list) => list.hits);
  const hitIn = (index: number) => hits.find(({ source }) => source.index === index) ?? [];
  const own = [...new Set(linked)].flatMap(hitIn).slice(0, MAX_LINKED);
  // The best article stays before those that it names.
  return own.length === 0 ? lists : [...lists, { hits: [best.index].flatMap(hitIn).concat(own) }];
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
    if (first === undefined || words.length < 2) continue;
    const alike = titles.get(first) ?? [];
    alike.push({ words, index });
    titles.set(first, alike);
  }
  return { addresses, titles };
});

const bareAddress = (address: string): string =>
  address.replace(/[?#].*$/s, '').replace(/\/+$/, '');

const byAddress = (text: string, { addresses }: Targets): number[] =>
  [...text.matchAll(/\]\(<?(https?:\/\/[^\s)>]{1,2000})/g)].flatMap(
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
