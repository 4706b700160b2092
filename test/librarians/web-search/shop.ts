import {
  type Product,
  type ProductCatalogue,
  productsNamedIn,
} from '../../../src/librarians/web-search/product-catalogue.ts';

/** The product of the example in the agent contract. */
export const IPHONE: Product = {
  productId: 123,
  sku: 'PH-17',
  name: 'iPhone 17',
  category: 'Phones',
  priceCents: 99_999,
  currency: 'USD',
};

/** A catalogue in memory. */
export function catalogueOf(...products: Product[]): ProductCatalogue {
  return {
    find: async (query) => {
      const [product, ...others] = productsNamedIn(query, products);
      return product && { ...product, alsoNamed: others.map(({ name }) => name) };
    },
  };
}
