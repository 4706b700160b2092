import type { Taxonomy } from '../../contract/taxonomy.ts';
import { namedProducts, workingProducts } from '../../knowledge/retrieval/named-products.ts';
import { oncePer } from '../../runtime/once-per.ts';

/** The product that a ticket is about. */
interface TicketProduct {
  /** Masked, at most 100 characters; undefined when no product is named, or several are. */
  product: string | undefined;
  /** The product of the metadata, when the customer names exactly one other product. */
  otherProduct: string | undefined;
  /** Whether metadata or texts name any product, though it may not be clear which is meant. */
  isNamed: boolean;
  /** No other product has the same name with a further word: "Model 4" may mean a "Model 4 Plus". */
  isExact: boolean;
}

type Products = Pick<Taxonomy, 'devices' | 'intents'>;

/**
 * Determines the product of a ticket: the one in the metadata, unless the customer names exactly one other. The metadata are not
 * trusted either, since a helpdesk may take them from a form that the customer has filled in.
 *
 * @param fromMetadata `metadata.product` of the request.
 * @param options.texts Texts of the customer, masked, the latest first.
 */
export const ticketProduct = (
  fromMetadata: unknown,
  { texts, taxonomy, mask }: { texts: readonly string[]; taxonomy: Products; mask: (text: string) => string },
): TicketProduct => {
  const named = productIn(texts, taxonomy);
  const product = typeof fromMetadata === 'string' ? metadataProduct(fromMetadata, { taxonomy, mask }) : undefined;
  const isNamed = typeof fromMetadata === 'string' || texts.some((text) => namesIn(text, taxonomy).length > 0);
  if (product !== undefined && named === undefined) return { product, otherProduct: undefined, isNamed, isExact: true };
  if (product === undefined || named === undefined) {
    const isExact = named !== undefined && !isFamily(named, taxonomy);
    return { product: named, otherProduct: undefined, isNamed, isExact };
  }
  const [known = product.toLowerCase()] = namesIn(product, taxonomy).map((each) => each.toLowerCase());
  const own = named.toLowerCase();
  // A short name does not contradict the full one.
  if (known === own || isPart(own, known)) return { product, otherProduct: undefined, isNamed, isExact: true };
  return {
    product: named,
    otherProduct: isPart(known, own) ? undefined : product,
    isNamed,
    isExact: !isFamily(named, taxonomy),
  };
};

const isFamily = (name: string, taxonomy: Products): boolean =>
  productsOf(taxonomy).devices.some((device) => device !== name.toLowerCase() && isPart(name.toLowerCase(), device));

const isPart = (short: string, long: string): boolean => ` ${long} `.includes(` ${short} `);

const MAX_PRODUCT = 100;
const MAX_METADATA = 1000;
const MAX_TEXT = 8000;
const ADDRESS =
  /\S{0,100}(?:\/\/|\p{L}\.\p{Ll}{2,6}(?![\p{L}\s]))\S{0,300}|\p{L}{1,40}\.(?:local|com|net|org|io)(?!\p{L})/gu;

/** Neither markup nor an address. */
const NAME = /^[\p{L}\p{M}\p{N} .,()+/&'’#:-]+$/u;

/** The text itself when it looks like a name, else the only known product in it. */
const metadataProduct = (
  text: string,
  { taxonomy, mask }: { taxonomy: Products; mask: (text: string) => string },
): string | undefined => {
  const plain = text
    .slice(0, MAX_METADATA)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  if (plain === '') return undefined;
  if (plain.length <= MAX_PRODUCT && text.length <= MAX_METADATA && NAME.test(plain) && mask(plain) === plain)
    return plain;
  const [only, ...others] = namesIn(plain, taxonomy);
  return others.length === 0 ? only : undefined;
};

/** The only product named by the latest text that names any; products reported to work are not counted. */
const productIn = (texts: readonly string[], taxonomy: Products): string | undefined => {
  for (const text of texts) {
    const named = namesIn(text, taxonomy);
    if (named.length === 0) continue;
    const working = workingProducts(
      named.map((each) => each.toLowerCase()),
      text,
      (clause) => namesIn(clause, taxonomy).map((each) => each.toLowerCase()),
    );
    const [only, ...others] = named.filter((each) => !working.has(each.toLowerCase()));
    return others.length === 0 ? only : undefined;
  }
  return undefined;
};

/** Product names in the spelling of the taxonomy; unknown products in that of the text. */
const namesIn = (text: string, taxonomy: Products): string[] => {
  const { names, devices } = productsOf(taxonomy);
  // A product name within a host name does not name the product.
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
