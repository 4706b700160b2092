import type { PriceComparisonBlock } from '../../contract/display-model.ts';
import { numberMemberOf, textMemberOf } from './members.ts';
import { oneLine } from './plain-text.ts';

/** Our price against the web's; none where neither is known. */
export const priceComparisonBlock = (comparison: unknown, product: unknown): PriceComparisonBlock | undefined => {
  const [internal, external, difference, percentage] = [
    'internal_price',
    'cheapest_external',
    'difference',
    'percentage',
  ].map((name) => numberMemberOf(comparison, name));
  if (internal === undefined && external === undefined) return undefined;
  const currency = currencyOf(comparison) ?? currencyOf(product);
  const name = textMemberOf(product, 'name', 'title');
  return {
    kind: 'price_comparison',
    ...(name === undefined ? {} : { product: oneLine(name, 300) }),
    ...(internal === undefined ? {} : { internal_price: internal }),
    ...(external === undefined ? {} : { cheapest_external: external }),
    ...(difference === undefined ? {} : { difference }),
    ...(percentage === undefined ? {} : { percentage }),
    ...(currency === undefined ? {} : { currency }),
    verdict: verdictOf({ internal, external, difference, percentage, currency }),
  };
};

/** "999.99 EUR"; without a currency the number alone. */
export const moneyOf = (amount: number, currency: string | undefined): string => {
  const number = Math.abs(amount) < 1e15 ? amount.toFixed(2) : String(amount);
  return currency === undefined ? number : `${number} ${currency}`;
};

/** The code of a currency among the members; `undefined` where there is none. */
export const currencyOf = (value: unknown): string | undefined => {
  const code = textMemberOf(value, 'currency')?.trim().toUpperCase();
  return code !== undefined && /^[A-Z]{3}$/.test(code) ? code : undefined;
};

interface Prices {
  internal: number | undefined;
  external: number | undefined;
  difference: number | undefined;
  percentage: number | undefined;
  currency: string | undefined;
}

const verdictOf = ({ internal, external, difference, percentage, currency }: Prices): string => {
  if (internal === undefined) return `The cheapest price found is ${moneyOf(external ?? 0, currency)}.`;
  const ours = `Our price is ${moneyOf(internal, currency)}`;
  if (external === undefined) return `${ours}; no comparable price was found.`;
  const theirs = `${ours}, the cheapest found is ${moneyOf(external, currency)}`;
  if (difference === undefined) return `${theirs}.`;
  if (difference === 0) return `${theirs}: the same.`;
  const share = percentage === undefined ? '' : ` (${Math.abs(percentage).toFixed(1)} %)`;
  const by = `${moneyOf(Math.abs(difference), currency)}${share}`;
  return `${theirs}: ${by} ${difference < 0 ? 'less' : 'more'} than ours.`;
};
