import type { Taxonomy } from '../../contract/taxonomy.ts';
import { namedProducts } from '../../knowledge/retrieval/named-products.ts';
import { workingProducts } from '../../knowledge/retrieval/working-products.ts';
import { oncePer } from '../../runtime/once-per.ts';

/** What a ticket is about. */
export interface TicketProduct {
  /** Masked, at most 100 characters; undefined where none is told, or more than one. */
  product: string | undefined;
  /** What the helpdesk says instead, where the customer's words name exactly one other product. */
  otherwise: string | undefined;
  /** No other product is called so with a further word: a customer's "Apollo" may be an Apollo II. */
  isExact: boolean;
}

type Products = Pick<Taxonomy, 'devices' | 'intents'>;

/**
 * The product that a ticket is about: what the helpdesk says, unless the customer names exactly one other. Whatever form the
 * helpdesk takes it from, a customer may have filled that in.
 *
 * @param told `product` of the metadata.
 * @param options.texts The customer's, masked, the latest first.
 */
export const ticketProduct = (
  told: unknown,
  { texts, taxonomy, mask }: { texts: readonly string[]; taxonomy: Products; mask: (text: string) => string },
): TicketProduct => {
  const named = productIn(texts, taxonomy);
  const product = typeof told === 'string' ? toldProduct(told, { taxonomy, mask }) : undefined;
  if (product !== undefined && named === undefined) return { product, otherwise: undefined, isExact: true };
  if (product === undefined || named === undefined)
    return { product: named, otherwise: undefined, isExact: named !== undefined && !isFamily(named, taxonomy) };
  const [known = product.toLowerCase()] = namesIn(product, taxonomy).map((each) => each.toLowerCase());
  const own = named.toLowerCase();
  // "Apollo" may be said for an Apollo II: what says more holds, and contradicts nothing.
  if (known === own || isPart(own, known)) return { product, otherwise: undefined, isExact: true };
  return { product: named, otherwise: isPart(known, own) ? undefined : product, isExact: !isFamily(named, taxonomy) };
};

const isFamily = (name: string, taxonomy: Products): boolean =>
  productsOf(taxonomy).devices.some((device) => device !== name.toLowerCase() && isPart(name.toLowerCase(), device));

const isPart = (short: string, long: string): boolean => ` ${long} `.includes(` ${short} `);

const MAX_PRODUCT = 100;
const MAX_TOLD = 1000;
const MAX_TEXT = 8000;
const ADDRESS =
  /\S{0,100}(?:\/\/|\p{L}\.\p{Ll}{2,6}(?![\p{L}\s]))\S{0,300}|\p{L}{1,40}\.(?:local|com|net|org|io)(?!\p{L})/gu;

/** No markup, no address. */
const NAME = /^[\p{L}\p{M}\p{N} .,()+/&'’#:-]+$/u;

/** What is more than a name is a product's name alone, where it holds one. */
const toldProduct = (
  told: string,
  { taxonomy, mask }: { taxonomy: Products; mask: (text: string) => string },
): string | undefined => {
  const plain = told
    .slice(0, MAX_TOLD)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (plain === '') return undefined;
  if (plain.length <= MAX_PRODUCT && told.length <= MAX_TOLD && NAME.test(plain) && mask(plain) === plain) return plain;
  const [only, ...others] = namesIn(plain, taxonomy);
  return others.length === 0 ? only : undefined;
};

/** The only product that the latest text to name any names. */
const productIn = (texts: readonly string[], taxonomy: Products): string | undefined => {
  for (const text of texts) {
    const named = namesIn(text, taxonomy);
    if (named.length === 0) continue;
    const fine = workingProducts(
      named.map((each) => each.toLowerCase()),
      text,
      (clause) => namesIn(clause, taxonomy).map((each) => each.toLowerCase()),
    );
    const [only, ...others] = named.filter((each) => !fine.has(each.toLowerCase()));
    return others.length === 0 ? only : undefined;
  }
  return undefined;
};

/** As the taxonomy writes them; of others, as the text does. */
const namesIn = (text: string, taxonomy: Products): string[] => {
  const { names, devices } = productsOf(taxonomy);
  // "apollo.local" names no product.
  const { known, unknown } = namedProducts(text.slice(0, MAX_TEXT).replace(ADDRESS, ' '), {
    product: undefined,
    devices,
  });
  return [...known.map((each) => names.get(each) ?? each), ...unknown];
};

const productsOf = oncePer(({ devices, intents }: Products) => {
  const all = [...devices, ...intents.flatMap((intent) => intent.devices)];
  const names = new Map(all.map((each) => [each.toLowerCase(), each]));
  return { names, devices: [...names.keys()] };
});
