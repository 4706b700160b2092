import type { Product } from './product-catalogue.ts';
import { namesProduct } from './product-names.ts';
import type { WebResult } from './web-search.ts';

/** Whether a question is about what something costs, here or elsewhere; English and German. */
export const isPriceQuestion = (query: string): boolean => PRICE.test(query);

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
export const comparePrices = (product: Product, results: readonly WebResult[]): Comparison | undefined => {
  const priced = results.flatMap((result) => (result.price === undefined ? [] : [{ result, price: result.price }]));
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
};

/** The comparison on the wire: amounts in units of the currency, to the cent. */
export const priceComparisonOf = (comparison: Comparison | undefined) => {
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
};

/** With one decimal, halves away from zero: computed in whole tenths, so that 0.05 does not depend on a float. */
export const perCentOf = (part: number, whole: number): number => {
  const tenths = (BigInt(Math.abs(part)) * 2000n + BigInt(whole)) / (2n * BigInt(whole));
  return part < 0 && tenths > 0n ? -Number(tenths) / 10 : Number(tenths) / 10;
};

/** Offers below this share of our price are instalments, deposits, parts or bait. */
const PLAUSIBLE_SHARE = 0.25;

/** The condition that the provider reports counts as much as the title. */
const isSame = ({ title, condition }: WebResult, product: Product): boolean =>
  (condition === undefined || /^(?:brand )?new$/i.test(condition)) && namesProduct(title, product);
