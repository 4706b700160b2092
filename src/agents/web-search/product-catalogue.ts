/** A product as the shop knows it. */
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
