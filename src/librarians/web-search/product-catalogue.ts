import type { D1Database } from '@cloudflare/workers-types';
import * as z from 'zod';
import { readAs } from '../../contract/core/error-info.ts';
import { stem } from '../../language/stem.ts';
import { editDistance } from '../../platform/edit-distance.ts';
import { DataSourceError } from '../../platform/http/coded-error.ts';
import { oncePer } from '../../platform/once-per.ts';
import lists from './product-words.json' with { type: 'json' };
import type { WebResult } from './web-search.ts';

/** A product of the shop. */
export interface Product {
  productId: number;
  sku: string;
  name: string;
  category: string;
  /** Hundredths of the unit of `currency`, whole. */
  priceCents: number;
  /** ISO 4217: `USD`. */
  currency: string;
}

/** A product that a question names, with the names of further ones that it names, in its order. */
export interface NamedProduct extends Product {
  alsoNamed: readonly string[];
}

/** Knows the products of one shop. */
export interface ProductCatalogue {
  /**
   * The first product that a question names, the longest name where several fit there; `undefined` when it names none.
   *
   * @throws {DataSourceError} When the products cannot be read.
   */
  find(query: string): Promise<NamedProduct | undefined>;
}

const UNREADABLE =
  'Cannot read the products of the shop: SHOP_DB needs a table products with product_id, sku, name, category, price_cents and currency';

type Database = Pick<D1Database, 'prepare'>;

/** Names that are read; further products are not found. */
const MAX_NAMES = 5000;
/** How long names are cached in the isolate. Prices are read for each question. */
const NAMES_AGE_MS = 60_000;

/** The products of the table `products` of a D1 database. Build it once per isolate: it caches the names. */
export function d1ProductCatalogue(
  database: Database,
  { now }: { now: () => number },
): ProductCatalogue {
  let known: { names: z.infer<typeof Name>[]; readAtMs: number } | undefined;
  const names = async () => {
    if (known !== undefined && now() - known.readAtMs < NAMES_AGE_MS) return known.names;
    const { results } = await database
      .prepare('SELECT product_id, name FROM products ORDER BY product_id LIMIT ?1')
      .bind(MAX_NAMES)
      .all();
    known = { names: results.flatMap((row) => listOf(readAs(Name, row))), readAtMs: now() };
    return known.names;
  };
  return {
    find: async (query) => {
      try {
        const [named, ...others] = productsNamedIn(query, await names());
        const product = named && (await productOf(database, named.product_id));
        return product && { ...product, alsoNamed: others.map(({ name }) => name) };
      } catch (cause) {
        throw new DataSourceError(UNREADABLE, { cause });
      }
    },
  };
}

const productOf = async (database: Database, productId: number): Promise<Product | undefined> => {
  const row = await database
    .prepare(
      'SELECT product_id, sku, name, category, price_cents, currency FROM products WHERE product_id = ?1',
    )
    .bind(productId)
    .first();
  const [product] = listOf(readAs(Row, row));
  return product === undefined
    ? undefined
    : {
        productId: product.product_id,
        sku: product.sku ?? '',
        name: product.name,
        category: product.category ?? '',
        priceCents: product.price_cents,
        currency: product.currency,
      };
};

const Name = z.object({ product_id: z.int(), name: z.string().min(1).max(300) });
const Row = Name.extend({
  sku: z.string().max(100).nullish(),
  category: z.string().max(200).nullish(),
  price_cents: z.int().min(0),
  currency: z.string().regex(/^[A-Z]{3}$/),
});

const listOf = <T>(read: { ok: true; value: T } | { ok: false }): T[] =>
  read.ok ? [read.value] : [];

/**
 * The products that a question names, without duplicates and in the order of the question. All words of a name must occur in a row, in any
 * case, the longer ones with at most one typing mistake. The longest of several names in one place wins. The following words must not
 * change the product: an "iPhone 17 Pro", an "iPhone 17 case" or an "iPhone 17e" is not an "iPhone 17".
 *
 * @param products Indexed once per list: pass the same list while it is current.
 */
export function productsNamedIn<Named extends { name: string }>(
  query: string,
  products: readonly Named[],
): Named[] {
  const words = gluedWordsOf(query).slice(0, MAX_WORDS);
  const names = namesOf(products);
  const found = new Set<number>();
  for (let place = 0; place < words.length; ) {
    const best = bestNameAt(words, place, names.startingWith(words[place]?.word ?? ''));
    if (best !== undefined) found.add(best.at);
    place += best?.words.length ?? 1;
  }
  return [...found].flatMap((at) => products[at] ?? []);
}

type Words = ReturnType<typeof gluedWordsOf>;

const bestNameAt = (
  words: Words,
  place: number,
  names: readonly ProductName[],
): ProductName | undefined => {
  let best: { name: ProductName; rank: readonly number[] } | undefined;
  for (const name of names) {
    const mistakes = mistakesAt(words, place, name.words);
    if (mistakes === undefined) continue;
    const rank = [name.words.length, -mistakes, name.length];
    if (best === undefined || isHigher(rank, best.rank)) best = { name, rank };
  }
  return best?.name;
};

/** Words of a question that are searched for names. */
const MAX_WORDS = 100;

interface ProductName {
  /** Place in the list of products. */
  at: number;
  words: readonly string[];
  length: number;
}

/** The names by their first words, so that a question is compared with few of them. */
const namesOf = oncePer((products: readonly { name: string }[]) => {
  const names: ProductName[] = products.map(({ name }, at) => ({
    at,
    words: wordsOf(name),
    length: name.length,
  }));
  const byFirst = Map.groupBy(names, ({ words: [first = ''] }) => first);
  const byLetter = Map.groupBy(byFirst.keys(), (first) => first.charAt(0));
  return {
    startingWith: (word: string): ProductName[] =>
      (byLetter.get(word.charAt(0)) ?? [])
        .filter((first) => first !== '' && isMeant(word, first))
        .flatMap((first) => byFirst.get(first) ?? []),
  };
});

/** Number of misspelt words when a name occurs at a position of the question; `undefined` when it does not. */
const mistakesAt = (words: Words, place: number, name: readonly string[]): number | undefined => {
  let mistakes = 0;
  for (const [at, known] of name.entries()) {
    const word = words[place + at]?.word ?? '';
    if (!isMeant(word, known)) return undefined;
    if (word !== known) mistakes++;
  }
  const following = words.slice(place + name.length, place + name.length + 2);
  return following[0]?.isGlued || extendsName(following.map(({ word }) => word))
    ? undefined
    : mistakes;
};

/** Numbers and short words distinguish models and must be exact, and so must the first letter. */
const isMeant = (word: string, known: string): boolean => {
  if (word === known) return true;
  if (known.length < 5 || Math.abs(word.length - known.length) > 1 || word[0] !== known[0])
    return false;
  if (/\p{N}/u.test(known)) return false;
  const bytes = encoder.encode(known);
  return editDistance(encoder.encode(word), bytes, { from: 0, to: bytes.length, limit: 1 }) <= 1;
};

const encoder = new TextEncoder();

const isHigher = (rank: readonly number[], than: readonly number[]): boolean => {
  const at = rank.findIndex((value, place) => value !== than[place]);
  return at >= 0 && (rank[at] ?? 0) > (than[at] ?? 0);
};

/**
 * Whether a result's title names exactly this product, new and whole.
 *
 * A search for "iPhone 17" also finds its cases, the "iPhone 17 Pro" and refurbished ones at other prices. Comparing one of these gives a
 * wrong "cheapest", while an omitted valid offer costs little. Therefore only neutral words may stand next to the name in its part of the
 * title, and no word of another product or condition anywhere in the title.
 *
 * @param product.category Its words are neutral: "iPhone 17 phone".
 */
export function namesProduct(
  title: string,
  { name, category = '' }: { name: string; category?: string },
): boolean {
  const nameWords = wordsOf(name);
  const neutral = neutralWords(category);
  const parts = title.split(SEPARATOR).map(wordsOf);
  const at = parts.findIndex((words) => indexOfWords(words, nameWords) >= 0);
  const part = parts[at];
  if (part === undefined) return false;
  const start = indexOfWords(part, nameWords);
  const before = part.slice(0, start);
  const after = part.slice(start + nameWords.length);
  const others = parts.filter((_, place) => place !== at);
  // "iPhone 16, iPhone 17" names several products with one price.
  if (others.some((words) => words.includes(nameWords[0] ?? ''))) return false;
  const isAlone =
    isMaker(before, neutral) && isNeutral(after, neutral) && others.every(isShopAfterPreposition);
  return isAlone && [before, after, ...others].every((words) => !sellsOther(words, nameWords));
}

/** Whether the words after a product's name make it another product: "Pro", "II", "case", the "5" of a model. */
const extendsName = (following: readonly string[]): boolean => {
  const [next = '', unit = ''] = following;
  if (/^\p{N}+$/u.test(next)) return !UNITS.has(unit);
  return VARIANT_WORDS.has(next) || ACCESSORY_WORDS.has(next);
};

/** Parts of a title: "iPhone 17 | Example Shop", "iPhone 17 (256 GB)". */
const SEPARATOR = /\s[-–—|·•:/]+\s|[|•·(),;[\]{}]|:\s/;

type Neutral = (word: string) => boolean;

/** Words next to a name that do not change the product: sizes, colours, marketing words, the product's category. */
const neutralWords = (category: string): Neutral => {
  const stems = new Set(wordsOf(category).map(stem));
  return (word) => NEUTRAL_WORDS.has(word) || stems.has(stem(word));
};

/** Before the name: neutral words, and one other word, the maker. */
const isMaker = (words: readonly string[], neutral: Neutral): boolean =>
  !words.some((word) => PURPOSE_WORDS.has(word) || /\p{N}/u.test(word)) &&
  words.filter((word) => !neutral(word)).length <= 1;

/** After the name: sizes, neutral words, and a preposition with the name of a shop. */
const isNeutral = (words: readonly string[], neutral: Neutral): boolean => {
  const shop = words.findIndex((word) => SHOP_PREPOSITIONS.has(word));
  const described = shop < 0 ? words : words.slice(0, shop);
  return (
    described.every((word, at) => isSize(described, at) || neutral(word)) &&
    isShopAfterPreposition(words)
  );
};

/**
 * After a preposition, a shop's name of at most two words, in addition to words such as "store". A longer text ("at Example Mobile on EIP"),
 * an amount ("from $30") or another maker ("by ...") indicates another product or other terms.
 */
const isShopAfterPreposition = (words: readonly string[]): boolean => {
  if (words.some((word) => MAKER_PREPOSITIONS.has(word))) return false;
  const at = words.findIndex((word) => SHOP_PREPOSITIONS.has(word));
  const shop = at < 0 ? [] : words.slice(at + 1);
  return (
    shop.filter((word) => !NEUTRAL_WORDS.has(word)).length <= MAX_SHOP_WORDS &&
    !shop.some((word) => /\p{N}/u.test(word) || SHOP_PREPOSITIONS.has(word))
  );
};

const MAX_SHOP_WORDS = 2;

const isSize = (words: readonly string[], at: number): boolean => {
  const [before = '', word = '', after = ''] = [words[at - 1], words[at], words[at + 1]];
  if (/^\p{N}+$/u.test(word)) return UNITS.has(after) || (after === 'g' && word === '5');
  return UNITS.has(word) && /^\p{N}+$/u.test(before);
};

const sellsOther = (words: readonly string[], name: readonly string[]): boolean =>
  CONDITION_PHRASES.some((phrase) => indexOfWords(words, phrase) >= 0) ||
  words.some(
    (word) => (CONDITION_WORDS.has(word) || ACCESSORY_WORDS.has(word)) && !name.includes(word),
  ) ||
  words.some(
    (word, at) =>
      VARIANT_WORDS.has(word) &&
      !isSize(words, at) &&
      !name.includes(word) &&
      !NEUTRAL_WORDS.has(word),
  );

/**
 * The words of a name, title or question for comparison: lower case, without accents, letters and digits separated (`256GB` is `256`, `gb`;
 * `iPhone17` is `iphone`, `17`). A plus sign is the word `plus`: "17+" is another model than "17".
 */
export function wordsOf(text: string): string[] {
  return gluedWordsOf(text).map(({ word }) => word);
}

/** The same words, each with whether it directly follows the previous one: the `e` of `iPhone 17e`. */
const gluedWordsOf = (text: string): { word: string; isGlued: boolean }[] => {
  const plain = text
    .slice(0, 4000)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('+', ' plus ');
  return [...plain.matchAll(/(?<=([\p{L}\p{N}])?)(?:\p{L}+|\p{N}+)/gu)].map(
    ({ 0: word, 1: before }) => ({
      word,
      isGlued: before !== undefined,
    }),
  );
};

/** Index of `part` within `words`; -1 when it is not there. */
const indexOfWords = (words: readonly string[], part: readonly string[]): number => {
  for (let at = 0; part.length > 0 && at + part.length <= words.length; at++) {
    if (part.every((word, place) => word === words[at + place])) return at;
  }
  return -1;
};

const setOf = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(' ')));

/** Words after a name that make it another model: "iPhone 17 Pro". */
const VARIANT_WORDS = setOf(lists.variants);
/** Accessories of a product. */
const ACCESSORY_WORDS = setOf(lists.accessories);
/** Words of offers that are not a new product at its full price: condition, instalments, parts. */
const CONDITION_WORDS = setOf(lists.conditions);
const CONDITION_PHRASES = lists.conditionPhrases.map((phrase) => phrase.split(' '));
const NEUTRAL_WORDS = setOf(lists.neutral);
/** Prepositions before a shop: "iPhone 17 on Amazon". */
const SHOP_PREPOSITIONS = setOf(lists.shopPrepositions);
/** Prepositions before another maker or seller: "iPhone 17 by Example Cases". */
const MAKER_PREPOSITIONS = setOf(lists.makerPrepositions);
/** Words before a name that indicate an accessory: "Cable for iPhone 17". */
const PURPOSE_WORDS = setOf(lists.purposes);
/** A number with one of these units is a size, not a model. */
const UNITS = setOf(lists.units);

/** Whether a question is about what something costs, here or elsewhere; English and German. */
export function isPriceQuestion(query: string): boolean {
  return PRICE.test(query);
}

const PRICE =
  /\b(?:price[sd]?|pricing|costs?|cheap(?:er|est|ly)?|expensive|how much|pay for|offers?|deals?|bargains?|elsewhere|competitors?|competition|compet(?:es?|ing)|compar(?:e|ed|ison|isons|ing)|market value|sell(?:s|ing)? (?:it )?for|sold (?:it )?for|undercut|preise?|preisvergleich|kosten|kostet|billig(?:er|ste[nrs]?)?|günstig(?:er|ste[nrs]?)?|teuer|teurer|wie ?viel|angebote?|woanders|anderswo|mitbewerber|konkurrenz)(?![\p{L}\p{N}])/iu;

/** Our price against the cheapest comparable offer, in whole hundredths of one currency. */
export interface Comparison {
  currency: string;
  internalCents: number;
  cheapestCents: number;
  /** The offer that costs it. */
  cheapest: WebResult;
  /** The other offers that were compared, the cheaper ones first. */
  others: readonly WebResult[];
  /**
   * Results with a price that were not compared: of another currency, product or condition, or too cheap to be true.
   */
  notCompared: number;
}

/**
 * Compares a product's price with those results that offer the same, new, in the same currency. `undefined` when there
 * is none, or no price of our own.
 */
export function comparePrices(
  product: Product,
  results: readonly WebResult[],
): Comparison | undefined {
  const priced = results.flatMap((result) =>
    result.price === undefined ? [] : [{ result, price: result.price }],
  );
  const comparable = priced
    .filter(({ result, price }) => price.currency === product.currency && isSame(result, product))
    .filter(({ price }) => price.cents >= product.priceCents * PLAUSIBLE_SHARE);
  const [cheapest, ...others] = comparable.toSorted((a, b) => a.price.cents - b.price.cents);
  if (cheapest === undefined || product.priceCents <= 0) return undefined;
  return {
    currency: product.currency,
    internalCents: product.priceCents,
    cheapestCents: cheapest.price.cents,
    cheapest: cheapest.result,
    others: others.map(({ result }) => result),
    notCompared: priced.length - comparable.length,
  };
}

/** The comparison on the wire: amounts in units of the currency, to the cent. */
export function priceComparisonOf(comparison: Comparison | undefined) {
  if (comparison === undefined) return {};
  const { internalCents, cheapestCents, cheapest, others, currency, notCompared } = comparison;
  const difference = cheapestCents - internalCents;
  return {
    internal_price: internalCents / 100,
    cheapest_external: cheapestCents / 100,
    difference: difference / 100,
    percentage: perCentOf(difference, internalCents),
    currency,
    compared: others.length + 1,
    not_compared: notCompared,
    ...(cheapest.url === undefined ? {} : { cheapest_url: cheapest.url }),
  };
}

/** With one decimal, halves away from zero: computed in whole tenths, so that 0.05 does not depend on a float. */
export function perCentOf(part: number, whole: number): number {
  const tenths = (BigInt(Math.abs(part)) * 2000n + BigInt(whole)) / (2n * BigInt(whole));
  return part < 0 && tenths > 0n ? -Number(tenths) / 10 : Number(tenths) / 10;
}

/** Offers below this share of our price are instalments, deposits, parts or bait. */
const PLAUSIBLE_SHARE = 0.25;

/** The condition that the provider reports counts as much as the title. */
const isSame = ({ title, condition }: WebResult, product: Product): boolean =>
  (condition === undefined || /^(?:brand )?new$/i.test(condition)) && namesProduct(title, product);
