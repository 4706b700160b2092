import type { D1Database } from '@cloudflare/workers-types';
import * as z from 'zod';
import { readAs } from '../../contract/error-info.ts';
import { DataSourceError } from '../../http/coded-error.ts';
import { productsNamedIn } from './product-names.ts';

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
export const d1ProductCatalogue = (database: Database, { now }: { now: () => number }): ProductCatalogue => {
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
};

const productOf = async (database: Database, productId: number): Promise<Product | undefined> => {
  const row = await database
    .prepare('SELECT product_id, sku, name, category, price_cents, currency FROM products WHERE product_id = ?1')
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

const listOf = <T>(read: { ok: true; value: T } | { ok: false }): T[] => (read.ok ? [read.value] : []);
